"""A drop-down and a combo box of GTK 4 that can be typed into: `choices_gtk4.py`. Its title says what both show.

Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402


def show(app):
    window = Gtk.ApplicationWindow(application=app)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(column)
    colour = Gtk.DropDown.new_from_strings(["Red", "Green", "Blue", *(f"Shade {number}" for number in range(80))])
    size = Gtk.ComboBoxText.new_with_entry()
    for item in ("10", "12", "14"):
        size.append_text(item)
    size.set_active(0)
    column.append(colour)
    column.append(size)

    def tell(*_):
        window.set_title(f"Choices {colour.get_selected_item().get_string()} {size.get_active_text()}")

    colour.connect("notify::selected-item", tell)
    size.connect("changed", tell)
    tell()
    window.present()


app = Gtk.Application(application_id="org.example.Choices")
app.connect("activate", show)
app.run([])
