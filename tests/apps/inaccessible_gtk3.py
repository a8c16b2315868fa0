"""A window with faults of accessibility beside controls without one; `inaccessible_gtk3.py`.

Faults: a button of a picture alone, a field whose label is not related to it, two buttons of one name, and a box that
is a button by its role and offers no action. Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Atk, GdkPixbuf, Gtk  # noqa: E402


def row(*widgets):
    box = Gtk.Box(spacing=6)
    for widget in widgets:
        box.pack_start(widget, False, False, 0)
    content.pack_start(box, False, False, 0)


window = Gtk.Window(title="Inaccessible")
window.set_default_size(420, 300)
window.connect("destroy", Gtk.main_quit)
content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
window.add(content)

bar, menu = Gtk.MenuBar(), Gtk.Menu()
file = Gtk.MenuItem(label="File")
file.set_submenu(menu)
for name in ("Open", "Save", "Save"):
    menu.append(Gtk.MenuItem(label=name))
bar.append(file)
content.pack_start(bar, False, False, 0)

row(Gtk.Button(label="Search"), Gtk.CheckButton(label="Bold"))
name = Gtk.Entry()
row(Gtk.Label(label="_Name", use_underline=True, mnemonic_widget=name), name)
pixels = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, False, 8, 16, 16)
pixels.fill(0x204080FF)
picture = Gtk.Button(image=Gtk.Image.new_from_pixbuf(pixels))
row(picture)
row(Gtk.Label(label="Street"), Gtk.Entry())
row(Gtk.Button(label="Delete"), Gtk.Button(label="Delete"))
box = Gtk.EventBox()
box.add(Gtk.Image.new_from_icon_name("list-add", Gtk.IconSize.DND))
accessible = box.get_accessible()
accessible.set_role(Atk.Role.PUSH_BUTTON)
accessible.set_name("Add")
row(box)
window.show_all()
Gtk.main()
