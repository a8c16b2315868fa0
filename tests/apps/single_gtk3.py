"""An application that runs once: started again, it brings its window to the front and ends. `single_gtk3.py`."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  the version comes first


def present(application):
    if not application.get_windows():
        window = Gtk.ApplicationWindow(application=application, title="Notes")
        window.add(Gtk.Button(label="A note"))
        window.show_all()
    application.get_windows()[0].present()


application = Gtk.Application(application_id="org.example.Single")
application.connect("activate", present)
application.run(None)
