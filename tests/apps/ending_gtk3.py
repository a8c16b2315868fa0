"""A program that ends by its buttons and its list: normally, with an error, by a signal; at once or a moment later."""

import os
import signal

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402  the version comes first


def later(how):
    window.destroy()
    GLib.timeout_add(100, how)


HOW = {
    "Quit": Gtk.main_quit,
    "Fail": lambda: os._exit(3),
    "Crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "Close, then fail": lambda: later(lambda: os._exit(3)),
    "Close, then quit": lambda: later(Gtk.main_quit),
}

window = Gtk.Window(title="Ending")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name, how in HOW.items():
    button = Gtk.Button(label=name)
    button.connect("clicked", lambda _, how=how: how())
    box.add(button)
items = Gtk.ListBox()
for name in ("One", "Two"):
    items.add(Gtk.Label(label=name))
items.connect("row-activated", lambda *_: os._exit(4))
box.add(items)
field = Gtk.Entry()
field.connect("activate", lambda _: os.kill(os.getpid(), signal.SIGABRT))
box.add(field)
window.add(box)
window.show_all()
Gtk.main()
