"""Synthetic input by XTEST. The methods block: run them through the connection."""

from collections.abc import Iterable, Sequence
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.geometry import Point
from deskhand.desktop.base import Chord, MouseButton
from deskhand.desktop.linux.x11.keys import Keymap, Stroke

_BUTTONS: Final = {MouseButton.LEFT: 1, MouseButton.MIDDLE: 2, MouseButton.RIGHT: 3}
_WHEEL_UP: Final = 4
_WHEEL_DOWN: Final = 5
_DRAG_STEPS: Final = 8
"""Motions of a drag: applications begin one only after a few."""


class XInput:
    """Pointer and keyboard of one display. Whatever was pressed is released before a method returns or raises.

    `given_up`: that of a connection that was given up in the middle of a call. Whether the server ever heard of what
    that released is unknown, so it is released again; the keys it borrowed are given back by this one. `pressed`: what
    went down in a call that has not ended, as the event that releases it, and its key or button.
    """

    def __init__(self, display: Display, given_up: "XInput | None" = None) -> None:
        self._display = display
        self.keymap = Keymap(display, given_up.keymap.borrowed if given_up else {})
        self.pressed: list[tuple[int, int]] = []
        if given_up is not None:
            for release, detail in given_up.pressed:
                xtest.fake_input(display, release, detail)
            display.sync()

    def click(self, point: Point, button: MouseButton, count: int) -> None:
        self._move(point)
        for _ in range(count):
            self._with_button(_BUTTONS[button], ())
        self._done()

    def drag(self, start: Point, end: Point, button: MouseButton) -> None:
        self._move(start)
        steps = [
            Point(
                start.x + (end.x - start.x) * step // _DRAG_STEPS,
                start.y + (end.y - start.y) * step // _DRAG_STEPS,
            )
            for step in range(1, _DRAG_STEPS + 1)
        ]
        self._with_button(_BUTTONS[button], steps)
        self._done()

    def scroll(self, point: Point, notches: int) -> None:
        self._move(point)
        for _ in range(abs(notches)):
            self._with_button(_WHEEL_UP if notches > 0 else _WHEEL_DOWN, ())
        self._done()

    def press(self, chords: Sequence[Chord]) -> None:
        """Raises: ActionRefused before any key goes down."""
        for stroke in self.keymap.strokes(chords):
            self._stroke(stroke)
        self._done()

    def restore(self) -> None:
        """Leaves the keyboard mapping as it was found."""
        self.keymap.restore()

    def _done(self) -> None:
        """The server has taken in everything, releases included."""
        self._display.sync()
        self.pressed.clear()

    def _press(self, kind: int, release: int, detail: int) -> None:
        if (release, detail) not in self.pressed:
            self.pressed.append((release, detail))
        xtest.fake_input(self._display, kind, detail)

    def _stroke(self, stroke: Stroke) -> None:
        down: list[int] = []
        try:
            for code in stroke.codes:
                down.append(code)
                self._press(X.KeyPress, X.KeyRelease, code)
        finally:
            for code in reversed(down):
                xtest.fake_input(self._display, X.KeyRelease, code)

    def _with_button(self, number: int, motions: Iterable[Point]) -> None:
        try:
            self._press(X.ButtonPress, X.ButtonRelease, number)
            for point in motions:
                self._move(point)
        finally:
            xtest.fake_input(self._display, X.ButtonRelease, number)

    def _move(self, point: Point) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
