"""A table of GTK 3 with a column of check boxes: `checked_table_gtk3.py`. Run it with the system's Python.

Its title says which are checked, once one was.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

store = Gtk.ListStore(bool, str)
for number, name in enumerate(("Ada", "Bob", "Cleo")):
    store.append([number == 1, name])
view = Gtk.TreeView(model=store)
box = Gtk.CellRendererToggle()
box.connect("toggled", lambda _, path: turn(int(path)))
view.append_column(Gtk.TreeViewColumn("Done", box, active=0))
view.append_column(Gtk.TreeViewColumn("Name", Gtk.CellRendererText(), text=1))


def turn(row):
    store[row][0] = not store[row][0]
    window.set_title("Checked " + " ".join(name for done, name in store if done))


window = Gtk.Window(title="Checked")
window.add(view)
window.show_all()
Gtk.main()
