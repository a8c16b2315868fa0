"""The rows of `recycling.py` in GTK 4. Run it with the system's Python."""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402
from recycling import SIZE, TITLE, Rows  # noqa: E402

GLib.set_prgname("fixture")
Gtk.init()
loop, window = GLib.MainLoop(), Gtk.Window(title=TITLE)
window.connect("close-request", lambda _: loop.quit())
column, people = Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.ListBox()
window.set_child(column)
done, labels = Gtk.Label(label="Done 0"), [Gtk.Label(width_chars=12) for _ in range(SIZE)]
column.append(done)
column.append(people)
rows = Rows(labels, done, Gtk.Label.set_text)
for number, label in enumerate(labels):
    line, button = Gtk.Box(spacing=8), Gtk.Button(label="Edit")
    button.connect("clicked", lambda _, number=number: rows.press(number))
    line.append(label)
    line.append(button)
    people.append(line)
window.present()
GLib.timeout_add(rows.every_ms, rows.go_on)
loop.run()
