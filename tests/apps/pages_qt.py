"""A list and a tree of Qt, of which the title names the current item, as dialogs turn to its page: `pages_qt.py`.

A list and a tree beside them are hidden. Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QHBoxLayout, QListWidget, QTreeWidget, QTreeWidgetItem, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QHBoxLayout, QListWidget, QTreeWidget, QTreeWidgetItem, QWidget

app = QApplication(sys.argv)
window = QWidget()
layout = QHBoxLayout(window)
pages = QListWidget()
pages.addItems(["Behavior", "Downloads", "Connection", "Speed"])
forms = QTreeWidget()
forms.addTopLevelItems([QTreeWidgetItem([name]) for name in ("Dialog", "Main Window", "Widget")])
pages.currentItemChanged.connect(lambda item, _: window.setWindowTitle(f"Pages {item.text()}"))
forms.currentItemChanged.connect(lambda item, _: window.setWindowTitle(f"Pages {item.text(0)}"))
hidden = [QListWidget(), QTreeWidget()]
hidden[0].addItem("Hidden item")
hidden[1].addTopLevelItem(QTreeWidgetItem(["Hidden branch"]))
for view in (pages, forms, *hidden):
    layout.addWidget(view)
window.setWindowTitle("Pages")
window.show()
for view in hidden:
    view.hide()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
