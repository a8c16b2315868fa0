"""A table of Qt of very many rows with a cell of several: `spans_qt.py ROW COLUMN ROWS COLUMNS`, where and how many.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QTableWidget, QTableWidgetItem
except ImportError:
    from PySide6.QtWidgets import QApplication, QTableWidget, QTableWidgetItem

app = QApplication(sys.argv)
table = QTableWidget(200, 5)
table.setWindowTitle("Spans")
table.setHorizontalHeaderLabels(list("ABCDE"))
for row in range(200):
    for column in range(5):
        table.setItem(row, column, QTableWidgetItem(f"{row},{column}"))
table.setSpan(*map(int, sys.argv[1:]))
table.resize(560, 250)
table.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
