"""How the GTK applications hear commands, of GTK 3 and 4 alike."""

import os

from gi.repository import GLib


def hear(path, obey):
    """Each line that comes through the pipe at `path` goes to `obey`, in the main loop."""
    pipe = os.open(path, os.O_RDWR)
    lines = os.fdopen(pipe, "r", encoding="utf-8")

    def heard(*_):
        obey(lines.readline())
        return True

    GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, pipe, GLib.IOCondition.IN, heard)
