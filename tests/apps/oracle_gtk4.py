"""The controls of `oracle.py` in GTK 4: `oracle_gtk4.py STATE_FILE`. Run it with the system's Python.

GTK 4 tells nobody where its windows are on the screen; the X server does.
"""

import sys
from pathlib import Path

import gi
from oracle import CELL, CELLS, CONTAINERS, FRUIT, LOOK_MS, MARK, SECRET, TITLE, WORDS, Oracle
from screen import Screen

gi.require_version("Gtk", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import GdkX11, Gio, GLib, GObject, Gtk  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"
TELLS_BORDERS = Gtk.check_version(4, 10, 0) is None
"""Whether GTK tells of a control with its border and padding, as 4.18 does. 4.8 tells of what is inside."""


def cell_of(label):
    """What is told as the cell: the widget around its label, or the place inside that, where the label is."""
    return label.get_parent() if TELLS_BORDERS else label


class Row(GObject.Object):
    def __init__(self, number):
        super().__init__()
        self.number = number


class Fixture:
    def __init__(self, path, loop):
        self.oracle = Oracle(path, VERSION, self.look)
        self.screen = Screen()
        self.widgets = {}
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("close-request", lambda _: loop.quit())
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.set_child(self.box)
        self.add_plain_controls()
        self.add_fruit()
        self.add_grid()
        self.window.present()
        GLib.timeout_add(LOOK_MS, self.oracle.write)

    def add(self, key, widget, label=""):
        row = Gtk.Box(spacing=4)
        if label:
            beside = Gtk.Label(label=label)
            beside.set_mnemonic_widget(widget)
            row.append(beside)
        widget.set_hexpand(True)
        row.append(widget)
        self.box.append(row)
        self.watch(key, widget)
        return widget

    def watch(self, key, widget):
        self.widgets[key] = widget
        if key in CONTAINERS:
            return
        gesture = Gtk.GestureClick(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        gesture.connect("pressed", lambda *_: self.oracle.clicked(key))
        widget.add_controller(gesture)

    def add_plain_controls(self):
        button = self.add("button", Gtk.Button(label=WORDS["button"][1]))
        button.connect("clicked", lambda _: self.oracle.pressed())
        self.add("check", Gtk.CheckButton(label=WORDS["check"][1]))
        self.add("name", Gtk.Entry(text="Ada"), "Name")
        secret = Gtk.PasswordEntry(text=SECRET)
        colour = Gtk.CssProvider()
        colour.load_from_data(f"entry {{ color: {MARK}; }}".encode())
        secret.get_style_context().add_provider(colour, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        self.add("secret", secret, "Secret")
        self.add("veiled", Gtk.Entry(text=SECRET, visibility=False), "Veiled")
        self.add("words", Gtk.Label(label=WORDS["words"][1]))
        volume = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        volume.set_value(30)
        self.add("volume", volume, "Volume")
        self.add("hidden", Gtk.Button(label=WORDS["hidden"][1], visible=False))
        self.add("off", Gtk.Button(label=WORDS["off"][1], sensitive=False))

    def add_fruit(self):
        fruit = Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE)
        fruit.update_property([Gtk.AccessibleProperty.LABEL], [WORDS["fruit"][1]])
        for name in FRUIT:
            row = Gtk.ListBoxRow(child=Gtk.Label(label=name, xalign=0))
            fruit.append(row)
            self.watch(name.lower(), row)
        self.add("fruit", fruit)

    def add_grid(self):
        rows = Gio.ListStore(item_type=Row)
        for number in range(len(CELLS)):
            rows.append(Row(number))
        grid = Gtk.ColumnView(model=Gtk.SingleSelection(model=rows, autoselect=False))
        for number in range(len(CELLS[0])):
            factory = Gtk.SignalListItemFactory()
            factory.connect("setup", lambda _, item: item.set_child(Gtk.Label()))
            factory.connect("bind", self.bind, number)
            grid.append_column(Gtk.ColumnViewColumn(title=f"Column {number}", factory=factory))
        grid.update_property([Gtk.AccessibleProperty.LABEL], [WORDS["grid"][1]])
        self.add("grid", grid)

    def bind(self, _, item, column):
        row = item.get_item().number
        item.get_child().set_label(CELLS[row][column])
        if (row, column) == CELL:
            self.watch("cell", item.get_child())

    def look(self):
        return {key: self.facts(widget) for key, widget in self.widgets.items()}

    def facts(self, widget):
        return {
            "rect": self.rect(cell_of(widget) if widget is self.widgets.get("cell") else widget),
            "showing": widget.get_mapped(),
            "enabled": widget.is_sensitive(),
            "checked": isinstance(widget, Gtk.CheckButton) and widget.get_active(),
            "selected": isinstance(widget, Gtk.ListBoxRow) and widget.is_selected(),
            "value": widget.get_value() if isinstance(widget, Gtk.Scale) else None,
            "text": widget.get_text() if isinstance(widget, Gtk.Entry | Gtk.PasswordEntry | Gtk.Label) else None,
        }

    def rect(self, widget):
        if not widget.get_mapped():
            return [0, 0, 0, 0]
        surface = self.window.get_surface()
        left, top = self.screen.origin(GdkX11.X11Surface.get_xid(surface))
        within_x, within_y = self.window.get_surface_transform()
        _, bounds = widget.compute_bounds(self.window)
        x, y = within_x + bounds.get_x(), within_y + bounds.get_y()
        edges = (x, y, x + bounds.get_width(), y + bounds.get_height())
        scale = surface.get_scale_factor()
        return [corner + round(edge * scale) for corner, edge in zip((left, top) * 2, edges, strict=True)]


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gtk.init()
    loop = GLib.MainLoop()
    fixture = Fixture(Path(sys.argv[1]), loop)
    loop.run()
