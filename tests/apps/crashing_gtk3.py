"""A window whose button makes its program read at address 0, which ends it with signal 11.

python3 crashing_gtk3.py
"""

import ctypes
import sys

import gi

gi.require_version("Gtk", "3.0")

from gi.repository import Gtk  # noqa: E402


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def crash(_: object) -> None:
    tell("about to crash")
    ctypes.string_at(0)


window = Gtk.Window(title="Crashing")
button = Gtk.Button(label="Crash")
button.connect("clicked", crash)
window.add(button)
window.connect("destroy", Gtk.main_quit)
window.show_all()
tell("ready")
Gtk.main()
