"""A splitter of Qt whose right half is collapsed: `splitter_qt.py`. Its title says when it is.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import QApplication, QPushButton, QSplitter
except ImportError:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QPushButton, QSplitter


def collapse():
    splitter.setSizes([100, 0])
    splitter.setWindowTitle("Collapsed")


app = QApplication(sys.argv)
splitter = QSplitter()
for side in ("Left", "Right"):
    splitter.addWidget(QPushButton(side))
splitter.resize(400, 100)
splitter.show()
QTimer.singleShot(0, collapse)
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
