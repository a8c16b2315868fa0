"""Scintilla, controls that toolkits derive from those of Windows, and a clipped list: `editor_win32.py DLL STATE_FILE`.

Run it with Python of Windows, under Wine. DLL is Scintilla's. STATE_FILE is JSON and replaced whole on every change.
"""

import ctypes
import json
import sys
from ctypes import byref, sizeof, wintypes

from win32_gui import (
    BORDER,
    CHECK_BOX,
    GETCHECK,
    LB_ADD,
    LB_CHOSEN,
    LINES,
    NOTIFIES,
    PANEL,
    TAB_STOP,
    Program,
    argument,
    send,
    show,
    text_of,
    user32,
)

DERIVED = {"TMemo": "Edit", "WindowsForms10.BUTTON.app.0.2bf8098_r6": "Button", "ThunderRT6ListBox": "ListBox"}
FRUIT = ("Apple", "Pear", "Plum", "Fig", "Lime", "Kiwi", "Melon", "Grape")
SCI_TEXT, SCI_LENGTH, SCI_START, SCI_END, SCI_UNDO = 2182, 2006, 2143, 2145, 2176
POPUP, ADD_TOOL, TOOL_IS_CONTROL = 0x80000000, 0x432, 0x11
DATE_WITH_ARROWS, OPTIONAL_TIME = 0xD, 0xB
SCI_CODE_PAGE, SCI_LINE_END, SCI_READ_ONLY, UTF_8, LF = 2037, 2031, 2171, 65001, 2
SCI_SET_TEXT, SCI_APPEND = 2181, 2282


class WideClass(ctypes.Structure):
    """WNDCLASSEXW."""

    _fields_ = (
        *(("size", wintypes.UINT), ("style", wintypes.UINT), ("procedure", ctypes.c_void_p)),
        *(("more", ctypes.c_int * 2), ("handles", ctypes.c_void_p * 4)),
        *(("menu", ctypes.c_void_p), ("name", wintypes.LPCWSTR), ("icon", ctypes.c_void_p)),
    )


class Tool(ctypes.Structure):
    """TTTOOLINFOW."""

    _fields_ = (
        *(("size", wintypes.UINT), ("flags", wintypes.UINT), ("window", wintypes.HWND), ("tool", ctypes.c_size_t)),
        *(("rect", wintypes.RECT), ("module", ctypes.c_void_p), ("text", wintypes.LPCWSTR), ("more", ctypes.c_void_p)),
        ("reserved", ctypes.c_void_p),
    )


def derive(name, base):
    found = WideClass(size=sizeof(WideClass))
    assert user32.GetClassInfoExW(None, base, byref(found))
    found.size, found.name, found.style = sizeof(WideClass), name, found.style & ~0x4000  # CS_GLOBALCLASS
    assert user32.RegisterClassExW(byref(found))


class Fixture:
    def __init__(self, path):
        self.path, self.written, program = path, "", Program()
        for name, base in DERIVED.items():
            derive(name, base)
        self.window = program.window("Editor", (60, 40, 560, 420))
        put = program.control
        self.code = put(self.window, "Scintilla", "", TAB_STOP, (8, 8, 520, 90))
        self.old = put(self.window, "Scintilla", "", TAB_STOP, (8, 106, 250, 60))
        self.fixed = put(self.window, "Scintilla", "", TAB_STOP, (266, 106, 250, 60))
        send(self.code, SCI_CODE_PAGE, UTF_8), send(self.old, SCI_CODE_PAGE, 0), send(self.code, SCI_LINE_END, LF)
        send(self.fixed, SCI_READ_ONLY, 1)
        put(self.window, "Static", "Note", 0, (8, 180, 60, 18))
        self.note = put(self.window, "TMemo", "", TAB_STOP | BORDER | LINES, (72, 176, 180, 40))
        check, listing = list(DERIVED)[1:]
        self.agreed = put(self.window, check, "&Agreed", TAB_STOP | CHECK_BOX, (8, 224, 120, 22))
        self.fruit = put(self.window, listing, "", TAB_STOP | BORDER | NOTIFIES, (266, 176, 200, 120))
        panel = put(self.window, PANEL, "", 0, (8, 256, 120, 36))
        self.cut = put(panel, "ListBox", "", TAB_STOP | BORDER, (0, 0, 300, 160))
        for name in FRUIT:
            for box in (self.fruit, self.cut):
                send(box, LB_ADD, 0, ctypes.create_unicode_buffer(name))
        for row, name in enumerate(("Town", "Street")):  # each label is made after its field
            put(self.window, "Edit", name.upper(), TAB_STOP | BORDER, (330, 304 + 26 * row, 120, 22))
            put(self.window, "Static", name, 0, (266, 306 + 26 * row, 60, 18))
        put(self.window, "Static", "Day", 0, (8, 306, 40, 18))
        put(self.window, "SysDateTimePick32", "", TAB_STOP | DATE_WITH_ARROWS, (52, 302, 140, 24))
        put(self.window, "Static", "Hour", 0, (8, 332, 40, 18))
        put(self.window, "SysDateTimePick32", "", TAB_STOP | OPTIONAL_TIME, (52, 328, 140, 24))
        program.on_press = {
            put(self.window, "Button", "Undo", TAB_STOP, (474, 176, 60, 22)): lambda: send(self.code, SCI_UNDO),
            put(self.window, "Button", "Spoil", TAB_STOP, (474, 202, 60, 22)): self.spoil,
            put(self.window, "Button", "Mix", TAB_STOP, (474, 228, 60, 22)): self.mix,
        }
        picture = put(self.window, "Button", "", TAB_STOP, (200, 224, 30, 22))
        tips = user32.CreateWindowExW(0, "tooltips_class32", None, POPUP, 0, 0, 0, 0, self.window, None, None, None)
        tool = Tool(size=sizeof(Tool), flags=TOOL_IS_CONTROL, window=self.window, tool=picture, text="Print the order")
        assert send(tips, ADD_TOOL, 0, tool)
        program.on_timer = self.write
        show(self.window)
        program.run(50)

    def spoil(self):
        """Set a text with bytes that are no characters of UTF-8, and a zero."""
        send(self.code, SCI_SET_TEXT, 0, ctypes.create_string_buffer(b"a\xffb\xc3\xbc"))
        rest = b"\0a\xffb\xc3\xbc\xc3"
        send(self.code, SCI_APPEND, len(rest), ctypes.create_string_buffer(rest))

    def mix(self):
        """Set a text whose lines end in another way than new ones."""
        send(self.code, SCI_SET_TEXT, 0, ctypes.create_string_buffer(b"a\r\n" * 20_000))

    def text(self, field):
        data = ctypes.create_string_buffer(send(field, SCI_LENGTH) + 1)
        send(field, SCI_TEXT, sizeof(data), data)
        return data.value

    def write(self):
        now = json.dumps(
            {
                "code": self.text(self.code).decode(errors="replace"),
                "selected": [send(self.code, SCI_START), send(self.code, SCI_END)],
                "old": self.text(self.old).decode("cp1252"),
                "note": text_of(self.note),
                "agreed": send(self.agreed, GETCHECK),
                "fruit": send(self.fruit, LB_CHOSEN),
            }
        )
        if now != self.written:
            new = self.path.with_suffix(".new")
            new.write_text(now)
            new.replace(self.path)
            self.written = now


if __name__ == "__main__":
    library = ctypes.WinDLL(sys.argv[1])
    Fixture(argument(2))
