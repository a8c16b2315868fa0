"""Two number fields, and in GTK 3 a toolbar with a field for a style: `spins_gtk.py VERSION`.

The title has the numbers and the style of the program, then the numbers that were applied. `Delay` shows two decimals.
`Gain` shows a unit and takes only numbers with it, with a comma and two decimals. The style counts with Enter.
Run it with the system's Python.
"""

import ctypes
import sys

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402

READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
OBJECTS = ctypes.CDLL("libgobject-2.0.so.0")
OBJECTS.g_signal_connect_data.argtypes = [ctypes.c_void_p, ctypes.c_char_p, READ, *[ctypes.c_void_p] * 2, ctypes.c_int]
UNIT = " dB"
OLD = sys.argv[1] == "3.0"


def number_in(text):
    whole, comma, rest = text.removesuffix(UNIT).partition(",")
    return float(f"{whole}.{rest}") if comma and len(rest) == 2 and (whole + rest).lstrip("-").isdigit() else None


def show(field):
    text = f"{field.get_value():.2f}".replace(".", ",") + UNIT
    if field.get_text() != text:
        field.set_text(text)
    return True


@READ
def read(_, number, __):
    """The signal that PyGObject cannot answer."""
    given = number_in(gain.get_text())
    number[0] = gain.get_value() if given is None else given
    return 1


def tell(*_):
    numbers = f"{delay.get_value():.2f} {gain.get_value():.2f}"
    window.set_title(f"Spins {numbers} style {styles[-1]} applied {applied[-1]}")


def apply(_):
    applied.append(f"{delay.get_value():.2f} {gain.get_value():.2f}")
    tell()


def restyle(field):
    styles.append(field.get_text())
    tell()


def toolbar():
    bar, item, field = Gtk.Toolbar(), Gtk.ToolItem(), Gtk.Entry()
    field.get_accessible().set_name("Style")
    field.connect("activate", restyle)
    item.add(field)
    bar.insert(item, -1)
    return bar


def field_of(name, value):
    field = Gtk.SpinButton.new_with_range(-1000, 1000, 0.5)
    field.set_digits(2)
    field.set_numeric(False)
    field.set_value(value)
    field.connect("value-changed", tell)
    if OLD:
        field.get_accessible().set_name(name)
    else:
        field.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return field


if OLD:
    Gtk.init([])
else:
    Gtk.init()
applied, styles = ["nothing"], ["none"]
window, box = Gtk.Window(), Gtk.Box()
delay, gain, button = field_of("Delay", 1), field_of("Gain", -3.5), Gtk.Button(label="Apply")
gain.connect("output", show)
OBJECTS.g_signal_connect_data(hash(gain), b"input", read, None, None, 0)
show(gain)
button.connect("clicked", apply)
for each in (button, delay, gain, *([toolbar()] if OLD else [])):
    box.add(each) if OLD else box.append(each)
if OLD:
    window.add(box)
    window.show_all()
else:
    window.set_child(box)
    window.present()
tell()
GLib.MainLoop().run()
