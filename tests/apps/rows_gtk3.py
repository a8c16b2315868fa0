"""A GTK 3 tree view of very many rows: `rows_gtk3.py STATE_FILE`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from rows import COLUMNS, COUNT, LOOK_MS, NAME, TITLE, Truth, text

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


class Fixture:
    def __init__(self, path):
        self.truth = Truth(path, self.look, self.place)
        store = Gtk.ListStore(*(str for _ in COLUMNS))
        for row in range(COUNT):
            store.append([text(row, column) for column in range(len(COLUMNS))])
        self.rows = Gtk.TreeView(model=store)
        for number, title in enumerate(COLUMNS):
            self.rows.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=number))
        self.rows.get_accessible().set_name(NAME)
        self.rows.connect("button-press-event", self.pressed)
        scrolled = Gtk.ScrolledWindow()
        scrolled.add(self.rows)
        window = Gtk.Window(title=TITLE, default_width=500, default_height=400)
        window.add(scrolled)
        window.connect("destroy", Gtk.main_quit)
        window.show_all()
        GLib.timeout_add(LOOK_MS, self.truth.write)

    def pressed(self, rows, event):
        where = rows.get_path_at_pos(int(event.x), int(event.y))
        if where:
            self.truth.clicked(where[0].get_indices()[0], rows.get_columns().index(where[1]))

    def place(self):
        window = self.rows.get_bin_window()
        _, left, top = window.get_origin()
        area = self.rows.get_visible_rect()
        x, y = self.rows.convert_tree_to_bin_window_coords(area.x, area.y)
        return [left + x, top + y, left + x + area.width, top + y + area.height]

    def look(self):
        shown = self.rows.get_visible_range()
        if not shown:
            return
        _, left, top = self.rows.get_bin_window().get_origin()
        first, last = (path.get_indices()[0] for path in shown)
        for row in range(first, last + 1):
            for number, column in enumerate(self.rows.get_columns()):
                area = self.rows.get_background_area(Gtk.TreePath.new_from_indices([row]), column)
                yield (
                    row,
                    number,
                    [left + area.x, top + area.y, left + area.x + area.width, top + area.y + area.height],
                )


if __name__ == "__main__":
    GLib.set_prgname("rows")
    fixture = Fixture(Path(sys.argv[1]))
    Gtk.main()
