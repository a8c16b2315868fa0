"""A program of Qt that ends by its buttons: normally, or by a signal."""

import os
import signal
import sys

from PyQt5.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

application = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Ending")
layout = QVBoxLayout(window)
for name, how in (("Quit", application.quit), ("Crash", lambda: os.kill(os.getpid(), signal.SIGSEGV))):
    button = QPushButton(name)
    button.clicked.connect(how)
    layout.addWidget(button)
window.show()
application.exec_()
