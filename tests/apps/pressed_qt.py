"""What of Qt can be checked, whose program hears of clicks: `pressed_qt.py`. The title names what was clicked last.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtWidgets
except ImportError:
    from PySide6 import QtWidgets

app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QMainWindow()


def heard(name, checked):
    window.setWindowTitle(f"Pressed {name} {'on' if checked else 'off'}")


bar = window.addToolBar("Views")
for name in ("List", "Icons"):
    tool = bar.addAction(name)
    tool.setCheckable(True)
    tool.triggered.connect(lambda checked, name=name: heard(name, checked))
page = QtWidgets.QWidget()
layout = QtWidgets.QVBoxLayout(page)
group = QtWidgets.QGroupBox("Schedule", checkable=True, checked=False)
QtWidgets.QVBoxLayout(group).addWidget(QtWidgets.QLabel("every day"))
for box in (QtWidgets.QCheckBox("Wide"), QtWidgets.QRadioButton("One"), QtWidgets.QRadioButton("Two"), group):
    layout.addWidget(box)
    name = box.title() if box is group else box.text()
    box.clicked.connect(lambda checked, name=name: heard(name, checked))
window.setCentralWidget(page)
window.setWindowTitle("Pressed")
window.resize(700, 300)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
