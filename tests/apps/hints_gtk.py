"""Buttons with a hint in the status bar while the pointer is over them: `hints_gtk.py VERSION STATE_FILE`.

`Count` counts its presses beside it; `Dead` shows nothing. The file has the presses of both as JSON. Run it with the
system's Python.
"""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402

OLD = sys.argv[1] == "3.0"
presses = {"Count": 0, "Dead": 0}


def press(name):
    presses[name] += 1
    Path(sys.argv[2]).write_text(json.dumps(presses), encoding="utf-8")
    counted.set_text(f"{presses['Count']} times")


def hint(button, text):
    enter, leave = (lambda *_: status.set_text(text)), (lambda *_: status.set_text("Ready"))
    if OLD:
        button.connect("enter-notify-event", enter)
        button.connect("leave-notify-event", leave)
        return
    pointer = Gtk.EventControllerMotion()
    pointer.connect("enter", enter)
    pointer.connect("leave", leave)
    button.add_controller(pointer)


Gtk.init([]) if OLD else Gtk.init()
window, box = Gtk.Window(title="Hints"), Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=30)
counted, status = Gtk.Label(label="0 times"), Gtk.Label(label="Ready")
add = box.add if OLD else box.append
for name in presses:
    button = Gtk.Button(label=name)
    button.connect("clicked", lambda _, name=name: press(name))
    hint(button, f"{name}: click to use it")
    add(button)
add(counted)
add(status)
window.set_default_size(300, 250)
if OLD:
    window.add(box)
    window.show_all()
else:
    window.set_child(box)
    window.present()
GLib.MainLoop().run()
