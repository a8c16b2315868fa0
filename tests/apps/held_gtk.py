"""Rows of a list that hold a button in their middle, and one that is all button: `held_gtk.py 3|4`.

The title says what was pressed.
"""

import sys

import gi

gi.require_version("Gtk", f"{sys.argv[1]}.0")
from gi.repository import GLib, Gtk  # noqa: E402

IS_NEW = sys.argv[1] == "4"


class Rows:
    def __init__(self):
        self.window = Gtk.Window(title="Pressed:", default_width=400, default_height=200)
        rows = Gtk.ListBox()
        rows.connect("row-activated", lambda _, row: self.tell(f"row{row.get_index()}"))
        for name in ("One", "Two"):
            middle = self.button(f"Erase {name}")
            middle.set_halign(Gtk.Align.CENTER)
            rows.insert(self.row(Gtk.Label(label=name), middle), -1)
        full = self.button("All of it")
        rows.insert(self.row(full), -1)
        self.window.set_child(rows) if IS_NEW else self.window.add(rows)
        self.window.present() if IS_NEW else self.window.show_all()

    def row(self, *parts):
        box = Gtk.Box()
        for each in parts:
            box.append(each) if IS_NEW else box.add(each)
        row = Gtk.ListBoxRow()
        row.set_child(box) if IS_NEW else row.add(box)
        return row

    def button(self, name):
        button = Gtk.Button(label=name, hexpand=True)
        button.connect("clicked", lambda _: self.tell(name.replace(" ", "")))
        return button

    def tell(self, what):
        self.window.set_title(f"{self.window.get_title()} {what}")


rows = Rows()
GLib.MainLoop().run()
