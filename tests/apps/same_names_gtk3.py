"""Controls of GTK 3 with equal names: `same_names_gtk3.py`. Run it with the system's Python."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def named_entry(name):
    entry = Gtk.Entry()
    entry.get_accessible().set_name(name)
    return entry


def beside(*widgets):
    row = Gtk.Box(spacing=6)
    for widget in widgets:
        row.add(widget)
    return row


window = Gtk.Window(title="Same names")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
for name in ("Billing", "Shipping"):
    box.add(Gtk.Frame(label=name, child=named_entry("Street")))
for name in ("Home", "Work"):
    box.add(beside(Gtk.Label(label=name), Gtk.Button(label="Choose")))
rows = Gtk.ListBox()
for name in ("Ada", "Bob"):
    rows.add(beside(Gtk.Label(label=name), Gtk.Button(label="Delete")))
box.add(rows)
box.add(beside(Gtk.Button(label="OK"), Gtk.Button(label="OK")))
box.add(Gtk.Button(label="Close"))
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
