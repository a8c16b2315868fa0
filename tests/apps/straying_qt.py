"""Controls whose keys end up in other controls, in Qt: `straying_qt.py STATE_FILE BINDING`. Run it with its Python.

The file has the texts of all fields as the program has them.
"""

import importlib
import json
import sys
from pathlib import Path

path, binding = Path(sys.argv[1]), sys.argv[2]
core, widgets = (importlib.import_module(f"{binding}.{name}") for name in ("QtCore", "QtWidgets"))


class Forwarding(widgets.QPushButton):
    """A button that hands typed characters to the field."""

    def keyPressEvent(self, event):  # noqa: N802 - Qt's name
        other.setText(other.text() + event.text().strip())


class Passing(widgets.QLineEdit):
    """A field that gives the keyboard away once it has it."""

    def focusInEvent(self, event):  # noqa: N802 - Qt's name
        core.QTimer.singleShot(0, other.setFocus)


class Sending(widgets.QPlainTextEdit):
    """A text that Enter moves into a list."""

    def keyPressEvent(self, event):  # noqa: N802 - Qt's name
        if event.text() != "\r":
            return super().keyPressEvent(event)
        sent.addItem(self.toPlainText())
        return self.clear()


app = widgets.QApplication(sys.argv)
window = widgets.QWidget()
window.setWindowTitle("Straying")
form = widgets.QFormLayout(window)
other, passing, named, message = widgets.QLineEdit(), Passing(), widgets.QLineEdit(), Sending()
town = widgets.QComboBox()
town.setEditable(True)
town.addItems(["Bonn", "Rome"])
table, sent = widgets.QTableWidget(2, 2), widgets.QListWidget()
for row in range(2):
    for column in range(2):
        table.setItem(row, column, widgets.QTableWidgetItem(f"r{row}c{column}"))
for label, widget in (
    ("Other", other),
    ("Passing", passing),
    ("Named", named),
    ("Message", message),
    ("Town", town),
):
    widget.setAccessibleName(label)
    form.addRow(f"{label}:", widget)
for widget in (Forwarding("Aside"), table, sent):
    form.addRow(widget)


def tell():
    texts = {"other": other.text(), "passing": passing.text(), "named": named.text(), "town": town.currentText()}
    texts["message"] = message.toPlainText()
    texts["cells"] = [table.item(row, column).text() for row in range(2) for column in range(2)]
    texts["sent"] = [sent.item(row).text() for row in range(sent.count())]
    new = path.with_suffix(".new")
    new.write_text(json.dumps(texts), encoding="utf-8")
    new.replace(path)


timer = core.QTimer()
timer.timeout.connect(tell)
timer.start(30)
window.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
