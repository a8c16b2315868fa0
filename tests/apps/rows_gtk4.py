"""A GTK 4 view of very many rows: `rows_gtk4.py columns|list STATE_FILE`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from oracle_gtk4 import Row, Screen, cell_of
from rows import COLUMNS, COUNT, LOOK_MS, NAME, TITLE, Truth, text

gi.require_version("Gtk", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import GdkX11, Gio, GLib, Gtk  # noqa: E402


class Fixture:
    def __init__(self, kind, path, loop):
        self.truth = Truth(path, self.look, self.place)
        self.screen = Screen()
        self.bound = {}
        store = Gio.ListStore(item_type=Row)
        store.splice(0, 0, [Row(row) for row in range(COUNT)])
        model = Gtk.SingleSelection(model=store, autoselect=False)
        self.rows = Gtk.ColumnView(model=model) if kind == "columns" else Gtk.ListView(model=model)
        if kind == "columns":
            for number, title in enumerate(COLUMNS):
                self.rows.append_column(Gtk.ColumnViewColumn(title=title, factory=self.factory(number), expand=True))
        else:
            self.rows.set_factory(self.factory(0))
        self.rows.update_property([Gtk.AccessibleProperty.LABEL], [NAME])
        self.window = Gtk.Window(title=TITLE, default_width=500, default_height=400)
        self.window.set_child(Gtk.ScrolledWindow(child=self.rows))
        self.window.connect("close-request", lambda _: loop.quit())
        self.window.present()
        GLib.timeout_add(LOOK_MS, self.truth.write)

    def factory(self, column):
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", self.set_up, column)
        factory.connect("bind", self.bind, column)
        factory.connect("unbind", lambda _, item: self.bound.pop(item.get_child(), None))
        return factory

    def set_up(self, _, item, column):
        label = Gtk.Label(xalign=0)
        item.set_child(label)
        gesture = Gtk.GestureClick(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        gesture.connect("pressed", lambda *_: self.truth.clicked(self.bound[label], column))
        label.add_controller(gesture)
        label.column = column

    def bind(self, _, item, column):
        row = item.get_item().number
        item.get_child().set_label(text(row, column))
        self.bound[item.get_child()] = row

    def place(self):
        """What of the view can be seen, without the header."""
        body = self.rows.get_last_child() if isinstance(self.rows, Gtk.ColumnView) else self.rows
        return self.rect(body)

    def look(self):
        for label, row in list(self.bound.items()):
            if label.get_mapped():
                yield row, label.column, self.rect(cell_of(label))

    def rect(self, widget):
        left, top = self.screen.origin(GdkX11.X11Surface.get_xid(self.window.get_surface()))
        within_x, within_y = self.window.get_surface_transform()
        _, bounds = widget.compute_bounds(self.window)
        x, y = left + within_x + bounds.get_x(), top + within_y + bounds.get_y()
        return [round(n) for n in (x, y, x + bounds.get_width(), y + bounds.get_height())]


if __name__ == "__main__":
    GLib.set_prgname("rows")
    Gtk.init()
    loop = GLib.MainLoop()
    fixture = Fixture(sys.argv[1], Path(sys.argv[2]), loop)
    loop.run()
