"""A dialog of GTK 3 that chooses a folder, with a field of the program's own: `extra_gtk3.py`; its title says which.

Run it with the system's Python.
"""

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


def answered(_, response):
    window.set_title(f"Extra {dialog.get_filename()} {extra.get_text()!r} {response == Gtk.ResponseType.OK}")
    dialog.hide()


dialog.connect("response", answered)
dialog.show()
Gtk.main()
