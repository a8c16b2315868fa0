"""The buttons of `hints_gtk.py` in Qt 5, with its own hints in the status bar: `hints_qt.py STATE_FILE`.

Run it with the system's Python.
"""

import json
import sys
from pathlib import Path

from PyQt5.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton, QVBoxLayout, QWidget

presses = {"Count": 0, "Dead": 0}


def press(name):
    presses[name] += 1
    Path(sys.argv[1]).write_text(json.dumps(presses), encoding="utf-8")
    counted.setText(f"{presses['Count']} times")


app = QApplication(sys.argv)
window, content, counted = QMainWindow(windowTitle="Hints"), QWidget(), QLabel("0 times")
layout = QVBoxLayout(content)
for name in presses:
    button = QPushButton(name, statusTip=f"{name}: click to use it")
    button.clicked.connect(lambda _, name=name: press(name))
    layout.addWidget(button)
layout.addWidget(counted)
window.setCentralWidget(content)
window.statusBar().showMessage("Ready")
window.resize(300, 250)
window.show()
sys.exit(app.exec_())
