"""The parts of a screen that changed and were not sent yet. Pure."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.geometry import Rect, around

_MOST: Final = 8
"""More parts than this are sent as one."""
_WASTE: Final = 1.25
"""Two parts are sent as one where that is not larger than so many times both."""


class Changes:
    """A few rectangles, however many changes come in: a viewer that is slow gets their union, never a queue."""

    def __init__(self) -> None:
        self._parts: list[Rect] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, rects: Sequence[Rect], screen: Rect) -> None:
        for rect in rects:
            part = rect.intersection(screen)
            if not part.empty:
                self._add(part)

    def take(self) -> Rect:
        """Take the part that waited longest. Raises: IndexError for none."""
        return self._parts.pop(0)

    def _add(self, part: Rect) -> None:
        while (other := next((each for each in self._parts if _is_one(each, part)), None)) is not None:
            self._parts.remove(other)
            part = around((other, part))
        self._parts.append(part)
        if len(self._parts) > _MOST:
            self._parts = [around(self._parts)]


def _is_one(one: Rect, other: Rect) -> bool:
    return around((one, other)).area <= _WASTE * (one.area + other.area - one.intersection(other).area)
