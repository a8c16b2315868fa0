"""A pane of GTK 3 with forty numbers, scrolled: `scrolled_gtk3.py FILE`. The file has the numbers after each change."""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def main():
    window, pane, grid = Gtk.Window(title="Scrolled"), Gtk.ScrolledWindow(), Gtk.Grid()
    window.connect("destroy", Gtk.main_quit)
    numbers = [Gtk.SpinButton.new_with_range(0, 100, 1) for _ in range(40)]

    def tell(*_):
        Path(sys.argv[1]).write_text(json.dumps([number.get_value_as_int() for number in numbers]), "utf-8")

    for row, number in enumerate(numbers):
        label = Gtk.Label(label=f"Number {row}", mnemonic_widget=number)
        number.set_value(50)
        number.set_hexpand(True)
        number.connect("value-changed", tell)
        grid.attach(label, 0, row, 1, 1)
        grid.attach(number, 1, row, 1, 1)
    pane.add(grid)
    window.add(pane)
    window.set_default_size(300, 200)
    window.show_all()
    Gtk.main()


main()
