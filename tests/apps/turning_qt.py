"""A list of Qt 5 in which each click turns an item over, a list with check boxes, and a menu of check and radio items.

`turning_qt.py STATE_FILE`
"""

import sys
from pathlib import Path

from everyday import LOOK_MS, State
from PyQt5.QtCore import Qt, QTimer
from PyQt5.QtWidgets import (
    QAbstractItemView,
    QActionGroup,
    QApplication,
    QDockWidget,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
)

app = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Turning")
fruit, boxes = QListWidget(accessibleName="Fruit"), QListWidget(accessibleName="Boxes")
fruit.setSelectionMode(QAbstractItemView.MultiSelection)
for name in ("Pear", "Plum", "Quince"):
    fruit.addItem(name)
    item = QListWidgetItem(f"{name} box")
    item.setCheckState(Qt.Checked)
    boxes.addItem(item)
window.setCentralWidget(fruit)

dock = QDockWidget()
dock.setWidget(boxes)
window.addDockWidget(Qt.RightDockWidgetArea, dock)
menu, group = window.menuBar().addMenu("View"), QActionGroup(window)
actions = {name: menu.addAction(name) for name in ("Ruler", "Left", "Right")}
for name, action in actions.items():
    action.setCheckable(True)
    if name != "Ruler":
        group.addAction(action)
actions["Ruler"].setChecked(True)
actions["Left"].setChecked(True)


def look():
    return {
        "fruit": sorted(item.text() for item in fruit.selectedItems()),
        "boxes": [boxes.item(row).checkState() == Qt.Checked for row in range(boxes.count())],
        "menu": [name for name, action in actions.items() if action.isChecked()],
    }


state = State(Path(sys.argv[1]), look)
timer = QTimer()
timer.timeout.connect(state.write)
timer.start(LOOK_MS)
window.show()
sys.exit(app.exec_())
