"""Texts of GTK 4 that are bullets, and some that are hidden by bullets: `starred_gtk4.py`. Run it with the system's
Python.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402


def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Starred")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(box)
    notes = Gtk.TextView(width_request=80, height_request=30)
    notes.get_buffer().set_text("****")
    for name, widget in (
        ("Stars", Gtk.Entry(text="***")),
        ("One", Gtk.SearchEntry(text="*")),
        ("Bullets", Gtk.Entry(text="\u25cf\u25cf")),
        ("Notes", notes),
        ("Number", Gtk.SpinButton.new_with_range(7, 9, 1)),
        ("Secret", Gtk.PasswordEntry(text="***")),
        ("Veiled", Gtk.Entry(text="***", visibility=False)),
    ):
        row = Gtk.Box()
        label = Gtk.Label(label=name)
        label.set_mnemonic_widget(widget)
        row.append(label)
        row.append(widget)
        box.append(row)
    window.present()


app = Gtk.Application(application_id="org.example.Starred")
app.connect("activate", show)
app.run([])
