"""Controls of Qt with equal names: `same_names_qt.py`.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtWidgets
except ImportError:
    from PySide6 import QtWidgets


def named_edit(name):
    edit = QtWidgets.QLineEdit()
    edit.setAccessibleName(name)
    return edit


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Same names")
layout = QtWidgets.QVBoxLayout(window)
for name in ("Billing", "Shipping"):
    group = QtWidgets.QGroupBox(name)
    QtWidgets.QVBoxLayout(group).addWidget(named_edit("Street"))
    layout.addWidget(group)
for name in ("Monday", "Tuesday"):
    layout.addWidget(QtWidgets.QLabel(name))
    layout.addWidget(named_edit("Hours"))
for name in ("Home", "Work"):
    row = QtWidgets.QHBoxLayout()
    row.addWidget(QtWidgets.QLabel(name))
    row.addWidget(QtWidgets.QPushButton("Choose"))
    layout.addLayout(row)
for _ in range(2):
    layout.addWidget(QtWidgets.QPushButton("OK"))
for _ in range(3):
    layout.addWidget(QtWidgets.QRadioButton("Other"))
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
