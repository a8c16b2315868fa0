"""Links within labels of GTK 3; what was opened is written to a file. `links_gtk3.py FILE`."""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

FILE = Path(sys.argv[1])
OPENED = []


def opened(_, uri):
    OPENED.append(uri)
    tell()
    return True


def tell():
    whole = FILE.with_suffix(".new")
    whole.write_text(json.dumps({"opened": OPENED}), "utf-8")
    whole.replace(FILE)


def label(markup, **about):
    made = Gtk.Label(**about)
    made.set_markup(markup)
    made.connect("activate-link", opened)
    return made


box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
field = Gtk.Entry()
field.get_accessible().set_name("Field")
box.add(field)
box.add(label('Read <a href="manual">the manual</a> or <a href="terms">terms &amp; rules</a>.'))
box.add(
    label(
        'A text that is so long that its <a href="long">link begins near its end and goes on</a>.',
        wrap=True,
        max_width_chars=40,
        xalign=0,
    )
)
window = Gtk.Window(title="Links")
window.connect("destroy", Gtk.main_quit)
window.add(box)
window.show_all()
field.grab_focus()
tell()
Gtk.main()
