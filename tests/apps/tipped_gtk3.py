"""Controls of GTK 3 without words: `tipped_gtk3.py`. Run it with the system's Python.

They have tooltips and a placeholder. With an icon of the theme GTK calls buttons by that.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Tipped")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
for widget in (
    Gtk.Button(child=Gtk.DrawingArea(), tooltip_text="Copy it"),
    Gtk.ToggleButton(child=Gtk.DrawingArea(), tooltip_text="Stay up"),
    Gtk.CheckButton(tooltip_text="Match case"),
    Gtk.Button(label="Plain", tooltip_text="Said elsewhere"),
    Gtk.SpinButton.new_with_range(0, 9, 1),
    Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 9, 1),
    Gtk.DrawingArea(tooltip_text="Red", height_request=20),
    Gtk.Entry(placeholder_text="Replace with"),
):
    if isinstance(widget, Gtk.SpinButton | Gtk.Scale):
        widget.set_tooltip_text("How many" if isinstance(widget, Gtk.SpinButton) else "How loud")
    box.add(widget)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
