"""Two number fields: `spins_qt.py`. The title has the numbers of the program, then those that were applied.

`Delay` counts each key, `Gain` only once it is left. Run it with the system's Python for Qt 5, with that of Qt 6 for
Qt 6.
"""

import sys

try:
    from PyQt5 import QtWidgets
except ImportError:
    from PySide6 import QtWidgets


def tell(*_):
    window.setWindowTitle(f"Spins {delay.value():.2f} {gain.value():.2f} applied {applied[-1]}")


def apply(*_):
    applied.append(f"{delay.value():.2f} {gain.value():.2f}")
    tell()


app = QtWidgets.QApplication(sys.argv)
applied = ["nothing"]
window = QtWidgets.QWidget()
layout = QtWidgets.QHBoxLayout(window)
delay = QtWidgets.QDoubleSpinBox(value=1, minimum=-1000, maximum=1000)
gain = QtWidgets.QDoubleSpinBox(minimum=-1000, maximum=1000, value=-3.5, suffix=" dB", keyboardTracking=False)
button = QtWidgets.QPushButton("Apply")
for field, name in ((delay, "Delay"), (gain, "Gain")):
    field.setAccessibleName(name)
    field.valueChanged.connect(tell)
button.clicked.connect(apply)
for each in (button, delay, gain):
    layout.addWidget(each)
tell()
window.show()
app.exec()
