"""A window that can be another one: `snapshot_gtk3.py '{"save": "Save", "left": 20, "bold": true, "blue": false}'`.

`save` is the label of its button, `left` the button's place, `bold` whether there is a check box, `blue` the colour of
what it draws. Run it with the system's Python.
"""

import json
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

given = {"save": "Save", "left": 20, "bold": True, "blue": False, **json.loads(sys.argv[1])}


def draw(area, context):
    context.set_source_rgb(1, 1, 1)
    context.paint()
    context.set_source_rgb(0, 0, 1) if given["blue"] else context.set_source_rgb(1, 0, 0)
    context.rectangle(20, 20, 120, 80)
    context.fill()


window = Gtk.Window(title="Snapshot")
window.set_default_size(420, 360)
window.connect("destroy", Gtk.main_quit)
place = Gtk.Fixed()
window.add(place)
place.put(Gtk.Button(label=given["save"], width_request=90), given["left"], 20)
if given["bold"]:
    place.put(Gtk.CheckButton(label="Bold", active=True), 20, 70)
label, name = Gtk.Label(label="Name"), Gtk.Entry(text="Ada")
label.set_mnemonic_widget(name)
place.put(label, 180, 76)
place.put(name, 230, 70)
area = Gtk.DrawingArea(width_request=300, height_request=200)
area.connect("draw", draw)
place.put(area, 20, 120)
window.show_all()
Gtk.main()
