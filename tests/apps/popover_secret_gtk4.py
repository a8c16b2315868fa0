"""A small window of GTK 4 with a popover that is wider than it, with a password at its right: `popover_secret_gtk4.py`.

Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402
from oracle import MARK, SECRET  # noqa: E402


def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Small")
    secret = Gtk.PasswordEntry(text=SECRET, width_request=300, xalign=1.0)
    colour = Gtk.CssProvider()
    colour.load_from_data(f"entry {{ color: {MARK}; }}".encode())
    secret.get_style_context().add_provider(colour, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    popover = Gtk.Popover(child=secret, autohide=False)
    window.set_child(Gtk.MenuButton(label="Open", popover=popover))
    window.present()


app = Gtk.Application(application_id="org.example.Small")
app.connect("activate", show)
app.run([])
