"""Two buttons of one name; one has an id for assistive programs."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window, box = Gtk.Window(title="Ids"), Gtk.Box()
for name in ("", "store"):
    button = Gtk.Button(label="Save")
    button.get_accessible().set_accessible_id(name)
    box.add(button)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
