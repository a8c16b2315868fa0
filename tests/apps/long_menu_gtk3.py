"""A GTK 3 menu and a combo box with more items than a screen is high, and a button with a menu that has another."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def main():
    window = Gtk.Window(title="Long menu")
    window.connect("destroy", Gtk.main_quit)
    box, bar = Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.MenuBar()
    file, menu = Gtk.MenuItem(label="File"), Gtk.Menu()
    file.set_submenu(menu)
    for number in range(60):
        menu.append(Gtk.MenuItem(label=f"Item {number}"))
    bar.append(file)
    choice = Gtk.ComboBoxText()
    for number in range(80):
        choice.append_text(f"Choice {number}")
    choice.set_active(40)
    button, short, deeper = Gtk.MenuButton(label="Button"), Gtk.Menu(), Gtk.Menu()
    more = Gtk.MenuItem(label="More")
    for number in range(3):
        deeper.append(Gtk.MenuItem(label=f"Deep {number}"))
    more.set_submenu(deeper)
    short.append(more)
    short.show_all()
    button.set_popup(short)
    box.add(bar)
    box.add(choice)
    box.add(button)
    window.add(box)
    window.show_all()
    Gtk.main()


main()
