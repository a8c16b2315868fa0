"""A window of GTK 3 that records every event that it gets: `events_gtk3.py FILE`. Run it with the system's Python.

A line for each event: what it is, the button, key or direction, and the modifiers that were down before it. Motions
are recorded while a button is down, with their place in the window. Above is a button with a tooltip, and one with a
second window over it, of another connection of the same program, which sees nothing but clicks.
"""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

BUTTONS = {1: "left", 2: "middle", 3: "right", 8: "back", 9: "forward"}
PRESSES = {
    Gdk.EventType.BUTTON_PRESS: "down",
    Gdk.EventType._2BUTTON_PRESS: "double",
    Gdk.EventType._3BUTTON_PRESS: "triple",
}
STATES = {
    "ctrl": Gdk.ModifierType.CONTROL_MASK,
    "shift": Gdk.ModifierType.SHIFT_MASK,
    "alt": Gdk.ModifierType.MOD1_MASK,
}
HELD = Gdk.ModifierType.BUTTON1_MASK | Gdk.ModifierType.BUTTON2_MASK | Gdk.ModifierType.BUTTON3_MASK

file = Path(sys.argv[1])
file.write_text("")


def note(*words):
    with file.open("a") as log:
        log.write(" ".join(word for word in words if word) + "\n")


def held(event):
    return "+".join(name for name, mask in STATES.items() if event.state & mask)


def pressed(_, event):
    note(PRESSES[event.type], BUTTONS.get(event.button, str(event.button)), held(event))
    return True


def released(_, event):
    note("up", BUTTONS.get(event.button, str(event.button)), held(event))
    return True


def moved(_, event):
    if event.state & HELD:
        note("move", f"{event.x:.0f},{event.y:.0f}", held(event))
    return True


def turned(_, event):
    note("wheel", event.direction.value_nick, held(event))
    return True


def key(_, event):
    what = "key" if event.type == Gdk.EventType.KEY_PRESS else "release"
    note(what, Gdk.keyval_name(event.keyval), held(event))
    return True


window = Gtk.Window(title="Events", default_width=600, default_height=400)
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
area = Gtk.DrawingArea(can_focus=True, vexpand=True)
mask = Gdk.EventMask
area.add_events(mask.BUTTON_PRESS_MASK | mask.BUTTON_RELEASE_MASK | mask.POINTER_MOTION_MASK | mask.SCROLL_MASK)
for signal, handler in (
    ("button-press-event", pressed),
    ("button-release-event", released),
    ("motion-notify-event", moved),
    ("scroll-event", turned),
):
    area.connect(signal, handler)
window.connect("key-press-event", key)
window.connect("key-release-event", key)
window.connect("destroy", Gtk.main_quit)
column.add(Gtk.Button(label="Tipped", tooltip_text="What it does", can_focus=False))
column.add(area)
window.add(column)
window.show_all()
area.grab_focus()
Gtk.main()
