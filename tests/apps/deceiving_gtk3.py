"""The widgets of `deceiving.py` in GTK 3: `deceiving_gtk3.py STATE_FILE [restless]`, by the system's Python."""

import sys
from pathlib import Path

import gi
from deceiving import KINDS, LIES, LIST_HEIGHT, START, TITLE, Deceiver, quiet

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


class Toolkit:
    def __init__(self, path, restless):
        self.widgets = {}
        self.labels = {}
        self.handlers = {}
        window = Gtk.Window(title=TITLE)
        window.connect("destroy", Gtk.main_quit)
        grid = Gtk.Grid(column_spacing=8, row_spacing=2)
        window.add(grid)
        for row, lie in enumerate(LIES):
            self.add_row(grid, row, lie)
        self.clock, self.bar, self.list = Gtk.Label(), Gtk.ProgressBar(), Gtk.ListBox()
        self.list.set_size_request(-1, LIST_HEIGHT)
        if restless:
            for column, widget in enumerate((self.clock, self.bar, self.list)):
                grid.attach(widget, column, len(LIES), 1, 1)
        self.deceiver = Deceiver(path, self, restless)
        window.show_all()

    def turn(self, clock, share, row):
        self.clock.set_text(clock)
        self.bar.set_fraction(share)
        if not row:
            for child in self.list.get_children():
                self.list.remove(child)
        self.list.add(Gtk.Label(label=f"row {row}"))
        self.list.show_all()

    def add_row(self, grid, row, lie):
        column = 0
        for kind in KINDS:
            for key in (f"{lie} {kind}", f"{lie} {kind} beside"):
                widget = self.make(key, kind)
                grid.attach(widget, column, row, 1, 1)
                if lie == "veneer" and widget is self.widgets.get(key) and kind != "press":
                    widget.connect("draw", self.draw)
                column += 1

    def make(self, key, kind):
        if kind == "press" and key.endswith("beside"):
            label = self.labels[key.removesuffix(" beside")] = Gtk.Label(label="0 times")
            return label
        if kind == "press":
            widget, signal = Gtk.Button(label=key), "clicked"
        elif kind == "box":
            widget, signal = Gtk.CheckButton(label=key), "toggled"
        else:
            widget, signal = Gtk.Entry(text=START, width_chars=12), "changed"
            widget.get_accessible().set_name(key)
        self.widgets[key] = widget
        self.handlers[key] = widget.connect(signal, lambda _: self.deceiver.changed(key, self.shown(key)))
        return widget

    def shown(self, key):
        widget = self.widgets[key]
        if isinstance(widget, Gtk.CheckButton):
            return widget.get_active()
        return widget.get_text() if isinstance(widget, Gtk.Entry) else None

    def show(self, key, value):
        widget = self.widgets[key]
        if key in self.labels:
            self.labels[key].set_text(f"{value} times")
            return
        with widget.handler_block(self.handlers[key]):
            if isinstance(widget, Gtk.CheckButton):
                widget.set_active(value)
            else:
                widget.set_text(value)

    def tell(self, key, text):
        self.labels[key].get_accessible().set_name(text)

    def later(self, milliseconds, what):
        GLib.timeout_add(milliseconds, lambda: what() and None)

    def draw(self, widget, context):
        """The same picture, whatever it says of itself."""
        size = widget.get_allocation()
        context.set_source_rgb(0.8, 0.8, 0.9)
        context.rectangle(1, 1, size.width - 2, size.height - 2)
        context.fill()
        return True


if __name__ == "__main__":
    quiet()
    GLib.set_prgname("deceiver")
    Toolkit(Path(sys.argv[1]), "restless" in sys.argv[2:])
    Gtk.main()
