"""A form whose fields do more than they are told: `lying_form_gtk3.py STATE_FILE`."""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from everyday import LOOK_MS, State  # noqa: E402 - after the version
from gi.repository import GLib, Gtk  # noqa: E402 - after the version

SOON_MS = 300
"""Longer than an effect has to last."""
LATE_MS = 400
"""Longer than that, and than the next field is read again."""


class Form(Gtk.Window):
    def __init__(self, path):
        super().__init__(title="Lying form")
        self.state = State(path, self.look)
        self.rows = Gtk.Grid()
        self.add(self.rows)
        self.fields = {}
        for name in ("Takes back", "Rejects", "Formats", "Asks", "Renames", "Changes", "Reveals", "Plain", "Other"):
            self.add_field(name)
        self.fields["Takes back"].connect("changed", lambda *_: GLib.timeout_add(LATE_MS, self.take_back))
        self.fields["Rejects"].connect("changed", lambda it: GLib.idle_add(it.set_text, "") if it.get_text() else None)
        self.fields["Asks"].connect("changed", lambda *_: self.ask())
        self.fields["Formats"].connect("changed", lambda *_: GLib.timeout_add(SOON_MS, self.format))
        self.fields["Reveals"].connect("changed", lambda *_: self.reveal())
        self.fields["Renames"].connect("changed", lambda *_: self.call_plain("Address"))
        self.fields["Changes"].connect("changed", lambda *_: self.fields["Other"].set_text("changed"))
        self.connect("destroy", Gtk.main_quit)
        self.show_all()
        GLib.timeout_add(LOOK_MS, self.state.write)

    def add_field(self, name):
        entry = Gtk.Entry()
        entry.get_accessible().set_name(name)
        self.rows.attach(Gtk.Label(label=name), 0, len(self.fields), 1, 1)
        self.rows.attach(entry, 1, len(self.fields), 1, 1)
        self.fields[name] = entry

    def take_back(self):
        self.fields["Takes back"].set_text("")
        self.state.write()  # before anybody can read the new text: accessibility answers in this thread
        return False

    def format(self):
        """Only what is not written so yet, or it would go on for ever."""
        text = self.fields["Formats"].get_text()
        if text != text.upper():
            self.fields["Formats"].set_text(text.upper())
            self.state.write()
        return False

    def reveal(self):
        if "Revealed" not in self.fields:
            self.add_field("Revealed")
            self.rows.show_all()

    def ask(self):
        Gtk.MessageDialog(
            transient_for=self, modal=True, buttons=Gtk.ButtonsType.OK, text="Really?", title="Really?"
        ).show_all()

    def call_plain(self, name):
        self.fields["Plain"].get_accessible().set_name(name)

    def look(self):
        return {name: entry.get_text() for name, entry in self.fields.items()}


Form(Path(sys.argv[1]))
Gtk.main()
