"""Two combo boxes of GTK 3, one of which can be typed into: `choices_gtk3.py`. Its title says what both show.

What the first one offers does not fit on the screen. Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window()
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(column)
boxes = [Gtk.ComboBoxText(), Gtk.ComboBoxText.new_with_entry()]
shades = [f"Shade {number}" for number in range(80)]
for box, items in zip(boxes, (("Red", "Green", "Blue", *shades), ("10", "12", "14")), strict=True):
    for item in items:
        box.append_text(item)
    box.set_active(0)
    column.add(box)


def tell(*_):
    window.set_title(f"Choices {' '.join(box.get_active_text() for box in boxes)}")


for box in boxes:
    box.connect("changed", tell)
tell()
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
