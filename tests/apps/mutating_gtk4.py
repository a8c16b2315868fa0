"""The controls of `mutating.py` in GTK 4: `mutating_gtk4.py STATE_FILE COMMANDS`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from hearing import hear
from mutating import LOOK_MS, AtOnce, World

gi.require_version("Gtk", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import GdkX11, Gio, GLib, GObject, Gtk  # noqa: E402
from oracle_gtk4 import Screen  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"


class Record(GObject.Object):
    def __init__(self, record, texts):
        super().__init__()
        self.record, self.texts = record, texts


class Toolkit(AtOnce):
    rows_are_rows = True

    def __init__(self, loop):
        self.loop = loop
        self.screen = Screen()

    def window(self, title, parent=None):
        window = Gtk.Dialog(title=title, transient_for=parent) if parent else Gtk.Window(title=title)
        if parent:
            return window, window.get_content_area()
        column = self.box(vertical=True)
        window.set_child(column)
        window.connect("close-request", lambda _: self.loop.quit())
        return window, column

    def shown(self, window):
        window.present()

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
        group.set_child(group.box)
        group.update_property([Gtk.AccessibleProperty.LABEL], [name])
        return group

    def rename_group(self, group, name):
        group.set_label(name)
        group.update_property([Gtk.AccessibleProperty.LABEL], [name])

    def rows(self):
        return Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE)

    def row(self):
        row = Gtk.ListBoxRow()
        row.box = self.box()
        row.set_child(row.box)
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
        if isinstance(container, Gtk.ListBox):
            container.insert(widget, index)
            return
        box = getattr(container, "box", container)
        box.append(widget)
        if index >= 0:
            self.reorder(box, widget, index)

    def reorder(self, box, widget, index):
        others = [child for child in self.children(box) if child is not widget]
        box.reorder_child_after(widget, others[index - 1] if index else None)

    def children(self, box):
        child = box.get_first_child()
        while child:
            yield child
            child = child.get_next_sibling()

    def place(self, grid, widget, row, column):
        if widget.get_parent() is None:
            grid.attach(widget, column, row, 1, 1)
        place = grid.get_layout_manager().get_layout_child(widget)
        place.set_property("column", column)
        place.set_property("row", row)

    def take(self, container, widget):
        getattr(container, "box", container).remove(widget)

    def move(self, container, widget, index):
        if isinstance(container, Gtk.ListBox):
            container.remove(widget)
            container.insert(widget, index)
        else:
            self.reorder(getattr(container, "box", container), widget, index)

    def destroy(self, widget):
        parent = widget.get_parent()
        parent.remove(widget)

    def set_text(self, widget, text):
        widget.set_label(text)

    def set_enabled(self, widget, enabled):
        widget.set_sensitive(enabled)

    def set_visible(self, widget, visible):
        widget.set_visible(visible)

    def rect(self, widget):
        if not widget.get_mapped():
            return [0, 0, 0, 0]
        window = widget.get_native()
        left, top = self.screen.origin(GdkX11.X11Surface.get_xid(window.get_surface()))
        within_x, within_y = window.get_surface_transform()
        _, bounds = widget.compute_bounds(window)
        x, y = left + within_x + bounds.get_x(), top + within_y + bounds.get_y()
        return [round(n) for n in (x, y, x + bounds.get_width(), y + bounds.get_height())]

    def table(self, pressed):
        table = Gtk.ColumnView()
        table.rows = Gio.ListStore(item_type=Record)
        table.set_model(Gtk.NoSelection(model=table.rows))
        table.cells, table.records = {}, []
        for number, name in enumerate(("Name", "State")):
            factory = Gtk.SignalListItemFactory()
            factory.connect("setup", self.set_up, table, number, pressed)
            factory.connect("bind", self.bind, table, number)
            column = Gtk.ColumnViewColumn(title=name, factory=factory)
            column.set_fixed_width(120)
            table.append_column(column)
        table.update_property([Gtk.AccessibleProperty.LABEL], ["People"])
        table.set_size_request(-1, 170)
        return table

    def set_up(self, _, item, table, column, pressed):
        label = Gtk.Label()
        item.set_child(label)
        gesture = Gtk.GestureClick()
        gesture.connect("pressed", lambda *_: pressed(f"{item.get_item().record}.{('name', 'state')[column]}"))
        label.add_controller(gesture)

    def bind(self, _, item, table, column):
        item.get_child().set_label(item.get_item().texts[column])
        table.cells[item.get_item().record, column] = item.get_child()

    def fill(self, table, records):
        if records == table.records:
            return
        table.records = [*records]
        items = [Record(record, (name, "open")) for record, name in records]
        table.rows.splice(0, table.rows.get_n_items(), items)

    def cell(self, table, row, column):
        label = table.cells.get((table.records[row][0], column))
        return self.rect(label) if label is not None else [0, 0, 0, 0]


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gtk.init()
    loop = GLib.MainLoop()
    world = World(Toolkit(loop), Path(sys.argv[1]), VERSION)
    hear(sys.argv[2], world.obey)
    GLib.timeout_add(LOOK_MS, world.write)
    loop.run()
