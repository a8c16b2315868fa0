"""Two buttons of one name, with names of their objects."""

import sys

if "qt5" in sys.argv:
    from PyQt5.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget
else:
    from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget

application = QApplication(sys.argv)
window = QWidget(windowTitle="Ids", objectName="main")
layout = QHBoxLayout(window)
for name in ("keep", "store"):
    layout.addWidget(QPushButton("Save", window, objectName=name))
window.show()
sys.exit(application.exec_() if "qt5" in sys.argv else application.exec())
