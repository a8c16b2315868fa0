"""A user at a display, by a connection of its own: `person.py`, with commands on standard input, one JSON list a line.

`["click", X, Y, BUTTON, COUNT]`, `["drag", X, Y, X2, Y2]`, `["type", TEXT]`, `["key", "ctrl+s"]`, `["wheel", X, Y, N]`.
Each is answered with an empty line once the X server has it, after as long as a user takes for it.
"""

import json
import select
import sys

from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

HOLDS_S = 0.03
"""Duration of a click and of a key."""
BETWEEN_KEYS_S = 0.05
MODIFIERS = {"ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L"}
SIGNS = {" ": "space", ".": "period", ",": "comma", "-": "minus", "@": "at", "!": "exclam", "'": "apostrophe"}


def pause(seconds):
    select.select([], [], [], seconds)


class Person:
    def __init__(self):
        self.display = Display()

    def send(self, kind, detail=0, x=0, y=0):
        xtest.fake_input(self.display, kind, detail, x=x, y=y)
        self.display.sync()

    def move(self, x, y):
        self.send(X.MotionNotify, x=x, y=y)
        pause(HOLDS_S)

    def click(self, x, y, button=1, count=1):
        self.move(x, y)
        for _ in range(count):
            self.send(X.ButtonPress, button)
            pause(HOLDS_S)
            self.send(X.ButtonRelease, button)
            pause(HOLDS_S)

    def wheel(self, x, y, notches):
        self.click(x, y, 5 if notches > 0 else 4, abs(notches))

    def drag(self, x, y, to_x, to_y):
        self.move(x, y)
        self.send(X.ButtonPress, 1)
        for part in range(1, 9):
            self.move(x + (to_x - x) * part // 8, y + (to_y - y) * part // 8)
        self.send(X.ButtonRelease, 1)

    def type(self, text):
        for character in text:
            self.press(SIGNS.get(character, character), ())

    def key(self, chord):
        *held, key = chord.split("+")
        self.press(key, held)

    def press(self, name, held):
        keysym = XK.string_to_keysym(name)
        code = self.display.keysym_to_keycode(keysym)
        shift = (self.display.keycode_to_keysym(code, 0) != keysym and len(name) == 1) or name in ("at", "exclam")
        names = [MODIFIERS[each] for each in held] + (["Shift_L"] if shift else [])
        codes = [self.display.keysym_to_keycode(XK.string_to_keysym(each)) for each in names] + [code]
        for each in codes:
            self.send(X.KeyPress, each)
        pause(HOLDS_S)
        for each in reversed(codes):
            self.send(X.KeyRelease, each)
        pause(BETWEEN_KEYS_S)


if __name__ == "__main__":
    person = Person()
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        getattr(person, name)(*arguments)
        sys.stdout.write("\n")
        sys.stdout.flush()
