"""The everyday form in Qt widgets: `everyday_qt.py BINDING STATE_FILE`, BINDING being PyQt5 or PySide6."""

import importlib
import sys
from pathlib import Path

from everyday import FRUIT, LOOK_MS, SIZES, TITLE, State

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
gui = importlib.import_module(f"{sys.argv[1]}.QtGui")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")


class Form(widgets.QMainWindow):
    def __init__(self, path):
        super().__init__()
        self.state = State(path, self.look)
        self.dialog = None
        self.setWindowTitle(TITLE)
        inside = widgets.QWidget()
        self.form = widgets.QFormLayout(inside)
        self.setCentralWidget(inside)
        self.add_menu()
        self.add_buttons()
        self.add_texts()
        self.add_choices()
        self.timer = core.QTimer(self)
        self.timer.timeout.connect(self.state.write)
        self.timer.start(LOOK_MS)

    def row(self, *parts):
        row = widgets.QHBoxLayout()
        for part in parts:
            row.addWidget(part)
        self.form.addRow(row)

    def labelled(self, text, widget):
        self.form.addRow(text, widget)
        return widget

    def add_menu(self):
        self.menu = self.menuBar().addMenu("File")
        self.menu.addAction("Count up").triggered.connect(lambda: self.press("counted"))
        self.wrap = self.menu.addAction("Wrap lines")
        self.wrap.setCheckable(True)
        self.menu.addAction("Ask").triggered.connect(self.ask)

    def add_buttons(self):
        press, silent = widgets.QPushButton("Press me"), widgets.QPushButton("Silent")
        press.clicked.connect(lambda: self.press("pressed"))
        silent.clicked.connect(lambda: self.state.count("silent"))
        self.mark = widgets.QPushButton("Mark")
        self.mark.setCheckable(True)
        pick, self.picked = widgets.QPushButton("Pick"), ""
        pick.clicked.connect(self.pick)
        self.result = widgets.QLabel("none")
        self.agree = widgets.QCheckBox("Agree")
        self.small, self.large = widgets.QRadioButton("Small"), widgets.QRadioButton("Large")
        self.row(press, silent, self.mark, pick, self.result)
        self.row(self.agree, self.small, self.large)

    def press(self, key):
        self.state.count(key)
        self.result.setText(f"{key} {self.state.counts[key]}")

    def add_texts(self):
        self.name = self.labelled("Name", widgets.QLineEdit("Ada"))
        self.notes = self.labelled("Notes", widgets.QPlainTextEdit())
        self.notes.setFixedHeight(60)
        self.secret = self.labelled("Secret", widgets.QLineEdit("xyzzy"))
        self.secret.setEchoMode(widgets.QLineEdit.Password)
        self.filter = widgets.QLineEdit()
        self.filter.setAccessibleName("Filter")
        self.addToolBar("Tools").addWidget(self.filter)
        self.filter.textChanged.connect(self.show_matching)

    def add_choices(self):
        self.fruit = widgets.QListWidget()
        self.fruit.setAccessibleName("Fruit")
        self.fruit.addItems(FRUIT)
        self.fruit.setSelectionMode(widgets.QAbstractItemView.ExtendedSelection)
        self.fruit.setFixedHeight(100)
        self.form.addRow(self.fruit)
        self.size_box = self.labelled("Size", widgets.QComboBox())
        self.size_box.addItems(SIZES)
        self.number = self.labelled("Count", widgets.QSpinBox())
        self.volume = self.labelled("Volume", widgets.QSlider(core.Qt.Horizontal))
        self.tabs = widgets.QTabWidget()
        for name in ("One", "Two"):
            self.tabs.addTab(widgets.QLabel(f"Page {name}"), name)
        self.form.addRow(self.tabs)

    def show_matching(self, text):
        for item in self.items():
            item.setHidden(text not in item.text())

    def items(self):
        return [self.fruit.item(index) for index in range(len(FRUIT))]

    def ask(self):
        self.dialog = widgets.QDialog(self)
        self.dialog.setWindowTitle("Question")
        form = widgets.QFormLayout(self.dialog)
        self.answer = widgets.QLineEdit()
        form.addRow("Answer", self.answer)
        take = widgets.QPushButton("Take")
        take.clicked.connect(self.dialog.accept)
        form.addRow(take)
        self.dialog.accepted.connect(lambda: self.press("asked"))
        self.dialog.finished.connect(lambda _: setattr(self, "dialog", None))
        self.dialog.open()

    def pick(self):
        dialog = widgets.QFileDialog(self, "Pick a file")
        dialog.setOption(widgets.QFileDialog.DontUseNativeDialog)
        dialog.fileSelected.connect(lambda path: setattr(self, "picked", Path(path).name))
        dialog.open()

    def caret(self):
        if self.name.hasSelectedText():
            start = self.name.selectionStart()
            return [start, start + len(self.name.selectedText())]
        return [self.name.cursorPosition()] * 2

    def look(self):
        return {
            "mark": self.mark.isChecked(),
            "agree": self.agree.isChecked(),
            "radio": [box.text() for box in (self.small, self.large) if box.isChecked()],
            "name": self.name.text(),
            "caret": self.caret(),
            "notes": self.notes.toPlainText(),
            "notes_selected": self.notes.textCursor().hasSelection(),
            "secret": self.secret.text(),
            "filter": self.filter.text(),
            "shown": [item.text() for item in self.items() if not item.isHidden()],
            "fruit": [item.text() for item in self.items() if item.isSelected()],
            "size": self.size_box.currentText(),
            "count": self.number.value(),
            "volume": self.volume.value(),
            "tab": ("One", "Two")[self.tabs.currentIndex()],
            "menu": self.menu.isVisible(),
            "wrap": self.wrap.isChecked(),
            "dialog": self.dialog is not None,
            "answer": self.answer.text() if self.dialog else "",
            "focus": id(self.focusWidget()),
            "picked": self.picked,
        }


if __name__ == "__main__":
    application = widgets.QApplication(["everyday"])
    application.setApplicationName("everyday")
    form = Form(Path(sys.argv[2]))
    form.show()
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
