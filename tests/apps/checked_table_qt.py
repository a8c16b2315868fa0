"""A table of Qt 6 with a column of check boxes: `checked_table_qt.py`."""

import sys

from PySide6 import QtWidgets
from PySide6.QtCore import Qt

app = QtWidgets.QApplication(sys.argv)
window, table = QtWidgets.QMainWindow(), QtWidgets.QTableWidget(3, 2)
window.setWindowTitle("Checked")
window.setCentralWidget(table)
table.setHorizontalHeaderLabels(["Done", "Name"])
for row, name in enumerate(("Ada", "Bob", "Cleo")):
    box = QtWidgets.QTableWidgetItem()
    box.setFlags(box.flags() | Qt.ItemIsUserCheckable)
    box.setCheckState(Qt.Checked if row == 1 else Qt.Unchecked)
    table.setItem(row, 0, box)
    table.setItem(row, 1, QtWidgets.QTableWidgetItem(name))
window.show()
app.exec()
