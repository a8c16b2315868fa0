"""A Qt view of very many rows: `rows_qt.py BINDING table|list|tree STATE_FILE`, BINDING being PyQt5 or PySide6."""

import importlib
import sys
from pathlib import Path

from rows import COLUMNS, COUNT, LOOK_MS, NAME, TITLE, Truth, text

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
Qt = core.Qt


class Model(core.QAbstractTableModel):
    def __init__(self, columns):
        super().__init__()
        self.columns = columns

    def rowCount(self, parent=None):  # noqa: N802 - Qt's name
        return 0 if parent is not None and parent.isValid() else COUNT

    def columnCount(self, parent=None):  # noqa: N802 - Qt's name
        return 0 if parent is not None and parent.isValid() else self.columns

    def data(self, index, role=Qt.DisplayRole):
        return text(index.row(), index.column()) if role == Qt.DisplayRole else None

    def headerData(self, section, orientation, role=Qt.DisplayRole):  # noqa: N802 - Qt's name
        if role != Qt.DisplayRole:
            return None
        return COLUMNS[section] if orientation == Qt.Horizontal else f"#{section}"


class Fixture:
    def __init__(self, kind, path):
        self.truth = Truth(path, self.look, self.place)
        self.view = {"table": widgets.QTableView, "list": widgets.QListView, "tree": widgets.QTreeView}[kind]()
        self.model = Model(1 if kind == "list" else len(COLUMNS))
        if kind == "tree":
            self.view.setUniformRowHeights(True)
        self.view.setModel(self.model)
        self.view.setAccessibleName(NAME)
        self.view.pressed.connect(lambda index: self.truth.clicked(index.row(), index.column()))
        self.window = widgets.QMainWindow()
        self.window.setWindowTitle(TITLE)
        self.window.setCentralWidget(self.view)
        self.window.resize(500, 400)
        self.window.show()
        self.timer = core.QTimer()
        self.timer.timeout.connect(self.truth.write)
        self.timer.start(LOOK_MS)

    def place(self):
        return self.on_screen(self.view.viewport().rect())

    def look(self):
        port = self.view.viewport().rect()
        first = self.view.indexAt(core.QPoint(1, 1)).row()
        last = self.view.indexAt(core.QPoint(1, port.height() - 1)).row()
        for row in range(first, (last if last >= 0 else COUNT - 1) + 1):
            for column in range(self.model.columnCount()):
                yield row, column, self.on_screen(self.view.visualRect(self.model.index(row, column)))

    def on_screen(self, rect):
        corner = self.view.viewport().mapToGlobal(rect.topLeft())
        return [corner.x(), corner.y(), corner.x() + rect.width(), corner.y() + rect.height()]


if __name__ == "__main__":
    application = widgets.QApplication(["rows"])
    application.setApplicationName("rows")
    fixture = Fixture(sys.argv[2], Path(sys.argv[3]))
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
