"""The controls of `mutating.py` in Qt widgets: `mutating_qt.py BINDING STATE_FILE COMMANDS`."""

import importlib
import os
import sys
from pathlib import Path

from mutating import LOOK_MS, AtOnce, World

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")


class Toolkit(AtOnce):
    rows_are_rows = False

    def window(self, title, parent=None):
        window = widgets.QDialog(parent) if parent else widgets.QWidget()
        window.setWindowTitle(title)
        column = widgets.QWidget(window)
        widgets.QVBoxLayout(column).setContentsMargins(2, 2, 2, 2)
        widgets.QVBoxLayout(window).addWidget(column)
        if parent:
            window.move(parent.x() + 300, parent.y() + 300)
        return window, column

    def shown(self, window):
        window.show()

    def close(self, window):
        window.close()
        window.deleteLater()

    def set_title(self, window, title):
        window.setWindowTitle(title)

    def box(self, vertical=False):
        box = widgets.QWidget()
        layout = (widgets.QVBoxLayout if vertical else widgets.QHBoxLayout)(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        return box

    def group(self, name):
        group = widgets.QGroupBox(name)
        widgets.QHBoxLayout(group)
        return group

    def rename_group(self, group, name):
        group.setTitle(name)

    def rows(self):
        return self.box(vertical=True)

    def row(self):
        return self.box()

    def grid(self):
        grid = widgets.QWidget()
        widgets.QGridLayout(grid).setSpacing(2)
        return grid

    def button(self, text, pressed):
        button = widgets.QPushButton(text)
        button.clicked.connect(lambda *_: pressed())
        return button

    def label(self, text):
        return widgets.QLabel(text)

    def add(self, container, widget, index=-1):
        container.layout().insertWidget(index, widget)

    def place(self, grid, widget, row, column):
        grid.layout().removeWidget(widget)
        grid.layout().addWidget(widget, row, column)

    def take(self, container, widget):
        container.layout().removeWidget(widget)

    def move(self, container, widget, index):
        self.take(container, widget)
        self.add(container, widget, index)

    def destroy(self, widget):
        widget.hide()
        widget.setParent(None)
        widget.deleteLater()

    def set_text(self, widget, text):
        widget.setText(text)

    def set_enabled(self, widget, enabled):
        widget.setEnabled(enabled)

    def set_visible(self, widget, visible):
        widget.setVisible(visible)

    def rect(self, widget):
        return self.on_screen(widget, widget.rect())

    def table(self, pressed):
        table = widgets.QTableWidget(0, 2)
        table.setAccessibleName("People")
        table.setFixedHeight(160)
        table.setEditTriggers(widgets.QAbstractItemView.NoEditTriggers)
        table.cellClicked.connect(lambda row, column: pressed(f"{table.records[row][0]}.{('name', 'state')[column]}"))
        return table

    def fill(self, table, records):
        table.records = [*records]
        table.setRowCount(len(records))
        for row, (_, name) in enumerate(records):
            for column, text in enumerate((name, "open")):
                if table.item(row, column) is None:
                    table.setItem(row, column, widgets.QTableWidgetItem(text))
                else:
                    table.item(row, column).setText(text)

    def cell(self, table, row, column):
        return self.on_screen(table.viewport(), table.visualItemRect(table.item(row, column)))

    def on_screen(self, widget, rect):
        corner = widget.mapToGlobal(rect.topLeft())
        return [corner.x(), corner.y(), corner.x() + rect.width(), corner.y() + rect.height()]


if __name__ == "__main__":
    application = widgets.QApplication(["fixture"])
    application.setApplicationName("fixture")
    pipe = os.open(sys.argv[3], os.O_RDWR)
    lines = os.fdopen(pipe, "r")
    world = World(Toolkit(), Path(sys.argv[2]), core.qVersion())
    heard = core.QSocketNotifier(pipe, core.QSocketNotifier.Read)
    heard.activated.connect(lambda *_: world.obey(lines.readline()))
    timer = core.QTimer()
    timer.timeout.connect(world.write)
    timer.start(LOOK_MS)
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
