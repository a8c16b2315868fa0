"""A tree of GTK 3, of which the title names the row that has the cursor, and colours to choose from, of which it says
that one was chosen, or activated: `cursor_gtk3.py`. Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Cursor", default_width=500, default_height=400)
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(column)
store = Gtk.ListStore(str)
for name in ("Sans", "Sans Bold", "Serif", "Serif Italic"):
    store.append((name,))
view = Gtk.TreeView(model=store)
view.append_column(Gtk.TreeViewColumn("Name", Gtk.CellRendererText(), text=0))
colours = Gtk.ColorChooserWidget()
column.add(view)
column.add(colours)


def tell(view):
    path, _ = view.get_cursor()
    if path is not None:
        window.set_title(f"Cursor {store[path][0]}")


def opens(view, *_):
    """Opens what is selected, whichever row was activated, as a file manager."""
    rows, paths = view.get_selection().get_selected_rows()
    window.set_title(f"Cursor opened {' '.join(rows[path][0] for path in paths)}")


view.connect("cursor-changed", tell)
view.connect("row-activated", opens)
colours.connect("notify::rgba", lambda *_: window.set_title("Cursor another colour"))
colours.connect("color-activated", lambda *_: window.set_title("Cursor activated"))
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
