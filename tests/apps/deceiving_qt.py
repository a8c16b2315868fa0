"""The widgets of `deceiving.py` in Qt: `deceiving_qt.py BINDING STATE_FILE [restless]`, PyQt5 or PySide6."""

import importlib
import sys
from pathlib import Path

from deceiving import KINDS, LIES, START, TITLE, Deceiver, quiet

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
gui = importlib.import_module(f"{sys.argv[1]}.QtGui")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")


def still(base):
    """A widget that is drawn the same, whatever it says of itself."""

    class Still(base):
        def paintEvent(self, _):  # noqa: N802 - Qt calls it so
            gui.QPainter(self).fillRect(self.rect(), gui.QColor(200, 200, 230))

    return Still


class Toolkit:
    def __init__(self, path, restless):
        self.widgets = {}
        self.labels = {}
        self.window = widgets.QWidget()
        self.window.setWindowTitle(TITLE)
        grid = widgets.QGridLayout(self.window)
        for row, lie in enumerate(LIES):
            column = 0
            for kind in KINDS:
                for key in (f"{lie} {kind}", f"{lie} {kind} beside"):
                    grid.addWidget(self.make(key, kind), row, column)
                    column += 1
        self.clock, self.bar, self.list = widgets.QLabel(), widgets.QProgressBar(), widgets.QListWidget()
        if restless:
            for column, widget in enumerate((self.clock, self.bar, self.list)):
                grid.addWidget(widget, len(LIES), column)
        self.deceiver = Deceiver(path, self, restless)
        self.window.show()

    def turn(self, clock, share, row):
        self.clock.setText(clock)
        self.bar.setValue(int(share * 100))
        if not row:
            self.list.clear()
        self.list.addItem(f"row {row}")

    def make(self, key, kind):
        veneer = key.startswith("veneer") and not key.endswith("beside")
        if kind == "press" and key.endswith("beside"):
            label = self.labels[key.removesuffix(" beside")] = widgets.QLabel("0 times")
            return label
        if kind == "press":
            widget = widgets.QPushButton(key)
            widget.clicked.connect(lambda: self.deceiver.changed(key, None))
        elif kind == "box":
            widget = (still(widgets.QCheckBox) if veneer else widgets.QCheckBox)(key)
            widget.toggled.connect(lambda checked: self.deceiver.changed(key, checked))
        else:
            widget = (still(widgets.QLineEdit) if veneer else widgets.QLineEdit)(START)
            widget.setAccessibleName(key)
            widget.textChanged.connect(lambda text: self.deceiver.changed(key, text))
        self.widgets[key] = widget
        return widget

    def show(self, key, value):
        if key in self.labels:
            self.labels[key].setText(f"{value} times")
            return
        widget = self.widgets[key]
        if isinstance(widget, widgets.QCheckBox):
            blocker = core.QSignalBlocker(widget)
            widget.setChecked(value)
        else:
            blocker = core.QSignalBlocker(widget)
            widget.setText(value)
        blocker.unblock()

    def tell(self, key, text):
        self.labels[key].setAccessibleName(text)

    def later(self, milliseconds, what):
        core.QTimer.singleShot(milliseconds, what)


if __name__ == "__main__":
    quiet()
    application = widgets.QApplication(sys.argv)
    toolkit = Toolkit(Path(sys.argv[2]), "restless" in sys.argv[3:])
    application.exec_()
