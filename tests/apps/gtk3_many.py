"""A GTK 3 window with as many controls as the first argument says; runs on the system Python."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - the version is chosen first

MAKERS = (
    lambda n: Gtk.Button(label=f"Button {n}"),
    lambda n: Gtk.CheckButton(label=f"Check {n}"),
    lambda n: Gtk.Entry(text=f"entry {n}"),
    lambda n: Gtk.Label(label=f"Label {n}"),
    lambda n: Gtk.SpinButton(adjustment=Gtk.Adjustment(n % 100, 0, 1000, 1)),
)


def main(count: int) -> None:
    window = Gtk.Window(title=f"{count} controls")
    grid = Gtk.Grid(column_spacing=2, row_spacing=0)
    for number in range(count):
        grid.attach(MAKERS[number % len(MAKERS)](number), number % 20, number // 20, 1, 1)
    window.add(grid)
    window.connect("destroy", Gtk.main_quit)
    window.maximize()
    window.show_all()
    Gtk.main()


main(int(sys.argv[1]))
