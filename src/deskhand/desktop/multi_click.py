"""Clicks that belong together and clicks that do not. Pure: times are given, never read."""

from dataclasses import dataclass
from typing import Final

from deskhand.core.geometry import Point
from deskhand.desktop.protocols.input import MouseButton

DOUBLE_CLICK_S: Final = 0.55
"""After that a press is no double click to anybody: GTK and Qt wait for 0.4 s, Chromium and Swing for 0.5 s."""

_NEAR: Final = 16
"""Pixels within which two presses count as one place: 5 with GTK and Qt, up to three times as many when scaled."""


@dataclass(slots=True)
class Presses:
    """The last press of a button of the pointer."""

    _point: Point | None = None
    _button: MouseButton = MouseButton.LEFT
    _at_s: float = 0.0

    def note(self, point: Point, button: MouseButton, at_s: float) -> None:
        """A button went down, `at_s` at the latest."""
        self._point, self._button, self._at_s = point, button, at_s

    def apart_at_s(self, point: Point, button: MouseButton) -> float | None:
        """Return when a press there starts a new click; None where no press before could combine with it."""
        last = self._point
        if last is None or button is not self._button:
            return None
        near = abs(point.x - last.x) <= _NEAR and abs(point.y - last.y) <= _NEAR
        return self._at_s + DOUBLE_CLICK_S if near else None
