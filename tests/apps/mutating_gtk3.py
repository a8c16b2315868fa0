"""The controls of `mutating.py` in GTK 3: `mutating_gtk3.py STATE_FILE COMMANDS`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from gtk3_place import place_of
from hearing import hear
from mutating import LOOK_MS, AtOnce, World

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"


class Toolkit(AtOnce):
    rows_are_rows = True

    def window(self, title, parent=None):
        window = Gtk.Dialog(title=title, transient_for=parent) if parent else Gtk.Window(title=title)
        if parent:
            column = window.get_content_area()
        else:
            column = self.box(vertical=True)
            window.add(column)
            window.connect("destroy", lambda _: Gtk.main_quit())
        return window, column

    def shown(self, window):
        window.show_all()

    def close(self, window):
        window.destroy()

    def set_title(self, window, title):
        window.set_title(title)

    def box(self, vertical=False):
        kind = Gtk.Orientation.VERTICAL if vertical else Gtk.Orientation.HORIZONTAL
        return Gtk.Box(orientation=kind, spacing=2)

    def group(self, name):
        group = Gtk.Frame(label=name)
        group.box = self.box()
        group.add(group.box)
        return group

    def rename_group(self, group, name):
        group.set_label(name)

    def rows(self):
        return Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE)

    def row(self):
        row = Gtk.ListBoxRow()
        row.box = self.box()
        row.add(row.box)
        return row

    def grid(self):
        return Gtk.Grid(row_spacing=2, column_spacing=2)

    def button(self, text, pressed):
        button = Gtk.Button(label=text)
        button.connect("clicked", lambda _: pressed())
        return button

    def label(self, text):
        return Gtk.Label(label=text)

    def add(self, container, widget, index=-1):
        widget.show_all()
        if isinstance(container, Gtk.ListBox):
            container.insert(widget, index)
            return
        box = getattr(container, "box", container)
        box.pack_start(widget, False, False, 0)
        box.reorder_child(widget, index)

    def place(self, grid, widget, row, column):
        widget.show_all()
        if widget.get_parent() is None:
            grid.attach(widget, column, row, 1, 1)
        grid.child_set_property(widget, "left-attach", column)
        grid.child_set_property(widget, "top-attach", row)

    def take(self, container, widget):
        getattr(container, "box", container).remove(widget)

    def move(self, container, widget, index):
        if isinstance(container, Gtk.ListBox):
            container.remove(widget)
            container.insert(widget, index)
        else:
            getattr(container, "box", container).reorder_child(widget, index)

    def destroy(self, widget):
        widget.destroy()

    def set_text(self, widget, text):
        widget.set_label(text)

    def set_enabled(self, widget, enabled):
        widget.set_sensitive(enabled)

    def set_visible(self, widget, visible):
        widget.set_visible(visible)

    def rect(self, widget):
        return place_of(widget)

    def table(self, pressed):
        table = Gtk.TreeView(model=Gtk.ListStore(str, str, str))
        for number, name in enumerate(("Name", "State")):
            table.append_column(Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=number))
        table.get_accessible().set_name("People")

        def press(_, event):
            where = table.get_path_at_pos(int(event.x), int(event.y))
            if where:
                record = table.get_model()[where[0]][2]
                pressed(f"{record}.{('name', 'state')[table.get_columns().index(where[1])]}")

        table.connect("button-press-event", press)
        return table

    def fill(self, table, records):
        model = table.get_model()
        while len(model) > len(records):
            model.remove(model.get_iter(len(model) - 1))
        for number, (record, name) in enumerate(records):
            values = [name, "open", record]
            if number < len(model):
                model.set(model.get_iter(number), [0, 1, 2], values)
            else:
                model.append(values)

    def cell(self, table, row, column):
        if not table.get_mapped():
            return [0, 0, 0, 0]
        _, left, top = table.get_bin_window().get_origin()
        area = table.get_background_area(Gtk.TreePath.new_from_indices([row]), table.get_column(column))
        return [left + area.x, top + area.y, left + area.x + area.width, top + area.y + area.height]


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gdk.set_program_class("Fixture")
    Gtk.init([])
    world = World(Toolkit(), Path(sys.argv[1]), VERSION)
    hear(sys.argv[2], world.obey)
    GLib.timeout_add(LOOK_MS, world.write)
    Gtk.main()
