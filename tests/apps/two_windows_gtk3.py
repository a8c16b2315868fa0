"""Two windows of one process, and two dialogs over them: `Find` belongs to the first, `More` to that."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  the version comes first


def dialog(title, owner):
    made = Gtk.Dialog(title=title, transient_for=owner)
    made.get_content_area().add(Gtk.Entry(text=title))
    made.show_all()
    return made


first, second = (Gtk.Window(title=title) for title in ("Writer", "Calc"))
for window in (first, second):
    window.connect("destroy", Gtk.main_quit)
    window.add(Gtk.Entry(text=window.get_title()))
    window.show_all()
dialog("More", dialog("Find", first))
Gtk.main()
