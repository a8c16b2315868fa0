"""A window of Qt with faults of accessibility beside controls without one; `inaccessible_qt.py`.

Faults: a button of a picture alone, a field whose label is not its buddy, a box that is drawn as switched and reports
nothing, a field that Tab does not reach, and a button under another widget. Run it with the system's Python.
"""

import sys

from PyQt5 import QtCore, QtGui, QtWidgets


class Silent(QtWidgets.QCheckBox):
    """Draws a state of its own."""

    on = False

    def nextCheckState(self):  # noqa: N802 - a method of Qt
        self.on = not self.on
        self.update()

    def paintEvent(self, event):  # noqa: N802 - as above
        painter = QtGui.QPainter(self)
        painter.fillRect(self.rect(), QtCore.Qt.darkGreen if self.on else QtCore.Qt.gray)


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Inaccessible")
window.resize(420, 300)


def put(widget, left, top, width=120):
    widget.setParent(window)
    widget.setGeometry(left, top, width, 30)
    return widget


put(QtWidgets.QPushButton("Search"), 10, 10)
put(QtWidgets.QCheckBox("Bold"), 150, 10)
name = put(QtWidgets.QLineEdit(), 70, 50)
put(QtWidgets.QLabel("&Name"), 10, 50, 50).setBuddy(name)
picture = put(QtWidgets.QPushButton(), 10, 90, 40)
picture.setIcon(app.style().standardIcon(QtWidgets.QStyle.SP_DialogSaveButton))
put(QtWidgets.QLabel("Street"), 10, 130, 50)
put(QtWidgets.QLineEdit(), 70, 130)
put(Silent("Silent"), 10, 170)
code = put(QtWidgets.QLineEdit(), 230, 50)
code.setAccessibleName("Code")
code.setFocusPolicy(QtCore.Qt.ClickFocus)
put(QtWidgets.QPushButton("Covered"), 10, 210)
put(QtWidgets.QLabel("Cover"), 5, 205, 130).setStyleSheet("background: white")
window.show()
app.exec()
