"""Two number fields, a date, and a toolbar with a field for a style: `spins_qt.py`.

The title has the numbers and the style of the program, then the numbers that were applied, and the date `When`.
`Delay` counts each key, `Gain` only once it is left, the style with Enter. Run it with the system's Python for Qt 5,
with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtCore, QtWidgets
except ImportError:
    from PySide6 import QtCore, QtWidgets


def tell(*_):
    date = when.date().toString("yyyy-MM-dd")
    numbers = f"{delay.value():.2f} {gain.value():.2f}"
    window.setWindowTitle(f"Spins {numbers} style {styles[-1]} applied {applied[-1]} on {date}")


def restyle():
    styles.append(style.text())
    tell()


def apply(*_):
    applied.append(f"{delay.value():.2f} {gain.value():.2f}")
    tell()


app = QtWidgets.QApplication(sys.argv)
applied, styles = ["nothing"], ["none"]
window = QtWidgets.QMainWindow()
layout = QtWidgets.QHBoxLayout()
content, bar, style = QtWidgets.QWidget(), window.addToolBar("Tools"), QtWidgets.QLineEdit()
style.setAccessibleName("Style")
style.returnPressed.connect(restyle)
bar.addWidget(style)
delay = QtWidgets.QDoubleSpinBox(value=1, minimum=-1000, maximum=1000)
gain = QtWidgets.QDoubleSpinBox(minimum=-1000, maximum=1000, value=-3.5, suffix=" dB", keyboardTracking=False)
when = QtWidgets.QDateEdit(QtCore.QDate(2026, 3, 12), displayFormat="dd/MM/yyyy")
when.setAccessibleName("When")
when.dateChanged.connect(tell)
button = QtWidgets.QPushButton("Apply")
for field, name in ((delay, "Delay"), (gain, "Gain")):
    field.setAccessibleName(name)
    field.valueChanged.connect(tell)
button.clicked.connect(apply)
for each in (button, delay, gain, when):
    layout.addWidget(each)
content.setLayout(layout)
window.setCentralWidget(content)
tell()
window.show()
app.exec()
