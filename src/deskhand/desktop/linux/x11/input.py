"""Synthetic input by XTEST. The methods block: run them through the connection."""

from collections.abc import Iterable, Sequence
from typing import Final

from Xlib import X
from Xlib.ext import xtest

from deskhand.core.geometry import Point
from deskhand.desktop.base import Chord, MouseButton
from deskhand.desktop.linux.x11.connection import XConnection
from deskhand.desktop.linux.x11.keys import Keymap, Stroke

_BUTTONS: Final = {MouseButton.LEFT: 1, MouseButton.MIDDLE: 2, MouseButton.RIGHT: 3}
_WHEEL_UP: Final = 4
_WHEEL_DOWN: Final = 5
_DRAG_STEPS: Final = 8
"""Motions of a drag: applications begin one only after a few."""


class XInput:
    """Pointer and keyboard of one display. Whatever was pressed is released before a method returns or raises."""

    def __init__(self, connection: XConnection) -> None:
        self._display = connection.display
        self._keymap = Keymap(connection.display)

    def click(self, point: Point, button: MouseButton, count: int) -> None:
        self._move(point)
        for _ in range(count):
            self._with_button(_BUTTONS[button], ())
        self._display.sync()

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
        self._display.sync()

    def scroll(self, point: Point, notches: int) -> None:
        self._move(point)
        for _ in range(abs(notches)):
            self._with_button(_WHEEL_UP if notches > 0 else _WHEEL_DOWN, ())
        self._display.sync()

    def press(self, chords: Sequence[Chord]) -> None:
        """Raises: ActionRefused before any key goes down."""
        for stroke in self._keymap.strokes(chords):
            self._stroke(stroke)
        self._display.sync()

    def restore(self) -> None:
        """Leaves the keyboard mapping as it was found."""
        self._keymap.restore()

    def _stroke(self, stroke: Stroke) -> None:
        down: list[int] = []
        try:
            for code in stroke.codes:
                down.append(code)
                xtest.fake_input(self._display, X.KeyPress, code)
        finally:
            for code in reversed(down):
                xtest.fake_input(self._display, X.KeyRelease, code)

    def _with_button(self, number: int, motions: Iterable[Point]) -> None:
        try:
            xtest.fake_input(self._display, X.ButtonPress, number)
            for point in motions:
                self._move(point)
        finally:
            xtest.fake_input(self._display, X.ButtonRelease, number)

    def _move(self, point: Point) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=point.x, y=point.y)
