"""A GTK 3 tree view of very many rows: `rows_gtk3.py flat|branches STATE_FILE`. Run it with the system's Python.

The one with branches stands on a page of tabs.
"""

import sys
from pathlib import Path

import gi
from rows import BRANCH, COLUMNS, COUNT, LOOK_MS, NAME, TITLE, Truth, text

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def cells(row):
    return [text(row, column) for column in range(len(COLUMNS))]


def flat():
    store = Gtk.ListStore(*(str for _ in COLUMNS))
    for row in range(COUNT):
        store.append(cells(row))
    return store


def branched():
    store = Gtk.TreeStore(*(str for _ in COLUMNS))
    for first in range(0, COUNT, BRANCH):
        above = store.append(None, cells(first))
        for row in range(first + 1, first + BRANCH):
            store.append(above, cells(row))
    return store


def on_a_page(widget):
    book = Gtk.Notebook()
    book.append_page(widget, Gtk.Label(label="All"))
    return book


class Fixture:
    def __init__(self, kind, path):
        self.truth = Truth(path, self.look, self.place)
        self.branch = BRANCH if kind == "branches" else 1
        self.rows = Gtk.TreeView(model=branched() if kind == "branches" else flat())
        self.rows.expand_all()
        for number, title in enumerate(COLUMNS):
            self.rows.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=number))
        self.rows.get_accessible().set_name(NAME)
        self.rows.connect("button-press-event", self.pressed)
        scrolled = Gtk.ScrolledWindow()
        scrolled.add(self.rows)
        window = Gtk.Window(title=TITLE, default_width=500, default_height=400)
        window.add(on_a_page(scrolled) if kind == "branches" else scrolled)
        window.connect("destroy", Gtk.main_quit)
        window.show_all()
        GLib.timeout_add(LOOK_MS, self.truth.write)

    def pressed(self, rows, event):
        where = rows.get_path_at_pos(int(event.x), int(event.y))
        if where:
            self.truth.clicked(self.number(where[0]), rows.get_columns().index(where[1]))

    def number(self, path):
        first, *within = path.get_indices()
        return first * self.branch + (within[0] + 1 if within else 0)

    def path(self, number):
        first, within = divmod(number, self.branch)
        return Gtk.TreePath.new_from_indices([first, within - 1] if within else [first])

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
        first, last = (self.number(path) for path in shown)
        for row in range(first, last + 1):
            for number, column in enumerate(self.rows.get_columns()):
                area = self.rows.get_background_area(self.path(row), column)
                yield (
                    row,
                    number,
                    [left + area.x, top + area.y, left + area.x + area.width, top + area.y + area.height],
                )


if __name__ == "__main__":
    GLib.set_prgname("rows")
    fixture = Fixture(sys.argv[1], Path(sys.argv[2]))
    Gtk.main()
