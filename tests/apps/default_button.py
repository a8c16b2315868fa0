"""A dialog with a field and its default button "Send", which writes a file: `default_button.py gtk3|qt5 FILE`."""

import sys
from pathlib import Path

SENT = Path(sys.argv[2])

if sys.argv[1] == "gtk3":
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    dialog = Gtk.Dialog(title="Message gtk3")
    dialog.add_buttons("Cancel", 1, "Send", 2)
    dialog.set_default_response(2)
    field = Gtk.Entry(activates_default=True)
    dialog.get_content_area().add(field)
    dialog.connect("response", lambda _, answer: SENT.write_text("sent") if answer == 2 else None)
    dialog.show_all()
    field.grab_focus()
    Gtk.main()
else:
    from PyQt5.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QVBoxLayout

    application = QApplication([])
    dialog = QDialog()
    dialog.setWindowTitle("Message qt5")
    layout = QVBoxLayout(dialog)
    send = QPushButton("Send")
    send.setDefault(True)
    send.clicked.connect(lambda: SENT.write_text("sent"))
    for part in (QLineEdit(), QPushButton("Cancel", autoDefault=False), send):
        layout.addWidget(part)
    dialog.show()
    application.exec_()
