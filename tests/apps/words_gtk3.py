"""The words of `words.py` on a drawing area of GTK 3: `words_gtk3.py STATE_FILE THEME`."""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("PangoCairo", "1.0")
from gi.repository import Gdk, Gtk, PangoCairo  # noqa: E402 - the versions are chosen first
from words import COLOURS, LEFT, SIZE, TITLE, Words  # noqa: E402

words = Words(sys.argv[1])
back, front = COLOURS[sys.argv[2]]


def colour(text):
    rgba = Gdk.RGBA()
    rgba.parse(text)
    return rgba.red, rgba.green, rgba.blue


def draw(area, cairo):
    cairo.set_source_rgb(*colour(back))
    cairo.paint()
    cairo.set_source_rgb(*colour(front))
    words.boxes = {}
    for text, top in words.lines:
        layout = area.create_pango_layout(text)
        cairo.move_to(LEFT, top)
        PangoCairo.show_layout(cairo, layout)
        width, height = layout.get_pixel_size()
        words.boxes[text] = LEFT, top, LEFT + width, top + height
    if words.frame:
        left, top, right, bottom = words.frame
        cairo.set_line_width(1)
        cairo.rectangle(left + 0.5, top + 0.5, right - left, bottom - top)
        cairo.stroke()
    save(area)
    return True


def save(area, *_):
    words.save(area.get_window().get_origin()[1:])


def pressed(area, event):
    if words.click(event.x, event.y):
        area.queue_draw()
    save(area)


window = Gtk.Window(title=TITLE, resizable=False)
area = Gtk.DrawingArea()
area.set_size_request(*SIZE)
area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)
area.connect("draw", draw)
area.connect("button-press-event", pressed)
window.connect("configure-event", lambda *_: save(area))
window.connect("destroy", Gtk.main_quit)
window.add(area)
window.show_all()
Gtk.main()
