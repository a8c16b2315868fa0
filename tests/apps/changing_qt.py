"""The controls of `changing.py` in Qt widgets: `changing_qt.py BINDING STATE_FILE COMMANDS`, PyQt5 or PySide6."""

import importlib
import sys
from pathlib import Path

from changing import TABS, TITLE, WORDS, World, commands

core = importlib.import_module(f"{sys.argv[1]}.QtCore")
gui = importlib.import_module(f"{sys.argv[1]}.QtGui")
widgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
Qt = core.Qt
NAMED_BY_TEXT = ("button", "check", "label")

FORMS = {
    "button": ("checkable", "menu"),
    "entry": ("password", "locked"),
    "label": ("selectable", "linked"),
    "check": ("mixed", "exclusive"),
    "spin": ("locked",),
    "slider": ("upright",),
}


class Toolkit:
    forms = FORMS
    dialogs_are_windows = True

    def __init__(self):
        self.window = widgets.QWidget()
        self.window.setWindowTitle(TITLE)
        self.window.resize(920, 520)
        column = widgets.QVBoxLayout(self.window)
        self.boxes = {name: self.box(widgets.QHBoxLayout) for name in ("first", "second", "inner")}
        self.boxes["long"] = self.box(widgets.QVBoxLayout)
        self.boxes["long"].layout().setSpacing(16)
        column.addWidget(self.boxes["first"])
        column.addWidget(self.boxes["second"])
        self.book = widgets.QTabWidget()
        column.addWidget(self.book, 1)
        self.lists = {"list": widgets.QListWidget(), "grid": widgets.QTableWidget(0, 2)}
        self.lists["grid"].setHorizontalHeaderLabels(["Word", "Done"])
        both = self.box(widgets.QHBoxLayout)
        for which, widget in self.lists.items():
            widget.setAccessibleName(which)
            both.layout().addWidget(widget)
        self.area = widgets.QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setWidget(self.boxes["long"])
        page = self.box(widgets.QVBoxLayout)
        self.more = widgets.QGroupBox("x1 More")
        self.more.setCheckable(True)
        self.more.setChecked(False)
        widgets.QVBoxLayout(self.more).addWidget(self.boxes["inner"])
        self.boxes["inner"].setVisible(False)
        self.more.toggled.connect(self.boxes["inner"].setVisible)
        page.layout().addWidget(self.more)
        for number, body in enumerate((self.area, both, page)):
            self.book.addTab(body, f"{TABS[number]} {WORDS[number]}")
        self.extra = {}
        self.window.show()

    def box(self, layout):
        box = widgets.QWidget()
        lines = layout(box)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(2)
        return box

    def finish(self, done):
        widgets.QApplication.processEvents()
        widgets.QApplication.sendPostedEvents(None, core.QEvent.DeferredDelete)
        done()

    def set_title(self, title):
        self.window.setWindowTitle(title)

    # parts

    def make(self, part):
        match part.kind:
            case "button":
                widget = widgets.QPushButton(part.name)
            case "check":
                widget = widgets.QCheckBox(part.name)
            case "entry":
                widget = widgets.QLineEdit("first")
            case "label":
                widget = widgets.QLabel(part.name)
            case "slider":
                widget = widgets.QSlider(Qt.Horizontal)
                widget.setRange(0, 100)
            case _:
                widget = widgets.QSpinBox()
                widget.setRange(0, 100)
        if part.kind not in NAMED_BY_TEXT:
            widget.setAccessibleName(part.name)
        return widget

    def put(self, box, part, index):
        self.boxes[box].layout().insertWidget(index, part.widget)
        part.widget.setVisible(part.visible)

    def take(self, part):
        part.widget.parent().layout().removeWidget(part.widget)

    def destroy(self, part):
        self.take(part)
        part.widget.hide()
        part.widget.deleteLater()

    def rename(self, part):
        if part.kind not in NAMED_BY_TEXT:
            part.widget.setAccessibleName(part.name)
        elif part.form == "linked":
            part.widget.setText(f'<a href="there">{part.name}</a>')
            part.widget.setAccessibleName(part.name)
        else:
            part.widget.setText(part.name)
            part.widget.setAccessibleName("")

    def set_text(self, part, text):
        part.widget.setText(text)

    def set_value(self, part, number):
        part.widget.setValue(number)

    def set_enabled(self, part):
        part.widget.setEnabled(part.enabled)

    def flip_checked(self, part):
        part.widget.setChecked(not part.widget.isChecked())

    def set_visible(self, part):
        part.widget.setVisible(part.visible)

    def focus(self, part):
        part.widget.setFocus()

    def turn(self, part, was):
        widget, form = part.widget, part.form
        match part.kind:
            case "button":
                widget.setCheckable(form == "checkable")
                widget.setMenu(widgets.QMenu(widget) if form == "menu" else None)
            case "entry":
                widget.setEchoMode(widgets.QLineEdit.Password if form == "password" else widgets.QLineEdit.Normal)
                widget.setReadOnly(form == "locked")
            case "label":
                flags = {"selectable": Qt.TextSelectableByMouse, "linked": Qt.LinksAccessibleByMouse}
                widget.setTextInteractionFlags(flags.get(form, Qt.NoTextInteraction))
                self.rename(part)
            case "check":
                widget.setAutoExclusive(form == "exclusive")
                widget.setTristate(form == "mixed")
                if form == "mixed":
                    widget.setCheckState(Qt.PartiallyChecked)
            case "spin":
                widget.setReadOnly(form == "locked")
            case _:
                widget.setOrientation(Qt.Vertical if form == "upright" else Qt.Horizontal)

    def facts(self, part):
        widget, kind, form = part.widget, part.kind, part.form
        role = {"entry": "textbox", "check": "checkbox", "spin": "spinbutton"}.get(kind, kind)
        role = {"checkable": "checkbox", "exclusive": "radio", "password": "password"}.get(form, role)
        states, value = {"enabled": widget.isEnabled()}, ""
        if kind == "check" and widget.checkState() != Qt.PartiallyChecked:
            states["checked"] = widget.checkState() == Qt.Checked
        if kind == "entry":
            states["editable"] = not widget.isReadOnly()
            value = "" if form == "password" else widget.text()
        if kind in ("slider", "spin"):
            value = str(widget.value())
        if kind in ("entry", "button"):
            states["focused"] = widget.hasFocus()
        return {"role": role, "value": value, "states": states, **self.place(widget)}

    # where things are

    def place(self, widget):
        clips, above = [], widget.parent()
        while above is not None:
            if above is self.area.viewport() or above is self.window:
                clips.append(self.on_screen(above, above.rect()))
            above = above.parent()
        return {"mapped": widget.isVisible(), "rect": self.on_screen(widget, self.hit(widget)), "clips": clips}

    def hit(self, widget):
        """Where a click does something: a checkbox does not react beside its words."""
        if not isinstance(widget, widgets.QCheckBox):
            return widget.rect()
        option = widgets.QStyleOptionButton()
        widget.initStyleOption(option)
        return widget.style().subElementRect(widgets.QStyle.SE_CheckBoxClickRect, option, widget)

    def on_screen(self, widget, rect):
        corner = widget.mapToGlobal(rect.topLeft())
        return [corner.x(), corner.y(), corner.x() + rect.width(), corner.y() + rect.height()]

    # rows

    def insert_row(self, which, index, text):
        if which == "list":
            self.lists["list"].insertItem(index, text)
            return
        self.lists["grid"].insertRow(index)
        self.lists["grid"].setItem(index, 0, widgets.QTableWidgetItem(text))
        self.lists["grid"].setItem(index, 1, widgets.QTableWidgetItem("no"))

    def remove_row(self, which, index):
        if which == "list":
            self.lists["list"].takeItem(index)
        else:
            self.lists["grid"].removeRow(index)

    def item(self, which, index):
        return self.lists["list"].item(index) if which == "list" else self.lists["grid"].item(index, 0)

    def set_row(self, which, index, text):
        self.item(which, index).setText(text)

    def order_rows(self, which, order):
        texts = [self.item(which, index).text() for index in order]
        for index, text in enumerate(texts):
            self.set_row(which, index, text)

    def select_row(self, which, index):
        self.lists[which].setCurrentItem(self.item(which, index))

    def flip_row(self, index):
        done = self.lists["grid"].item(index, 1)
        done.setText("yes" if done.text() == "no" else "no")

    def row_facts(self, which, index):
        box, item = self.lists[which], self.item(which, index)
        view = box.viewport()
        return {
            "role": "listitem" if which == "list" else "cell",
            "value": "",
            "states": {"selected": item.isSelected()},
            "mapped": box.isVisible(),
            "rect": self.on_screen(view, box.visualItemRect(item)),
            "clips": [self.on_screen(view, view.rect())],
        }

    # containers

    def choose_tab(self, number):
        self.book.setCurrentIndex(number)

    def tab_facts(self, number):
        bar = self.book.tabBar()
        tells = not core.qVersion().startswith("5.")  # Qt 5 never says which one is selected
        return {
            "role": "tab",
            "value": "",
            "states": {"selected": self.book.currentIndex() == number} if tells else {},
            "mapped": True,
            "rect": self.on_screen(bar, bar.tabRect(number)),
            "clips": [],
        }

    def expand(self, expanded):
        self.more.setChecked(expanded)

    def expander_facts(self):
        return {
            "role": "checkbox",
            "value": "",
            "states": {"checked": self.more.isChecked()},
            **self.place(self.more),
        }

    def open(self, which, names):
        """A menu that Qt pops up with no button or bar to it stands in nobody's tree; here it is a panel on top."""
        parts = [widgets.QPushButton(name) for name in names]
        if which == "popup":
            top = widgets.QFrame(self.window)
            top.setAutoFillBackground(True)
            top.move(300, 200)
        else:
            top = widgets.QDialog(self.window)
            top.setWindowTitle("Question")
            top.move(self.window.x() + 300, self.window.y() + 300)
        widgets.QVBoxLayout(top)
        for part in parts:
            part.setAutoDefault(False)
            top.layout().addWidget(part)
        top.show()
        self.extra[which] = (top, parts)

    def close(self, which):
        top, _ = self.extra.pop(which)
        top.close()
        top.deleteLater()

    def extra_facts(self, which, number):
        _, parts = self.extra[which]
        return {"role": "button", "value": "", "states": {"enabled": True}, **self.place(parts[number])}

    # the window

    def scroll_to(self, which, share):
        bar = (self.area if which == "long" else self.lists[which]).verticalScrollBar()
        bar.setValue(int(share * bar.maximum()))

    def resize(self, width, height):
        self.window.resize(width, height)

    def shift(self, left, top):
        self.window.move(left, top)


if __name__ == "__main__":
    application = widgets.QApplication(["fixture"])
    application.setApplicationName("fixture")
    pipe, lines = commands(sys.argv[3])
    world = World(Toolkit(), Path(sys.argv[2]), core.qVersion())
    notifier = core.QSocketNotifier(pipe, core.QSocketNotifier.Read)
    notifier.activated.connect(lambda *_: world.obey(lines.readline()))
    sys.exit(application.exec() if hasattr(application, "exec") else application.exec_())
