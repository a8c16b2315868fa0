"""The rows of `recycling.py` in GTK 3. Run it with the system's Python."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402
from recycling import SIZE, TITLE, Rows  # noqa: E402

GLib.set_prgname("fixture")
window, column, people = Gtk.Window(title=TITLE), Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.ListBox()
window.connect("destroy", Gtk.main_quit)
window.add(column)
done, labels = Gtk.Label(label="Done 0"), [Gtk.Label(width_chars=12) for _ in range(SIZE)]
column.add(done)
column.add(people)
rows = Rows(labels, done, Gtk.Label.set_text)
for number, label in enumerate(labels):
    line, button = Gtk.Box(spacing=8), Gtk.Button(label="Edit")
    button.connect("clicked", lambda _, number=number: rows.press(number))
    line.add(label)
    line.add(button)
    people.add(line)
window.show_all()
GLib.timeout_add(rows.every_ms, rows.go_on)
Gtk.main()
