"""The fields of `texts.py` in Win32: `typing_win32.py STATE_FILE`. Run it with Python of Windows, under Wine."""

from texts import LABELS, LOOK_MS, TITLE, Texts
from win32_gui import (
    BORDER,
    LINES,
    ONE_LINE,
    PASSWORD,
    SCROLLS,
    SET_LIMIT,
    TAB_STOP,
    Program,
    argument,
    send,
    show,
    text_of,
    user32,
)

HEIGHTS = {"line": 24, "page": 200, "secret": 24}
STYLES = {"line": ONE_LINE, "page": LINES | SCROLLS, "secret": PASSWORD}
MOST = 4_000_000


class Fixture:
    def __init__(self, path):
        self.program = Program()
        self.window = self.program.window(TITLE, (40, 40, 640, 340))
        self.fields, top = {}, 8
        for key, style in STYLES.items():
            self.program.control(self.window, "Static", LABELS[key], place=(8, top + 3, 60, 18))
            at = (72, top, 540, HEIGHTS[key])
            self.fields[key] = self.program.control(self.window, "Edit", "", TAB_STOP | BORDER | style, at)
            send(self.fields[key], SET_LIMIT, MOST)
            top += HEIGHTS[key] + 8
        self.program.on_timer = Texts(path, self.look).write
        show(self.window)
        self.program.run(LOOK_MS)

    def look(self):
        found = {key: text_of(field).replace("\r\n", "\n") for key, field in self.fields.items()}
        focus = user32.GetFocus()
        return {**found, "focus": next((key for key, field in self.fields.items() if field == focus), "")}


if __name__ == "__main__":
    Fixture(argument(1))
