"""A button that another one of its window lies over: `lid.py gtk4`, or `qt` with a Python that has PyQt5.

The title of the window says which button was pressed last.
"""

import sys


def gtk4():
    import gi  # noqa: PLC0415

    gi.require_version("Gtk", "4.0")
    from gi.repository import Gtk  # noqa: PLC0415

    def show(application):
        window = Gtk.ApplicationWindow(application=application, title="Lid", default_width=300, default_height=300)

        def button(name):
            made = Gtk.Button(label=name, vexpand=True)
            made.connect("clicked", lambda _: window.set_title(f"Lid: {name}"))
            return made

        over, box, lid = Gtk.Overlay(), Gtk.Box(orientation=Gtk.Orientation.VERTICAL), button("Over")
        box.append(button("Under"))
        box.append(button("Free"))
        over.set_child(box)
        lid.set_valign(Gtk.Align.START)
        lid.set_size_request(300, 140)
        over.add_overlay(lid)
        window.set_child(over)
        window.present()

    application = Gtk.Application(application_id="deskhand.tests.lid")
    application.connect("activate", show)
    application.run()


def qt():
    from PyQt5.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget  # noqa: PLC0415

    application = QApplication([])
    window = QWidget()
    window.setWindowTitle("Lid")
    layout = QVBoxLayout(window)

    def button(name):
        made = QPushButton(name, window)
        made.setMinimumHeight(130)
        made.clicked.connect(lambda: window.setWindowTitle(f"Lid: {name}"))
        return made

    layout.addWidget(button("Under"))
    layout.addWidget(button("Free"))
    lid = button("Over")
    lid.setGeometry(0, 0, 300, 142)
    window.resize(300, 300)
    window.show()
    lid.raise_()
    application.exec()


if __name__ == "__main__":
    {"gtk4": gtk4, "qt": qt}[sys.argv[1]]()
