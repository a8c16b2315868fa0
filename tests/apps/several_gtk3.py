"""A list of GTK 3 of which several rows can be selected, and texts that are read: `several_gtk3.py`. The title shows
the selection.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  the version comes first

window = Gtk.Window(title="Several")
window.connect("destroy", Gtk.main_quit)
rows = Gtk.ListStore(str)
for name in ("North", "Northwest", "East", "South"):
    rows.append([name])
view = Gtk.TreeView(model=rows, headers_visible=False)
view.append_column(Gtk.TreeViewColumn("Place", Gtk.CellRendererText(), text=0))
selection = view.get_selection()
selection.set_mode(Gtk.SelectionMode.MULTIPLE)


def show_selection(_):
    model, paths = selection.get_selected_rows()
    window.set_title(f"Several {' '.join(model[path][0] for path in paths)}")


selection.connect("changed", show_selection)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
box.add(view)
total = Gtk.Label(label="400,00 ms")
total.get_accessible().set_name("Total")
word = Gtk.Entry(visibility=False, text="open sesame")
word.get_accessible().set_name("Word")


def show_unit(spin):
    spin.set_text(f"{spin.get_value():.2f}".replace(".", ",") + " ms")
    return True


delay = Gtk.SpinButton.new_with_range(0, 1000, 1)
delay.set_numeric(False)
delay.connect("output", show_unit)
delay.set_value(400)
delay.get_accessible().set_name("Delay")
for widget in (total, word, delay):
    box.add(widget)
window.add(box)
window.show_all()
Gtk.main()
