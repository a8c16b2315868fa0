"""The controls of `oracle.py` in Qt widgets: `oracle_qt.py BINDING STATE_FILE`, BINDING being PyQt5 or PySide6."""

import importlib
import sys
from pathlib import Path

from oracle import CELL, CELLS, FRUIT, LOOK_MS, MARK, SECRET, TITLE, WORDS, Oracle
from screen import Screen

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
gui = importlib.import_module(f"{sys.argv[1]}.QtGui")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
Qt = core.Qt


class Fixture(widgets.QWidget):
    def __init__(self, path):
        super().__init__()
        self.oracle = Oracle(path, core.qVersion(), self.look)
        self.screen_of_x11 = Screen()
        self.keys = {}
        self.setWindowTitle(TITLE)
        self.box = widgets.QFormLayout(self)
        self.add_plain_controls()
        self.add_fruit()
        self.add_grid()
        self.timer = core.QTimer(self)
        self.timer.timeout.connect(self.oracle.write)
        self.timer.start(LOOK_MS)

    def add(self, key, widget, label=""):
        self.keys[key] = widget
        if label:
            self.box.addRow(label, widget)
        else:
            self.box.addRow(widget)
        pressed = widget.viewport() if hasattr(widget, "viewport") else widget
        pressed.installEventFilter(self)
        return widget

    def add_plain_controls(self):
        button = self.add("button", widgets.QPushButton(WORDS["button"][1]))
        button.clicked.connect(self.oracle.pressed)
        self.add("check", widgets.QCheckBox(WORDS["check"][1]))
        self.add("name", widgets.QLineEdit("Ada"), "Name")
        secret = self.add("secret", widgets.QLineEdit(SECRET), "Secret")
        secret.setEchoMode(widgets.QLineEdit.Password)
        palette = secret.palette()
        palette.setColor(gui.QPalette.Text, gui.QColor(MARK))
        secret.setPalette(palette)
        self.add("words", widgets.QLabel(WORDS["words"][1]))
        volume = self.add("volume", widgets.QSlider(Qt.Horizontal), "Volume")
        volume.setRange(0, 100)
        volume.setValue(30)
        self.add("hidden", widgets.QPushButton(WORDS["hidden"][1])).hide()
        self.add("off", widgets.QPushButton(WORDS["off"][1])).setEnabled(False)

    def add_fruit(self):
        fruit = self.add("fruit", widgets.QListWidget())
        fruit.setAccessibleName(WORDS["fruit"][1])
        fruit.addItems(FRUIT)
        fruit.setFixedHeight(80)

    def add_grid(self):
        grid = self.add("grid", widgets.QTableWidget(len(CELLS), len(CELLS[0])))
        grid.setAccessibleName(WORDS["grid"][1])
        for row, texts in enumerate(CELLS):
            for column, text in enumerate(texts):
                grid.setItem(row, column, widgets.QTableWidgetItem(text))
        grid.setFixedHeight(140)

    def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
        if event.type() == core.QEvent.MouseButtonPress:
            key = self.key_at(watched, event.pos())
            if key:
                self.oracle.clicked(key)
        return False

    def key_at(self, watched, point):
        if watched is self.keys["fruit"].viewport():
            item = self.keys["fruit"].itemAt(point)
            return item.text().lower() if item else ""
        if watched is self.keys["grid"].viewport():
            index = self.keys["grid"].indexAt(point)
            return "cell" if (index.row(), index.column()) == CELL else ""
        return next((key for key, widget in self.keys.items() if widget is watched), "")

    def look(self):
        found = {key: self.facts(widget) for key, widget in self.keys.items()}
        fruit, grid = self.keys["fruit"], self.keys["grid"]
        for number, name in enumerate(FRUIT):
            item = fruit.item(number)
            place = self.on_screen(fruit.viewport(), fruit.visualItemRect(item))
            found[name.lower()] = {**found["fruit"], "rect": place, "selected": item.isSelected()}
        found["cell"] = {
            **found["grid"],
            "rect": self.on_screen(grid.viewport(), grid.visualItemRect(grid.item(*CELL))),
        }
        return found

    def facts(self, widget):
        return {
            "rect": self.on_screen(widget, self.hit(widget)) if widget.isVisible() else [0, 0, 0, 0],
            "showing": widget.isVisible(),
            "enabled": widget.isEnabled(),
            "checked": isinstance(widget, widgets.QCheckBox) and widget.isChecked(),
            "selected": False,
            "value": widget.value() if isinstance(widget, widgets.QSlider) else None,
            "text": widget.text() if isinstance(widget, widgets.QLineEdit | widgets.QLabel) else None,
        }

    def hit(self, widget):
        """Where a click does something: a checkbox does not react beside its words."""
        if not isinstance(widget, widgets.QCheckBox):
            return widget.rect()
        option = widgets.QStyleOptionButton()
        widget.initStyleOption(option)
        return widget.style().subElementRect(widgets.QStyle.SE_CheckBoxClickRect, option, widget)

    def on_screen(self, widget, rect):
        """Told in pixels of the screen; those of Qt may be larger."""
        left, top = self.screen_of_x11.origin(int(self.winId()))
        corner = widget.mapTo(self, rect.topLeft())
        edges = (corner.x(), corner.y(), corner.x() + rect.width(), corner.y() + rect.height())
        scale = self.devicePixelRatioF()
        return [start + round(edge * scale) for start, edge in zip((left, top) * 2, edges, strict=True)]


if __name__ == "__main__":
    application = widgets.QApplication(["fixture"])
    application.setApplicationName("fixture")
    fixture = Fixture(Path(sys.argv[2]))
    fixture.show()
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
