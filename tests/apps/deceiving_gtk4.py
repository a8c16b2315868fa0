"""The widgets of `deceiving.py` in GTK 4: `deceiving_gtk4.py STATE_FILE [restless]`, by the system's Python.

A checkbox is drawn by a node of its own style, which a style sheet hides; a text's words are as transparent as that.
"""

import sys
from pathlib import Path

import gi
from deceiving import TITLE, quiet
from deceiving_gtk import Widgets

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

STILL = b"""
.veneer, .veneer * { color: transparent; caret-color: transparent; background: #ccd; outline: none;
                     box-shadow: none; border-color: #99a; transition: none; animation: none }
checkbutton.veneer check { opacity: 0 }
.veneer selection { background: transparent; color: transparent }
"""


class Toolkit(Widgets):
    def __init__(self, path, loop, restless):
        super().__init__(Gtk, GLib)
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("close-request", lambda _: loop.quit())
        self.window.set_child(self.grid)
        style = Gtk.CssProvider()
        style.load_from_data(STILL)
        Gtk.StyleContext.add_provider_for_display(
            self.window.get_display(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION
        )
        self.begin(path, restless)
        self.window.present()

    def empty_list(self):
        while first := self.list.get_first_child():
            self.list.remove(first)

    def add_to_list(self, widget):
        self.list.append(widget)

    def call(self, widget, name):
        widget.update_property([Gtk.AccessibleProperty.LABEL], [name])

    def cover(self, widget):
        widget.add_css_class("veneer")


if __name__ == "__main__":
    quiet()
    GLib.set_prgname("deceiver")
    Gtk.init()
    loop = GLib.MainLoop()
    toolkit = Toolkit(Path(sys.argv[1]), loop, "restless" in sys.argv[2:])
    loop.run()
