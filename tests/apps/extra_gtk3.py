"""A dialog of GTK 3 that chooses a folder, with a field of the program's own: `extra_gtk3.py`; its title says which.

With an argument, the other window takes the keyboard once a key was pressed in it. Run it with the system's Python.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Extra")
window.connect("destroy", Gtk.main_quit)
window.show_all()
dialog = Gtk.FileChooserDialog(title="Into", transient_for=window, action=Gtk.FileChooserAction.SELECT_FOLDER)
dialog.add_buttons("Cancel", Gtk.ResponseType.CANCEL, "Extract", Gtk.ResponseType.OK)
dialog.set_default_response(Gtk.ResponseType.OK)
extra = Gtk.Entry()
dialog.set_extra_widget(extra)
extra.show()
taken = []


def answered(_, response):
    window.set_title(f"Extra {dialog.get_filename()} {extra.get_text()!r} {response == Gtk.ResponseType.OK}")
    dialog.hide()


def pressed(*_):
    if not taken:
        taken.append(True)
        window.present()


dialog.connect("response", answered)
if sys.argv[1:]:
    dialog.connect("key-press-event", pressed)
dialog.show()
Gtk.main()
