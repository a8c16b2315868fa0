"""The fields of `texts.py` in Qt widgets: `typing_qt.py BINDING STATE_FILE`."""

import importlib
import sys
from pathlib import Path

from texts import LABELS, LOOK_MS, TITLE, Texts

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")


class Fixture:
    def __init__(self, path):
        self.window = widgets.QWidget()
        self.window.setWindowTitle(TITLE)
        self.window.resize(600, 300)
        form = widgets.QFormLayout(self.window)
        self.fields = {
            "line": widgets.QLineEdit(),
            "page": widgets.QPlainTextEdit(),
            "secret": widgets.QLineEdit(echoMode=widgets.QLineEdit.EchoMode.Password),
        }
        self.fields["line"].setMaxLength(10_000_000)  # Qt's own limit is 32767
        for key, field in self.fields.items():
            form.addRow(LABELS[key], field)
        self.window.show()
        self.texts = Texts(path, self.look)
        self.timer = core.QTimer(interval=LOOK_MS)
        self.timer.timeout.connect(self.texts.write)
        self.timer.start()

    def look(self):
        return {
            "line": self.fields["line"].text(),
            "page": self.fields["page"].toPlainText(),
            "secret": self.fields["secret"].text(),
            "focus": next((key for key, field in self.fields.items() if field.hasFocus()), ""),
        }


if __name__ == "__main__":
    application = widgets.QApplication(["typing"])
    fixture = Fixture(Path(sys.argv[2]))
    sys.exit(application.exec())
