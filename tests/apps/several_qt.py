"""A list of Qt of which several rows can be selected: `several_qt.py`. The title shows the selection."""

import sys

from PyQt5.QtWidgets import QAbstractItemView, QApplication, QListWidget, QMainWindow

app = QApplication(sys.argv)
window = QMainWindow(windowTitle="Several")
view = QListWidget()
window.setCentralWidget(view)
view.setSelectionMode(QAbstractItemView.ExtendedSelection)
view.addItems(["North", "Northwest", "East", "South"])
view.itemSelectionChanged.connect(
    lambda: window.setWindowTitle(f"Several {' '.join(sorted(item.text() for item in view.selectedItems()))}")
)
window.show()
sys.exit(app.exec_())
