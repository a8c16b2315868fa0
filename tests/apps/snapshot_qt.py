"""The window of `snapshot_gtk3.py` in Qt: `snapshot_qt.py '{"save": "Save", …}'`. Run it with the system's Python."""

import json
import sys

from PyQt5 import QtCore, QtGui, QtWidgets

given = {"save": "Save", "left": 20, "bold": True, "blue": False, **json.loads(sys.argv[1])}


class Drawing(QtWidgets.QWidget):
    def paintEvent(self, event):  # noqa: N802 - a method of Qt
        painter = QtGui.QPainter(self)
        painter.fillRect(self.rect(), QtCore.Qt.white)
        painter.fillRect(20, 20, 120, 80, QtCore.Qt.blue if given["blue"] else QtCore.Qt.red)


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Snapshot")
window.resize(420, 360)
save = QtWidgets.QPushButton(given["save"], window)
save.setGeometry(given["left"], 20, 90, 34)
if given["bold"]:
    bold = QtWidgets.QCheckBox("Bold", window)
    bold.setChecked(True)
    bold.setGeometry(20, 70, 100, 30)
label, name = QtWidgets.QLabel("Name", window), QtWidgets.QLineEdit("Ada", window)
label.setBuddy(name)
label.setGeometry(180, 70, 45, 30)
name.setGeometry(230, 70, 160, 30)
Drawing(window).setGeometry(20, 120, 300, 200)
window.show()
app.exec()
