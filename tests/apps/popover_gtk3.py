"""A window of GTK 3 with a popover: a check item that never says that it is checked, and a box that does.

Usage: popover_gtk3.py STATE_FILE. The file says after each press whether the item and the box are checked.
"""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402


def main() -> None:
    """Shows it until it is closed."""
    window = Gtk.Window(title="Popovers")
    button = Gtk.MenuButton(label="Options", halign=Gtk.Align.START, valign=Gtk.Align.START)
    dual = Gio.SimpleAction.new_stateful("dual", None, GLib.Variant.new_boolean(True))
    group = Gio.SimpleActionGroup()
    group.add_action(dual)
    window.insert_action_group("page", group)
    item = Gtk.ModelButton(text="Dual", action_name="page.dual", visible=True)
    item.set_property("role", Gtk.ButtonRole.CHECK)
    box = Gtk.CheckButton(label="Spread", active=True, visible=True)
    content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, visible=True)
    content.add(item)
    content.add(box)
    popover = Gtk.Popover()
    popover.add(content)
    button.set_popover(popover)

    def write(*_: object) -> None:
        state = {"dual": dual.get_state().get_boolean(), "spread": box.get_active()}
        Path(sys.argv[1]).write_text(json.dumps(state), encoding="utf-8")

    def turn(action: Gio.SimpleAction, _: object) -> None:
        action.set_state(GLib.Variant.new_boolean(not action.get_state().get_boolean()))
        write()

    dual.connect("activate", turn)
    box.connect("toggled", write)
    window.add(button)
    window.set_default_size(400, 300)
    window.connect("destroy", Gtk.main_quit)
    write()
    window.show_all()
    Gtk.main()


main()
