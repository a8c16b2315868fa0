"""The widgets of `deceiving.py` in GTK 3: `deceiving_gtk3.py STATE_FILE [restless]`, by the system's Python."""

import sys
from pathlib import Path

import gi
from deceiving import TITLE, quiet
from deceiving_gtk import Widgets

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


class Toolkit(Widgets):
    def __init__(self, path, restless):
        super().__init__(Gtk, GLib)
        window = Gtk.Window(title=TITLE)
        window.connect("destroy", Gtk.main_quit)
        window.add(self.grid)
        self.begin(path, restless)
        window.show_all()

    def empty_list(self):
        for child in self.list.get_children():
            self.list.remove(child)

    def add_to_list(self, widget):
        self.list.add(widget)
        self.list.show_all()

    def call(self, widget, name):
        widget.get_accessible().set_name(name)

    def cover(self, widget):
        widget.connect("draw", draw)


def draw(widget, context):
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
