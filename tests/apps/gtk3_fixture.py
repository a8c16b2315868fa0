"""The fixture application of the conformance suite as a GTK 3 program: `gtk3_fixture.py STATE_FILE`.

It writes what it knows of itself to STATE_FILE (JSON) at the start and after each change; nobody else is asked.
Run it with the system's Python, which has GTK.
"""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

FRUIT = ("Apple", "Pear", "Plum")
PEOPLE = ("Ada", "Bob")


class Fixture:
    def __init__(self, path):
        self.path = path
        self.state = {
            "pressed": 0,
            "checked": False,
            "name": "",
            "secret": "",
            "selected": "",
            "count": 0.0,
            "dialog": False,
            "volatile_pressed": 0,
            "opened": "",
        }
        self.window = Gtk.Window(title="Fixture")
        self.window.set_default_size(520, 620)
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.add(self.box)
        self.add_menu()
        self.add_plain_controls()
        self.add_fruit()
        self.add_grid()
        self.add_count()
        self.add_people()
        self.add_volatile()
        self.window.show_all()
        self.save()

    def say(self, **changes):
        self.state.update(changes)
        self.save()

    def save(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.state), encoding="utf-8")
        temporary.replace(self.path)

    def pack(self, widget):
        self.box.pack_start(widget, False, False, 0)
        return widget

    def labelled(self, text, widget):
        row = Gtk.Box(spacing=4)
        label = Gtk.Label(label=text)
        label.set_mnemonic_widget(widget)
        row.pack_start(label, False, False, 0)
        row.pack_start(widget, True, True, 0)
        self.pack(row)
        return widget

    def add_menu(self):
        bar = Gtk.MenuBar()
        file = Gtk.MenuItem(label="File")
        menu = Gtk.Menu()
        opener = Gtk.MenuItem(label="Open dialog...")
        opener.connect("activate", lambda _: self.open_dialog())
        menu.append(opener)
        file.set_submenu(menu)
        bar.append(file)
        self.pack(bar)

    def open_dialog(self):
        dialog = Gtk.Dialog(title="Question", transient_for=self.window, modal=True)
        dialog.get_content_area().add(Gtk.Label(label="Really?"))
        dialog.add_button("OK", Gtk.ResponseType.OK)
        dialog.connect("response", lambda *_: dialog.destroy())
        dialog.connect("destroy", lambda *_: self.say(dialog=False))
        dialog.show_all()
        self.say(dialog=True)

    def add_plain_controls(self):
        button = self.pack(Gtk.Button(label="Press me"))
        pressed = self.pack(Gtk.Label(label="Pressed 0 times"))

        def press(_):
            self.say(pressed=self.state["pressed"] + 1)
            pressed.set_text(f"Pressed {self.state['pressed']} times")

        button.connect("clicked", press)
        check = self.pack(Gtk.CheckButton(label="Check me"))
        check.connect("toggled", lambda c: self.say(checked=c.get_active()))
        name = self.labelled("Name", Gtk.Entry())
        name.connect("changed", lambda e: self.say(name=e.get_text()))
        secret = self.labelled("Secret", Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD))
        secret.connect("changed", lambda e: self.say(secret=e.get_text()))

    def add_fruit(self):
        fruit = Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE)
        for name in FRUIT:
            fruit.add(Gtk.Label(label=name, xalign=0))
        fruit.get_accessible().set_name("Fruit")
        fruit.connect("selected-rows-changed", self.fruit_selected)
        self.pack(fruit)

    def fruit_selected(self, fruit):
        row = fruit.get_selected_row()
        self.say(selected=FRUIT[row.get_index()] if row else "")

    def add_grid(self):
        rows = Gtk.ListStore(str, str, str)
        for row in range(3):
            rows.append([f"r{row}c{column}" for column in range(3)])
        grid = Gtk.TreeView(model=rows)
        for column in range(3):
            grid.append_column(Gtk.TreeViewColumn(f"Column {column}", Gtk.CellRendererText(), text=column))
        grid.get_accessible().set_name("Grid")
        self.pack(grid)

    def add_people(self):
        self.people = [Gtk.Label(label=name) for name in PEOPLE]
        rows = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE)
        rows.get_accessible().set_name("People")
        for person in self.people:
            row = Gtk.Box(spacing=4)
            row.pack_start(person, False, False, 0)
            button = Gtk.Button(label="Open")
            button.connect("clicked", lambda _, person=person: self.say(opened=person.get_text()))
            row.pack_start(button, False, False, 0)
            rows.add(row)
        self.pack(rows)
        row = self.pack(Gtk.Box(spacing=4))
        for name, shown in (("Turn", PEOPLE[::-1]), ("Scroll", ("Bob", "Eve"))):
            button = Gtk.Button(label=name)
            button.connect("clicked", lambda _, shown=shown: self.show_people(shown))
            row.pack_start(button, False, False, 0)

    def show_people(self, names):
        for person, name in zip(self.people, names, strict=True):
            person.set_text(name)

    def add_count(self):
        count = self.labelled("Count", Gtk.SpinButton.new_with_range(0, 100, 1))
        count.connect("value-changed", lambda s: self.say(count=s.get_value()))

    def add_volatile(self):
        self.pack(Gtk.Button(label="Off", sensitive=False))
        row = self.pack(Gtk.Box(spacing=4))
        for name, number in (("Renew", 1), ("Double", 2), ("Remove", 0)):
            button = Gtk.Button(label=name)
            button.connect("clicked", lambda _, number=number: self.renew(number))
            row.pack_start(button, False, False, 0)
        self.volatile = self.pack(Gtk.Box(spacing=4))
        self.renew(1)

    def renew(self, number):
        for child in self.volatile.get_children():
            child.destroy()
        for _ in range(number):
            button = Gtk.Button(label="Volatile")
            button.connect("clicked", lambda _: self.say(volatile_pressed=self.state["volatile_pressed"] + 1))
            self.volatile.pack_start(button, False, False, 0)
        self.volatile.show_all()


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gdk.set_program_class("Fixture")
    fixture = Fixture(Path(sys.argv[1]))
    Gtk.main()
