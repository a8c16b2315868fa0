"""Buttons of GTK 4, by what stands on them, and a field: `named_gtk4.py`. Run it with the system's Python.

What has a mnemonic is labelled by its own label, and GTK 4.8 calls it by both.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402


def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Named")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(box)
    boxed = Gtk.Box()
    boxed.append(Gtk.Image(icon_name="edit-copy"))
    boxed.append(Gtk.Label(label="In a box"))
    told = Gtk.Label(label="Press")
    press = Gtk.Button(label="Press")
    told.set_mnemonic_widget(press)
    for widget in (
        Gtk.Button.new_with_mnemonic("_Save"),
        Gtk.Button.new_with_mnemonic("_7 7"),
        Gtk.Button.new_with_mnemonic("a__b"),
        Gtk.Button(label="7", use_underline=True),
        Gtk.Button(label="Plain"),
        Gtk.Button(label="Go Go"),
        Gtk.Button(child=Gtk.Label(label="Child")),
        Gtk.Button(child=boxed),
        Gtk.Button(icon_name="edit-copy", tooltip_text="Copy it"),
        Gtk.ToggleButton(label="_Keep", use_underline=True),
        told,
        press,
        Gtk.Entry(placeholder_text="Replace with"),
        Gtk.Expander(label="More", expanded=True, child=Gtk.Label(label="What it shows")),
    ):
        box.append(widget)
    window.present()


app = Gtk.Application(application_id="org.example.Named")
app.connect("activate", show)
app.run([])
