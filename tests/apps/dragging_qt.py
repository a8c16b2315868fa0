"""Two lists of Qt between which items are dragged, a slider and a text field: `dragging_qt.py`.

The title says what the right list has, where the slider stands, and what of the text is selected. Run it with the
system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtCore import Qt
    from PyQt5.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QListWidget, QSlider, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QListWidget, QSlider, QVBoxLayout, QWidget


def make_list(name, items):
    view = QListWidget()
    view.setAccessibleName(name)
    view.addItems(items)
    view.setFixedSize(160, 160)
    view.setDragEnabled(name == "Left")
    view.setAcceptDrops(name == "Right")
    view.setDefaultDropAction(Qt.DropAction.CopyAction)
    return view


def tell(*_):
    held = ",".join(right.item(row).text() for row in range(right.count()))
    window.setWindowTitle(f"Dragging [{held}] [{slider.value()}] [{text.selectedText()}]")


app = QApplication(sys.argv)
window = QWidget()
column, row = QVBoxLayout(window), QHBoxLayout()
left, right = make_list("Left", ["One", "Two", "Three"]), make_list("Right", [])
slider, text = QSlider(Qt.Orientation.Horizontal), QLineEdit("some words to select")
slider.setRange(0, 100)
row.addWidget(left)
row.addWidget(right)
column.addLayout(row)
column.addWidget(slider)
column.addWidget(text)
right.model().rowsInserted.connect(tell)
right.model().dataChanged.connect(tell)
slider.valueChanged.connect(tell)
text.selectionChanged.connect(tell)
tell()
window.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
