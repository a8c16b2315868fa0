"""A window that runs a dialog inside of the handlers of its controls, as many programs do. `dialogs_gtk3.py FILE`.

FILE gets what was typed in the dialog, once that has closed.
"""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  the version comes first


def ask(_button):
    dialog = Gtk.Dialog(title="Ask", transient_for=window, modal=True)
    dialog.add_button("OK", Gtk.ResponseType.OK)
    dialog.set_default_response(Gtk.ResponseType.OK)
    entry = Gtk.Entry(activates_default=True)
    dialog.get_content_area().add(entry)
    dialog.show_all()
    dialog.run()
    Path(sys.argv[1]).write_text(entry.get_text(), encoding="utf-8")
    dialog.destroy()


window = Gtk.Window(title="Dialogs")
window.connect("destroy", Gtk.main_quit)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
bar, file, menu = Gtk.MenuBar(), Gtk.MenuItem(label="File"), Gtk.Menu()
item = Gtk.MenuItem(label="Save As")
item.connect("activate", ask)
menu.append(item)
file.set_submenu(menu)
bar.append(file)
tools, tool = Gtk.Toolbar(), Gtk.ToolButton(label="Open")
tool.connect("clicked", ask)
tools.insert(tool, 0)
button = Gtk.Button(label="Ask…")
button.connect("clicked", ask)
for each in (bar, tools, button):
    box.add(each)
window.add(box)
window.show_all()
Gtk.main()
