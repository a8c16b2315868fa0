"""The fields of `texts.py` in GTK 4: `typing_gtk4.py STATE_FILE`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from texts import LABELS, LOOK_MS, TITLE, Texts

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402


class Fixture:
    def __init__(self, path, loop):
        self.window = Gtk.Window(title=TITLE, default_width=600, default_height=300)
        self.window.connect("close-request", lambda _: loop.quit())
        self.grid = Gtk.Grid(row_spacing=4, column_spacing=4)
        self.window.set_child(self.grid)
        self.fields = {
            "line": Gtk.Entry(),
            "page": Gtk.TextView(accepts_tab=True, wrap_mode=Gtk.WrapMode.WORD_CHAR),
            "secret": Gtk.PasswordEntry(),
        }
        for row, (key, field) in enumerate(self.fields.items()):
            label = Gtk.Label(label=LABELS[key])
            label.set_mnemonic_widget(field)
            self.grid.attach(label, 0, row, 1, 1)
            shown = field
            if key == "page":
                shown = Gtk.ScrolledWindow(hexpand=True, vexpand=True, child=field)
            self.grid.attach(shown, 1, row, 1, 1)
        self.window.present()
        GLib.timeout_add(LOOK_MS, Texts(path, self.look).write)

    def look(self):
        buffer = self.fields["page"].get_buffer()
        focus = self.window.get_focus()
        has_it = {
            key: focus is not None and (focus is field or focus.is_ancestor(field))
            for key, field in self.fields.items()
        }
        return {
            "line": self.fields["line"].get_text(),
            "page": buffer.get_text(*buffer.get_bounds(), True),
            "secret": self.fields["secret"].get_text(),
            "focus": next((key for key, has in has_it.items() if has and self.window.is_active()), ""),
        }


if __name__ == "__main__":
    GLib.set_prgname("typing")
    Gtk.init()
    loop = GLib.MainLoop()
    fixture = Fixture(Path(sys.argv[1]), loop)
    loop.run()
