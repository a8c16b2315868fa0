"""What GTK 4 shows in windows of their own: `popups_gtk4.py`. Its title says what was chosen last.

Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk  # noqa: E402


def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Popups", default_width=500, show_menubar=True)
    for name in ("First", "Second", "Inner"):
        action = Gio.SimpleAction.new(name.lower(), None)
        action.connect("activate", lambda *_, name=name: window.set_title(f"Popups {name}"))
        app.add_action(action)
    inner = Gio.Menu()
    inner.append("Inner", "app.inner")
    menu = Gio.Menu()
    menu.append("First", "app.first")
    menu.append("Second", "app.second")
    menu.append_submenu("More", inner)
    bar = Gio.Menu()
    bar.append_submenu("Places", menu)
    app.set_menubar(bar)

    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    colours = Gtk.DropDown.new_from_strings(["Red", "Green", "Blue"])
    colours.connect("notify::selected-item", lambda *_: chosen(colours.get_selected_item().get_string()))
    box.append(colours)
    inside = Gtk.Button(label="Inside")
    inside.connect("clicked", lambda _: chosen("Inside"))
    box.append(Gtk.MenuButton(label="Open", popover=Gtk.Popover(child=inside)))
    window.set_child(box)

    def chosen(name):
        window.set_title(f"Popups {name}")

    window.present()


app = Gtk.Application(application_id="org.example.Popups")
app.connect("activate", show)
app.run([])
