"""Menus, a button with a tooltip and a combo box of GTK 2: `menus_gtk2.py`. A chosen item is shown in the label.

There is no Python for GTK 2 any more, so its library is called directly. Run it with the system's Python. With the
argument `bare` it starts without its accessibility bridge.
"""

import ctypes
import os
import sys

os.environ["GTK_MODULES"] = "" if sys.argv[1:] == ["bare"] else "gail:atk-bridge"
gtk, gobject = ctypes.CDLL("libgtk-x11-2.0.so.0"), ctypes.CDLL("libgobject-2.0.so.0")
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
callbacks = []


def make(kind, *arguments):
    function = getattr(gtk, f"gtk_{kind}")
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function(*arguments))


def call(function, *arguments):
    getattr(gtk, f"gtk_{function}")(*arguments)


def connect(widget, signal, act):
    callbacks.append(CALLBACK(lambda *_: act()))
    gobject.g_signal_connect_data(widget, signal, callbacks[-1], None, None, 0)


def item(text, shell, menu=None):
    made = make("menu_item_new_with_label", text)
    call("menu_shell_append", shell, made)
    if menu is None:
        connect(made, b"activate", lambda: call("label_set_text", label, b"Chosen: " + text))
    else:
        call("menu_item_set_submenu", made, menu)


gtk.gtk_init(None, None)
window, box, label = make("window_new", 0), make("vbox_new", 0, 8), make("label_new", b"Chosen: nothing")
bar, file, more, edit = make("menu_bar_new"), make("menu_new"), make("menu_new"), make("menu_new")
item(b"Open", file)
item(b"Recent", file, more)
item(b"Deep one", more)
item(b"Deep two", more)
item(b"Copy", edit)
item(b"File", bar, file)
item(b"Edit", bar, edit)
button = make("button_new")
call("widget_set_tooltip_text", button, b"Copy it")
combo = make("combo_box_text_new")
for text in (b"Red", b"Green"):
    call("combo_box_text_append_text", combo, text)
call("combo_box_set_active", combo, 0)
for widget in (bar, label, button, combo):
    call("box_pack_start", box, widget, 0, 0, 0)
call("container_add", window, box)
call("window_set_title", window, b"Menus of GTK 2")
call("window_set_default_size", window, 300, 200)
connect(window, b"destroy", lambda: call("main_quit"))
call("widget_show_all", window)
call("main")
