"""Pages of GTK 4 that were in front and are behind another now, and what only lies over something: `pages_gtk4.py`.

Its title says when it has shown all of them. Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402


def page(name, *widgets):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for widget in (Gtk.Button(label=f"Button {name}"), *widgets):
        box.append(widget)
    return box


def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Turning", default_width=300)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(box)
    stack = Gtk.Stack()
    stack.add_titled(page("front", Gtk.Label(label="Words in front"), Gtk.Entry(text="seen")), "front", "Front")
    stack.add_titled(page("back", Gtk.PasswordEntry(text="xyzzy"), margin(Gtk.Entry(text="unseen"))), "back", "Back")
    book = Gtk.Notebook()
    book.append_page(page("left"), Gtk.Label(label="Left"))
    book.append_page(page("right"), Gtk.Label(label="Right"))
    overlay = Gtk.Overlay(child=page("below"))
    overlay.add_overlay(page("above", Gtk.Label(label="More")))
    locked = Gtk.Overlay(child=page("locked"))
    locked.add_overlay(Gtk.PasswordEntry(text="plugh"))
    off = Gtk.Stack(sensitive=False)
    off.add_named(page("off"), "off")
    for widget in (Gtk.StackSwitcher(stack=stack), stack, book, overlay, locked, off):
        box.append(widget)
    window.present()

    def turn():
        stack.set_visible_child_name("back")
        book.set_current_page(1)
        GLib.timeout_add(300, turn_back)

    def turn_back():
        stack.set_visible_child_name("front")
        book.set_current_page(0)
        window.set_title("Turned")

    GLib.timeout_add(300, turn)


def margin(widget):
    widget.set_margin_top(7)
    return widget


app = Gtk.Application(application_id="org.example.Turning")
app.connect("activate", show)
app.run([])
