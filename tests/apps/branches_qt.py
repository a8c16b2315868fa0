"""A tree of Qt with rows of one name: `branches_qt.py`. Its title says which row is selected.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QTreeWidget, QTreeWidgetItem
except ImportError:
    from PySide6.QtWidgets import QApplication, QTreeWidget, QTreeWidgetItem

ROWS = {"Sales": ["2025", "2026"], "Research": ["2026"], "Twice": [], "Twice ": []}


app = QApplication(sys.argv)
tree = QTreeWidget()
tree.setWindowTitle("Branches")
tree.setHeaderLabels(["Name", "Count"])
for name, years in ROWS.items():
    top = QTreeWidgetItem(tree, [name.strip(), "same"])
    top.setData(0, 256, name)
    for year in years:
        below = QTreeWidgetItem(top, [year, "same"])
        below.setData(0, 256, f"{name}/{year}")
tree.expandAll()
tree.itemSelectionChanged.connect(
    lambda: tree.setWindowTitle(" ".join(["Branches", *(item.data(0, 256) for item in tree.selectedItems())]))
)
tree.resize(300, 300)
tree.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
