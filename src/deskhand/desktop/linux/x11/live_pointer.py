"""A person's pointer by XTEST, event by event: buttons stay down from one call to the next until they are released."""

from collections.abc import Sequence
from time import monotonic
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.x11.input import BUTTONS, WHEEL
from deskhand.desktop.linux.x11.keys import Keymap
from deskhand.desktop.linux.x11.left_down import Press
from deskhand.desktop.protocols.input import MouseButton
from deskhand.desktop.protocols.live import Look

_BETWEEN_PRESSES_S: Final = 0.05
"""A press that comes sooner waits in the server: openbox and applications lose some of faster ones."""
_MOST_NOTCHES: Final = 32
"""Of one turn of the wheel."""


class XLivePointer:
    """The methods block: run them through the connection. `buttons` and `modifiers` are down, each as the event that
    releases it. `given_up`: that of a connection given up in a call, whose buttons and modifiers are released.
    """

    def __init__(self, display: Display, keymap: Keymap, given_up: "XLivePointer | None" = None) -> None:
        self._display = display
        self._keymap = keymap
        self._pressed_at = float("-inf")
        self.buttons: list[Press] = given_up.buttons if given_up else []
        self.modifiers: dict[str, Press] = given_up.modifiers if given_up else {}
        if given_up:
            self.release()

    def look(self) -> Look:
        root = self._display.screen().root
        pointer, size = root.query_pointer(), root.get_geometry()
        return Look(Point(pointer.root_x, pointer.root_y), Rect(0, 0, size.width, size.height))

    def move(self, point: Point, held: Sequence[str]) -> None:
        if self.buttons:
            self._hold(held)
        self._fake(X.MotionNotify, 0, point)
        self._display.sync()

    def change_button(self, point: Point, button: MouseButton, held: Sequence[str], *, is_down: bool) -> None:
        press = (X.ButtonRelease, BUTTONS[button])
        self._fake(X.MotionNotify, 0, point)
        if is_down and press not in self.buttons:
            self._hold(held)
            self.buttons.append(press)
            soon = self._pressed_at + _BETWEEN_PRESSES_S - monotonic()
            self._fake(X.ButtonPress, press[1], after_ms=round(1000 * max(0.0, soon)))
            self._pressed_at = monotonic()
        elif not is_down and press in self.buttons:
            self._fake(*press)
            self.buttons.remove(press)
            self._hold(held if self.buttons else ())
        self._display.sync()

    def turn_wheel(self, point: Point, across: int, down: int, held: Sequence[str]) -> None:
        """Modifiers are down meanwhile."""
        self._fake(X.MotionNotify, 0, point)
        self._hold(held)
        for button, notches in ((WHEEL[True, across > 0], across), (WHEEL[False, down < 0], down)):
            for _ in range(min(abs(notches), _MOST_NOTCHES)):
                self._fake(X.ButtonPress, button)
                self._fake(X.ButtonRelease, button)
        self._hold(held if self.buttons else ())
        self._display.sync()

    def lift(self) -> None:
        """Release the modifiers: keys are pressed with their own."""
        self._hold(())
        self._display.sync()

    def release(self) -> None:
        """Release all buttons, where the pointer is, and all modifiers."""
        for press in reversed(self.buttons):
            self._fake(*press)
        self.buttons.clear()
        self.lift()

    def _hold(self, names: Sequence[str]) -> None:
        """Have exactly these modifiers down. Raises: ActionRefused (the layout has none)."""
        for name in [name for name in self.modifiers if name not in names]:
            self._fake(*self.modifiers.pop(name))
        new = [name for name in names if name not in self.modifiers]
        for name, code in zip(new, self._keymap.codes_of(new), strict=True):
            self.modifiers[name] = (X.KeyRelease, code)
            self._fake(X.KeyPress, code)

    def _fake(self, kind: int, detail: int, point: Point | None = None, *, after_ms: int = 0) -> None:
        x, y = (point.x, point.y) if point else (0, 0)
        xtest.fake_input(self._display, kind, detail, after_ms, x=x, y=y)
