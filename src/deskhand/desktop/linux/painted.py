"""Where windows were painted lately. Pure: times are given, never read."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from deskhand.core.geometry import Rect

_KEPT: Final = 1024
_WINDOWS: Final = 64


class Painted:
    """The repaints of X windows, each at its place on the screen. Of a window that never rests the oldest go first."""

    def __init__(self) -> None:
        self._repaints: dict[int, deque[tuple[float, Rect]]] = {}

    def note(self, at: float, window: int, corner: tuple[int, int], rects: Sequence[Rect]) -> None:
        """Pixels of a child of the root changed; `rects` are relative to its corner, which is on the screen."""
        if window not in self._repaints and len(self._repaints) >= _WINDOWS:
            del self._repaints[min(self._repaints, key=lambda known: self._repaints[known][-1][0])]
        kept = self._repaints.setdefault(window, deque(maxlen=_KEPT))
        kept.extend((at, rect.moved(*corner)) for rect in rects)

    def since(self, mark: float, windows: Iterable[int], place: Rect) -> bool:
        """Whether one of these windows was painted after the mark in this place of the screen."""
        return any(
            at > mark and not rect.intersection(place).empty
            for window in windows
            for at, rect in reversed(self._repaints.get(window, ()))
        )
