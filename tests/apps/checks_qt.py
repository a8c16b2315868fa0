"""Views of Qt with a check box in each row: `checks_qt.py FILE`. The file says what is checked and what is selected.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import json
import sys
from pathlib import Path

try:
    from PyQt5 import QtWidgets
    from PyQt5.QtCore import Qt
except ImportError:
    from PySide6 import QtWidgets
    from PySide6.QtCore import Qt

FILE = Path(sys.argv[1])
BRANCHES = {"One": ["One a", "One b", "One c"], "Two": ["Two a"], "Three": []}


def checked(item):
    item.setFlags(item.flags() | Qt.ItemIsUserCheckable)
    return item


def every_item():
    tops = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    return [each for top in tops for each in (top, *(top.child(row) for row in range(top.childCount())))]


def tell(*_):
    rows = [rows_of.item(row) for row in range(rows_of.count())]
    now = {
        "checked": [each.text(0) for each in every_item() if each.checkState(0) == Qt.Checked]
        + [each.text() for each in rows if each.checkState() == Qt.Checked],
        "selected": [each.text(0) for each in tree.selectedItems()],
    }
    new = FILE.with_suffix(".new")
    new.write_text(json.dumps(now))
    new.replace(FILE)


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Checks")
layout = QtWidgets.QHBoxLayout(window)
tree, rows_of = QtWidgets.QTreeWidget(), QtWidgets.QListWidget()
tree.setHeaderLabels(["Name", "Count"])
for name, below in BRANCHES.items():
    top = checked(QtWidgets.QTreeWidgetItem(tree, [name, "same"]))
    for each in (top, *(checked(QtWidgets.QTreeWidgetItem(top, [child, "same"])) for child in below)):
        each.setCheckState(0, Qt.Unchecked)
for number in range(4):
    row = checked(QtWidgets.QListWidgetItem(f"Row {number}", rows_of))
    row.setCheckState(Qt.Unchecked)
tree.expandAll()
layout.addWidget(tree)
layout.addWidget(rows_of)
for signal in (tree.itemChanged, tree.itemSelectionChanged, rows_of.itemChanged):
    signal.connect(tell)
window.resize(500, 300)
window.show()
tell()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
