"""A password field that comes, moves and goes all the time: `fleeting_secret.py`. Run it with the system's Python."""

import gi
from oracle import MARK, SECRET, TITLE

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

CHANGE_MS = 100
ROOM = 200


class Fixture:
    def __init__(self):
        self.changes = 0
        window = Gtk.Window(title=TITLE, default_width=500, default_height=400)
        window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Fixed()
        window.add(self.box)
        self.box.put(Gtk.Label(label="It comes and goes"), 10, 300)
        self.secret = Gtk.Entry(text=SECRET, visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD)
        self.secret.set_can_focus(False)  # what has the focus shows its text in another colour
        colour = Gtk.CssProvider()
        colour.load_from_data(f"entry {{ color: {MARK}; }}".encode())
        self.secret.get_style_context().add_provider(colour, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        self.box.put(self.secret, 0, 0)
        window.show_all()
        GLib.timeout_add(CHANGE_MS, self.change)

    def change(self):
        self.changes += 1
        self.secret.set_visible(self.changes % 3 != 0)
        if self.changes % 3 == 1:
            self.box.move(self.secret, self.changes * 37 % ROOM, self.changes * 53 % ROOM)
        return True


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gdk.set_program_class("Fixture")
    fixture = Fixture()
    Gtk.main()
