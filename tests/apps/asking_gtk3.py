"""A question of GTK 3 about deleting a file; `asking_gtk3.py FILE`. FILE is deleted by Yes."""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def answered(dialog, answer):
    if answer == Gtk.ResponseType.YES:
        Path(sys.argv[1]).unlink()
    dialog.destroy()


window = Gtk.Window(title="Files")
window.connect("destroy", Gtk.main_quit)
window.show_all()
question = Gtk.MessageDialog(
    title="Question", transient_for=window, modal=True, buttons=Gtk.ButtonsType.YES_NO, text="Delete this file?"
)
question.connect("response", answered)
question.show_all()
Gtk.main()
