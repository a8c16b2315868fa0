"""The widgets of `deceiving.py` in GTK 4: `deceiving_gtk4.py STATE_FILE [restless]`, by the system's Python.

A checkbox is drawn by a node of its own style, which a style sheet hides; a text's words are as transparent as that.
"""

import sys
from pathlib import Path

import gi
from deceiving import KINDS, LIES, LIST_HEIGHT, START, TITLE, Deceiver, quiet

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

STILL = b"""
.veneer, .veneer * { color: transparent; caret-color: transparent; background: #ccd; outline: none;
                     box-shadow: none; border-color: #99a; transition: none; animation: none }
checkbutton.veneer check { opacity: 0 }
.veneer selection { background: transparent; color: transparent }
"""


class Toolkit:
    def __init__(self, path, loop, restless):
        self.widgets = {}
        self.labels = {}
        self.handlers = {}
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("close-request", lambda _: loop.quit())
        grid = Gtk.Grid(column_spacing=8, row_spacing=2)
        self.window.set_child(grid)
        style = Gtk.CssProvider()
        style.load_from_data(STILL)
        Gtk.StyleContext.add_provider_for_display(
            self.window.get_display(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION
        )
        for row, lie in enumerate(LIES):
            self.add_row(grid, row, lie)
        self.clock, self.bar, self.list = Gtk.Label(), Gtk.ProgressBar(), Gtk.ListBox()
        self.list.set_size_request(-1, LIST_HEIGHT)
        if restless:
            for column, widget in enumerate((self.clock, self.bar, self.list)):
                grid.attach(widget, column, len(LIES), 1, 1)
        self.deceiver = Deceiver(path, self, restless)
        self.window.present()

    def turn(self, clock, share, row):
        self.clock.set_text(clock)
        self.bar.set_fraction(share)
        while not row and (first := self.list.get_first_child()):
            self.list.remove(first)
        self.list.append(Gtk.Label(label=f"row {row}"))

    def add_row(self, grid, row, lie):
        column = 0
        for kind in KINDS:
            for key in (f"{lie} {kind}", f"{lie} {kind} beside"):
                widget = self.make(key, kind)
                grid.attach(widget, column, row, 1, 1)
                if lie == "veneer" and key in self.widgets and kind != "press" and not key.endswith("beside"):
                    widget.add_css_class("veneer")
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
            widget.update_property([Gtk.AccessibleProperty.LABEL], [key])
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
        self.labels[key].update_property([Gtk.AccessibleProperty.LABEL], [text])

    def later(self, milliseconds, what):
        GLib.timeout_add(milliseconds, lambda: what() and None)


if __name__ == "__main__":
    quiet()
    GLib.set_prgname("deceiver")
    Gtk.init()
    loop = GLib.MainLoop()
    toolkit = Toolkit(Path(sys.argv[1]), loop, "restless" in sys.argv[2:])
    loop.run()
