"""Windows whose controls answer every message of their kind with one number: `lying_win32.py NUMBER…`.

Each number has a window `Lie NUMBER.`. The controls have the names of classes of Windows, and nothing else of them.
Words instead of a number: with `texts` lengths of texts are 3, and the texts are longer; with `gigabytes` lengths are
of that.
"""

import ctypes
import sys

from win32_gui import TAB_STOP, Program, define, fall_back, root_of, show

CLASSES = (
    *("Button", "ComboBox", "Edit", "ListBox", "msctls_progress32", "msctls_statusbar32", "msctls_trackbar32"),
    *("msctls_updown32", "RichEdit20W", "SysHeader32", "SysListView32", "SysTabControl32", "SysTreeView32"),
    *("Scintilla", "ScrollBar", "ToolbarWindow32"),
)
OWN = (range(0xB0, 0xF8), range(0x140, 0x1C0), range(0x400, 0x8000))
"""Messages of kinds of controls."""

TEXTS, LENGTHS = {0x189, 0x148}, {0x18A, 0x149, 0xE}
LONG = "long " * 8
REPORT = 1
WORDS = {"texts": (3, 3), "gigabytes": (2**31 - 1, 1)}
"""Lengths, and what else is answered."""
lies = {}


def answer(window, message, first, second):
    lie = lies.get(root_of(window), "")
    if lie == "texts" and message in TEXTS and second:
        data = ctypes.create_unicode_buffer(LONG)
        ctypes.memmove(second, data, ctypes.sizeof(data))
        return len(LONG)
    length, number = WORDS.get(lie) or (int(lie or 0),) * 2
    if lie and message in LENGTHS:
        return length
    if lie and any(message in own for own in OWN):
        return number
    return fall_back(window, message, first, second)


if __name__ == "__main__":
    program = Program()
    for name in CLASSES:
        define(name, answer)
    for at, lie in enumerate(sys.argv[1:]):
        window = program.window(f"Lie {lie}.", (20 + 60 * at, 20 + 30 * at, 320, 500))
        for row, name in enumerate(CLASSES):
            program.control(window, name, name, TAB_STOP | REPORT, (10, 10 + 28 * row, 200, 26))
        lies[window] = lie
        show(window)
    program.run(1000)
