"""A shop of GTK 3: a splash window, a log-in and the shop itself, all of one title; `login_gtk3.py STATE`.

The state file says who logged in and what was sold. The password "crash" ends the program by a signal, "leave" in good
order, "wrong" is refused.
"""

import json
import os
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

STATE = Path(sys.argv[1])
TITLE = "Shop"
SPLASH_MS, LOADS_MS = 1500, 700


class Shop:
    def __init__(self):
        self.state = {"user": "", "sold": 0}
        self.splash = Gtk.Window(title=TITLE, decorated=False, default_width=300, default_height=100)
        self.splash.add(Gtk.Label(label="Loading…"))
        self.splash.show_all()
        GLib.timeout_add(SPLASH_MS, self.ask)
        self.save()

    def ask(self):
        self.splash.destroy()
        dialog = Gtk.Dialog(title=TITLE, modal=True)
        ok = dialog.add_button("_Log in", Gtk.ResponseType.OK)
        ok.set_can_default(True)
        dialog.set_default_response(Gtk.ResponseType.OK)
        user, password = Gtk.Entry(activates_default=True), Gtk.Entry(visibility=False, activates_default=True)
        for text, entry in (("_User", user), ("_Password", password)):
            label = Gtk.Label.new_with_mnemonic(text)
            label.set_mnemonic_widget(entry)
            dialog.get_content_area().add(label)
            dialog.get_content_area().add(entry)

        def answer(_, __):
            match password.get_text():
                case "crash":
                    os.abort()
                case "leave":
                    Gtk.main_quit()
                case "wrong":
                    return
                case _:
                    self.state["user"] = user.get_text()
                    self.save()
                    dialog.destroy()
                    GLib.timeout_add(LOADS_MS, self.open)

        dialog.connect("response", answer)
        dialog.show_all()
        return False

    def open(self):
        window = Gtk.Window(title=TITLE, default_width=400, default_height=200)
        window.connect("destroy", Gtk.main_quit)
        self.count = Gtk.Label(label="sold: 0")
        sell = Gtk.Button(label="Sell")
        sell.connect("clicked", self.sell)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.add(sell)
        box.add(self.count)
        window.add(box)
        window.show_all()
        return False

    def sell(self, _):
        self.state["sold"] += 1
        self.count.set_text(f"sold: {self.state['sold']}")
        self.save()

    def save(self):
        STATE.write_text(json.dumps(self.state), encoding="utf-8")


Shop()
Gtk.main()
