"""A GTK 3 window with two squares that are only painted: the accessibility tree has an empty drawing area.

Each click is written to the file of the first argument as one line: which square, and where on the screen. Its button
pushes the squares to the right.
"""

import sys
from pathlib import Path

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402 - the versions are chosen first

SQUARES = {"green": (60, 40, (0.1, 0.6, 0.2)), "blue": (220, 100, (0.1, 0.2, 0.8))}
SIZE = 50


def main(log: str) -> None:
    window = Gtk.Window(title="Drawn")
    area = Gtk.DrawingArea()
    area.set_size_request(360, 220)
    area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)

    pushed = [0]

    def push(_):
        pushed[0] += SIZE
        area.queue_draw()

    def draw(_, cairo):
        cairo.set_source_rgb(1, 1, 1)
        cairo.paint()
        for left, top, colour in SQUARES.values():
            cairo.set_source_rgb(*colour)
            cairo.rectangle(left + pushed[0], top, SIZE, SIZE)
            cairo.fill()
        return True

    def pressed(_, event):
        hit = [n for n, (x, y, _) in SQUARES.items() if x <= event.x - pushed[0] < x + SIZE and y <= event.y < y + SIZE]
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{hit[0] if hit else 'none'} {round(event.x_root)} {round(event.y_root)}\n")

    area.connect("draw", draw)
    area.connect("button-press-event", pressed)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    button = Gtk.Button(label="Push")
    button.connect("clicked", push)
    box.pack_start(button, False, False, 0)
    box.pack_start(area, True, True, 0)
    window.add(box)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


main(sys.argv[1])
