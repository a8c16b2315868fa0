"""The controls of `oracle.py` in GTK 3: `oracle_gtk3.py STATE_FILE`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from oracle import CELL, CELLS, CONTAINERS, FRUIT, LOOK_MS, MARK, SECRET, TITLE, WORDS, Oracle
from screen import Screen

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import Gdk, GdkX11, GLib, Gtk  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"


class Fixture:
    def __init__(self, path):
        self.oracle = Oracle(path, VERSION, self.look)
        self.screen = Screen()
        self.gestures = []
        self.widgets = {}
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.add(self.box)
        self.add_plain_controls()
        self.add_fruit()
        self.add_grid()
        self.window.show_all()
        self.widgets["hidden"].hide()
        GLib.timeout_add(LOOK_MS, self.oracle.write)

    def add(self, key, widget, label=""):
        row = Gtk.Box(spacing=4)
        if label:
            beside = Gtk.Label(label=label)
            beside.set_mnemonic_widget(widget)
            row.pack_start(beside, False, False, 0)
        row.pack_start(widget, True, True, 0)
        self.box.pack_start(row, False, False, 0)
        self.watch(key, widget)
        return widget

    def watch(self, key, widget):
        self.widgets[key] = widget
        if key in CONTAINERS:
            return
        gesture = Gtk.GestureMultiPress(widget=widget, propagation_phase=Gtk.PropagationPhase.CAPTURE)
        gesture.connect("pressed", lambda *_: self.oracle.clicked(key))
        self.gestures.append(gesture)

    def add_plain_controls(self):
        button = self.add("button", Gtk.Button(label=WORDS["button"][1]))
        button.connect("clicked", lambda _: self.oracle.pressed())
        self.add("check", Gtk.CheckButton(label=WORDS["check"][1]))
        self.add("name", Gtk.Entry(text="Ada"), "Name")
        secret = Gtk.Entry(text=SECRET, visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD)
        colour = Gtk.CssProvider()
        colour.load_from_data(f"entry {{ color: {MARK}; }}".encode())
        secret.get_style_context().add_provider(colour, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        self.add("secret", secret, "Secret")
        self.add("words", Gtk.Label(label=WORDS["words"][1]))
        volume = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        volume.set_value(30)
        self.add("volume", volume, "Volume")
        self.add("hidden", Gtk.Button(label=WORDS["hidden"][1]))
        self.add("off", Gtk.Button(label=WORDS["off"][1], sensitive=False))

    def add_fruit(self):
        fruit = Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE)
        fruit.get_accessible().set_name(WORDS["fruit"][1])
        for name in FRUIT:
            row = Gtk.ListBoxRow()
            row.add(Gtk.Label(label=name, xalign=0))
            fruit.add(row)
            self.widgets[name.lower()] = row
        fruit.connect("button-press-event", self.fruit_pressed)
        self.add("fruit", fruit)

    def fruit_pressed(self, fruit, event):
        _, top = event.window.get_position() if event.window != fruit.get_window() else (0, 0)
        row = fruit.get_row_at_y(int(event.y) + top)
        if row:
            self.oracle.clicked(FRUIT[row.get_index()].lower())

    def add_grid(self):
        rows = Gtk.ListStore(str, str, str)
        for row in CELLS:
            rows.append(row)
        grid = Gtk.TreeView(model=rows)
        for number in range(len(CELLS[0])):
            grid.append_column(Gtk.TreeViewColumn(f"Column {number}", Gtk.CellRendererText(), text=number))
        grid.get_accessible().set_name(WORDS["grid"][1])
        grid.connect("button-press-event", self.grid_pressed)
        self.add("grid", grid)

    def grid_pressed(self, grid, event):
        where = grid.get_path_at_pos(int(event.x), int(event.y))
        if where and (where[0].get_indices()[0], grid.get_columns().index(where[1])) == CELL:
            self.oracle.clicked("cell")

    def look(self):
        found = {key: self.facts(widget) for key, widget in self.widgets.items()}
        found["cell"] = {**found["grid"], "rect": self.cell_rect()}
        return found

    def facts(self, widget):
        return {
            "rect": self.rect(widget),
            "showing": widget.get_mapped(),
            "enabled": widget.is_sensitive(),
            "checked": isinstance(widget, Gtk.CheckButton) and widget.get_active(),
            "selected": isinstance(widget, Gtk.ListBoxRow) and widget.is_selected(),
            "value": widget.get_value() if isinstance(widget, Gtk.Scale) else None,
            "text": widget.get_text() if isinstance(widget, Gtk.Entry | Gtk.Label) else None,
        }

    def rect(self, widget):
        if not widget.get_mapped():
            return [0, 0, 0, 0]
        x, y = widget.translate_coordinates(self.window, 0, 0)
        size = widget.get_allocation()
        return self.on_screen(x, y, size.width, size.height)

    def on_screen(self, x, y, width, height):
        """A place in the window, told in pixels of GTK, which may be larger than those of the screen."""
        left, top = self.screen.origin(GdkX11.X11Window.get_xid(self.window.get_window()))
        edges = (x, y, x + width, y + height)
        scale = self.window.get_scale_factor()
        return [corner + edge * scale for corner, edge in zip((left, top) * 2, edges, strict=True)]

    def cell_rect(self):
        grid = self.widgets["grid"]
        if not grid.get_mapped():
            return [0, 0, 0, 0]
        area = grid.get_background_area(Gtk.TreePath.new_from_indices([CELL[0]]), grid.get_column(CELL[1]))
        x, y = grid.translate_coordinates(self.window, *grid.convert_bin_window_to_widget_coords(area.x, area.y))
        return self.on_screen(x, y, area.width, area.height)


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gdk.set_program_class("Fixture")
    fixture = Fixture(Path(sys.argv[1]))
    Gtk.main()
