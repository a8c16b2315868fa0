"""A field of numbers: `numbers_gtk.py VERSION`. The title says the number that the program has.

Run it with the system's Python.
"""

import sys

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402


def tell(*_):
    window.set_title(f"Numbers {field.get_value():.0f}")


if sys.argv[1] == "3.0":
    Gtk.init([])
else:
    Gtk.init()
window, box = Gtk.Window(), Gtk.Box()
field, button = Gtk.SpinButton.new_with_range(0, 100, 1), Gtk.Button(label="Next")
field.set_value(5)
field.connect("value-changed", tell)
for each in (button, field):
    box.add(each) if sys.argv[1] == "3.0" else box.append(each)
if sys.argv[1] == "3.0":
    window.add(box)
    window.show_all()
else:
    window.set_child(box)
    window.present()
tell()
GLib.MainLoop().run()
