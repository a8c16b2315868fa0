"""The rows of `recycling.py` in Qt. Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6."""

import sys

try:
    from PyQt5 import QtCore, QtWidgets
except ImportError:
    from PySide6 import QtCore, QtWidgets
from recycling import SIZE, TITLE, Rows

application = QtWidgets.QApplication(["fixture"])
window = QtWidgets.QWidget()
window.setWindowTitle(TITLE)
column = QtWidgets.QVBoxLayout(window)
done, labels = QtWidgets.QLabel("Done 0"), [QtWidgets.QLabel() for _ in range(SIZE)]
column.addWidget(done)
rows = Rows(labels, done, lambda label, text: label.setText(text))
for number, label in enumerate(labels):
    row, button = QtWidgets.QFrame(), QtWidgets.QPushButton("Edit")
    button.clicked.connect(lambda _=False, number=number: rows.press(number))
    line = QtWidgets.QHBoxLayout(row)
    line.addWidget(label)
    line.addWidget(button)
    column.addWidget(row)
window.resize(300, 320)
window.show()
timer = QtCore.QTimer()
timer.timeout.connect(rows.go_on)
timer.start(rows.every_ms)
run = getattr(application, "exec_", None) or application.exec
sys.exit(run())
