"""A Qt view of very many rows: `rows_qt.py BINDING table|narrow|list|tree|branches STATE_FILE`.

BINDING is PyQt5 or PySide6. A narrow table has its columns in the left quarter of its view.
"""

import importlib
import sys
from pathlib import Path

from rows import BRANCH, COLUMNS, COUNT, LOOK_MS, NAME, TITLE, Truth, text

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

    def number(self, index):
        return index.row() if index.isValid() else -1

    def at(self, number, column):
        return self.index(number, column)


class Branches(core.QAbstractItemModel):
    """Every row knows the number of its branch, from 1; those on top have none."""

    def rowCount(self, parent):  # noqa: N802 - Qt's name
        if not parent.isValid():
            return COUNT // BRANCH
        return 0 if parent.internalId() or parent.column() else BRANCH - 1

    def columnCount(self, parent=None):  # noqa: N802 - Qt's name
        return len(COLUMNS)

    def index(self, row, column, parent):
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index):
        branch = index.internalId()
        return self.createIndex(branch - 1, 0, 0) if branch else core.QModelIndex()

    def data(self, index, role=Qt.DisplayRole):
        return text(self.number(index), index.column()) if role == Qt.DisplayRole else None

    def number(self, index):
        if not index.isValid():
            return -1
        branch = index.internalId()
        return (branch - 1) * BRANCH + index.row() + 1 if branch else index.row() * BRANCH

    def at(self, number, column):
        first, within = divmod(number, BRANCH)
        return self.createIndex(within - 1, column, first + 1) if within else self.createIndex(first, column, 0)


class Fixture:
    def __init__(self, kind, path):
        self.truth = Truth(path, self.look, self.place)
        views = {"table": widgets.QTableView, "narrow": widgets.QTableView, "list": widgets.QListView}
        self.view = views.get(kind, widgets.QTreeView)()
        self.model = Branches() if kind == "branches" else Model(1 if kind == "list" else len(COLUMNS))
        if kind not in views:
            self.view.setUniformRowHeights(True)
        self.view.setModel(self.model)
        if kind == "branches":
            self.view.expandAll()
        if kind == "narrow":
            self.view.horizontalHeader().setDefaultSectionSize(80)
        self.view.setAccessibleName(NAME)
        self.view.pressed.connect(lambda index: self.truth.clicked(self.model.number(index), index.column()))
        self.window = widgets.QMainWindow()
        self.window.setWindowTitle(TITLE)
        self.window.setCentralWidget(self.view)
        self.window.resize(900 if kind == "narrow" else 500, 400)
        self.window.show()
        self.timer = core.QTimer()
        self.timer.timeout.connect(self.truth.write)
        self.timer.start(LOOK_MS)

    def place(self):
        return self.on_screen(self.view.viewport().rect())

    def look(self):
        port = self.view.viewport().rect()
        first = self.model.number(self.view.indexAt(core.QPoint(1, 1)))
        last = self.model.number(self.view.indexAt(core.QPoint(1, port.height() - 1)))
        for row in range(first, (last if last >= 0 else COUNT - 1) + 1):
            for column in range(self.model.columnCount()):
                yield row, column, self.on_screen(self.view.visualRect(self.model.at(row, column)))

    def on_screen(self, rect):
        corner = self.view.viewport().mapToGlobal(rect.topLeft())
        return [corner.x(), corner.y(), corner.x() + rect.width(), corner.y() + rect.height()]


if __name__ == "__main__":
    application = widgets.QApplication(["rows"])
    application.setApplicationName("rows")
    fixture = Fixture(sys.argv[2], Path(sys.argv[3]))
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
