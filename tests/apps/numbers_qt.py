"""A field of numbers: `numbers_qt.py`. The title says the number that the program has.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtWidgets
except ImportError:
    from PySide6 import QtWidgets


def tell(*_):
    window.setWindowTitle(f"Numbers {field.value()}")


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
layout = QtWidgets.QHBoxLayout(window)
field, button = QtWidgets.QSpinBox(value=5, maximum=100), QtWidgets.QPushButton("Next")
field.valueChanged.connect(tell)
for each in (button, field):
    layout.addWidget(each)
tell()
window.show()
app.exec()
