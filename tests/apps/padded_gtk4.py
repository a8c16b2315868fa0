"""Small controls of GTK 4, deep in borders and paddings: `padded_gtk4.py FILE`. Run it with the system's Python.

Each says its name in FILE, one line each time that it is pressed.
"""

import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402

SMALL = b".small { padding: 0; border: none; min-width: 16px; min-height: 16px; }"
PAGES = ROWS = 3


class Fixture:
    def __init__(self, path, loop):
        self.path, self.number = path, 0
        style = Gtk.CssProvider()
        style.load_from_data(SMALL)
        priority = Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION
        Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style, priority)
        self.window = Gtk.Window(title="Padded", default_width=700, default_height=600)
        self.window.connect("close-request", lambda _: loop.quit())
        bar = Gtk.HeaderBar()
        bar.pack_start(self.button())
        bar.pack_end(self.button())
        self.window.set_titlebar(bar)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        for part in (self.book(), self.list(), self.bar(), self.styled("card"), self.styled("toolbar"), self.grid()):
            column.append(part)
        self.window.set_child(column)
        self.window.present()

    def named(self, widget, signal):
        self.number += 1
        name = f"small {self.number}"
        widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
        widget.connect(signal, lambda *_: self.pressed(name))
        return widget

    def pressed(self, name):
        with open(self.path, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(f"{name}\n")

    def button(self):
        button = Gtk.Button(icon_name="window-close-symbolic", valign=Gtk.Align.CENTER)
        button.add_css_class("small")
        return self.named(button, "clicked")

    def check(self):
        return self.named(Gtk.CheckButton(halign=Gtk.Align.CENTER), "toggled")

    def row(self, *widgets):
        row = Gtk.Box(spacing=4)
        for widget in widgets:
            row.append(widget)
        return row

    def book(self):
        book = Gtk.Notebook()
        for number in range(PAGES):
            tab = self.row(Gtk.Label(label=f"Page {number}"), self.button(), self.button())
            book.append_page(Gtk.Label(label="Nothing"), tab)
        return book

    def list(self):
        rows = Gtk.ListBox()
        rows.add_css_class("rich-list")
        for number in range(ROWS):
            words = Gtk.Label(label=f"Row {number}", hexpand=True, xalign=0)
            rows.append(self.row(words, self.check(), self.button()))
        return Gtk.Frame(child=rows)

    def bar(self):
        bar = Gtk.ActionBar()
        bar.pack_start(self.button())
        bar.pack_end(self.check())
        return bar

    def styled(self, style):
        row = self.row(self.button(), self.check())
        row.add_css_class(style)
        return row

    def grid(self):
        items = Gio.ListStore(item_type=Gtk.StringObject)
        for number in range(ROWS):
            items.append(Gtk.StringObject.new(str(number)))
        grid = Gtk.ColumnView(model=Gtk.NoSelection(model=items))
        for make in (self.button, self.check):
            factory = Gtk.SignalListItemFactory()
            factory.connect("setup", lambda _, item, make=make: item.set_child(make()))
            grid.append_column(Gtk.ColumnViewColumn(title="Column", factory=factory, expand=True))
        return grid


if __name__ == "__main__":
    GLib.set_prgname("padded")
    Gtk.init()
    loop = GLib.MainLoop()
    fixture = Fixture(sys.argv[1], loop)
    loop.run()
