"""Controls of Qt with tooltips instead of words: `tipped_qt.py`.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtCore, QtWidgets
except ImportError:
    from PySide6 import QtCore, QtWidgets

app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Tipped")
layout = QtWidgets.QVBoxLayout(window)
stays = QtWidgets.QToolButton(toolTip="Stay up", checkable=True)
for widget in (
    QtWidgets.QToolButton(toolTip="<b>Copy</b> <i>it</i>"),
    stays,
    QtWidgets.QCheckBox(toolTip="Match case"),
    QtWidgets.QPushButton("Plain", toolTip="Said elsewhere"),
    QtWidgets.QSpinBox(toolTip="How many"),
    QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal, toolTip="How loud"),
):
    layout.addWidget(widget)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
