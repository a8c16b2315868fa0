"""A button that cannot be pressed at times: `ladder_gtk3.py STATE_FILE COMMANDS`, with the system's Python.

Commands, one on each line of a pipe: `lid`, `no lid` (another button in the same window lies over it), `popover`,
`menu` (of its own, over it), `close` (both), `disable`, `enable`, `hide`, `show`, `dance`, `rest` (it moves all the
time), `soon COMMAND` (half a second later). STATE_FILE says what was pressed, and how many commands were obeyed.
"""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402
from hearing import hear  # noqa: E402

STEP_MS = 15
SOON_MS = 500


class Window:
    def __init__(self, path):
        self.path, self.pressed, self.done, self.dancing, self.at = path, [], 0, 0, 0
        self.window = Gtk.Window(title="Ladder", default_width=400, default_height=300)
        self.window.connect("destroy", lambda _: Gtk.main_quit())
        self.over, self.place = Gtk.Overlay(), Gtk.Fixed()
        self.target, self.other, self.lid = self.button("Target"), self.button("Other"), self.button("Lid")
        self.place.put(self.target, 20, 40)
        self.place.put(self.other, 20, 200)
        entry = Gtk.Entry()
        self.place.put(entry, 200, 200)
        self.over.add(self.place)
        self.lid.set_halign(Gtk.Align.START)
        self.lid.set_valign(Gtk.Align.START)
        self.lid.set_size_request(300, 150)
        self.lid.set_no_show_all(True)
        self.over.add_overlay(self.lid)
        self.window.add(self.over)
        self.popover = Gtk.Popover(relative_to=self.other, position=Gtk.PositionType.TOP)
        inside = self.button("Inside")
        inside.set_size_request(300, 150)
        inside.show()
        self.popover.add(inside)
        self.menu = Gtk.Menu()
        for name in ("First", "Second", "Third", "Fourth", "Fifth"):
            item = Gtk.MenuItem(label=name)
            item.connect("activate", lambda _, name=name: self.press(name))
            self.menu.append(item)
        self.menu.show_all()
        self.menu.attach_to_widget(self.window)
        self.window.show_all()
        self.write()

    def button(self, name):
        button = Gtk.Button(label=name)
        button.connect("clicked", lambda _: self.press(name))
        return button

    def press(self, name):
        self.pressed.append(name)
        self.write()

    def obey(self, line):
        command = line.strip()
        if command.startswith("soon "):
            GLib.timeout_add(SOON_MS, lambda: self.do(command.removeprefix("soon ")))
        else:
            self.do(command)
        self.done += 1
        self.write()

    def do(self, command):
        match command:
            case "lid" | "no lid":
                self.lid.set_visible(command == "lid")
            case "popover":
                self.popover.popup()
            case "menu":
                place = Gdk.Rectangle()
                place.x, place.y, place.width, place.height = 0, 0, 300, 1
                self.menu.popup_at_rect(
                    self.window.get_window(), place, Gdk.Gravity.NORTH_WEST, Gdk.Gravity.NORTH_WEST, None
                )
            case "close":
                self.popover.popdown()
                self.menu.popdown()
            case "disable" | "enable":
                self.target.set_sensitive(command == "enable")
            case "hide" | "show":
                self.target.set_visible(command == "show")
            case "dance":
                self.dancing = GLib.timeout_add(STEP_MS, self.step)
            case "rest" if self.dancing:
                GLib.source_remove(self.dancing)
                self.dancing = 0

    def step(self):
        self.at = (self.at + 7) % 200
        self.place.move(self.target, 20 + self.at, 40)
        return True

    def write(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps({"pressed": self.pressed, "done": self.done}), encoding="utf-8")
        temporary.replace(self.path)


if __name__ == "__main__":
    GLib.set_prgname("ladder")
    Gdk.set_program_class("Ladder")
    Gtk.init([])
    window = Window(Path(sys.argv[1]))
    hear(sys.argv[2], window.obey)
    Gtk.main()
