"""Habitual changes: the same thing at the same place again and again, while nothing new happens beside it.

Pure: times are given, never read. A habit is recognised by repetitions, never by how long it has gone on: a caret, a
spinner, a video, a ticking label or a level meter repeats itself; rows that are added, text that grows and windows that
open do not. A habit at one place does not apply to any other.
"""

from collections.abc import Hashable, Iterable
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from deskhand.core.geometry import Rect

ENOUGH: Final = 24
"""So often must something repeat itself, nothing new beside it, until it is a habit. More than an animation does."""

MEMORY_S: Final = 1.0
"""A change that pauses for twice as long is forgotten, and is new when it comes again."""

_CELL: Final = 32
"""Pixels: places are distinguished by squares of this size."""

_COLUMNS: Final = 128
_PLANES: Final = 5
_KEPT: Final = 4096


class Novelty(Enum):
    """Novelty of a change: not seen lately, seen but not often enough, or a habit."""

    NEW = auto()
    AGAIN = auto()
    HABIT = auto()


class Repaints:
    """The pixels of one window. A set of squares is an int, one bit each, so that a frame costs microseconds."""

    def __init__(self) -> None:
        self._planes = [0] * _PLANES  # how often each square was painted: plane n holds bit n of all the numbers
        self._habits = 0
        self._lately = 0
        self._before = 0
        self._turned_at = float("-inf")

    def note(self, at: float, rects: Iterable[Rect]) -> Novelty:
        """One repaint, relative to the window."""
        self._turn(at)
        cells = 0
        for rect in rects:
            cells |= cells_of(rect)
        unusual = cells & ~self._habits
        new = unusual & ~(self._lately | self._before)
        self._lately |= cells
        if not unusual:
            return Novelty.HABIT
        if new:
            self.start_over()
        self._count(unusual)
        return Novelty.NEW if new else Novelty.AGAIN

    def start_over(self) -> None:
        """Restart the count of repetitions after something new; habits remain."""
        if any(self._planes):
            self._planes = [0] * _PLANES

    def _count(self, cells: int) -> None:
        for number, plane in enumerate(self._planes):
            self._planes[number], cells = plane ^ cells, plane & cells
        self._habits |= self._planes[4] & self._planes[3]  # 16 + 8

    def _turn(self, at: float) -> None:
        if at - self._turned_at < MEMORY_S:
            return
        self._before = self._lately if at - self._turned_at < 2 * MEMORY_S else 0
        self._lately, self._turned_at = 0, at
        self._habits &= self._before
        self._planes = [plane & self._before for plane in self._planes]


class Sayings:
    """The events of one application."""

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}
        self._habits: set[Hashable] = set()
        self._lately: set[Hashable] = set()
        self._before: set[Hashable] = set()
        self._turned_at = float("-inf")

    def note(self, at: float, said: Hashable) -> Novelty:
        """Record one event; equal ones are repetitions."""
        self._turn(at)
        new = said not in self._lately and said not in self._before
        if len(self._lately) < _KEPT:
            self._lately.add(said)
        if said in self._habits:
            return Novelty.HABIT
        if new:
            self.start_over()
        count = self._counts[said] = self._counts.get(said, 0) + 1
        if count >= ENOUGH:
            self._habits.add(said)
        return Novelty.NEW if new else Novelty.AGAIN

    def start_over(self) -> None:
        """Restart the count of repetitions after something new; habits remain."""
        self._counts.clear()

    def _turn(self, at: float) -> None:
        if at - self._turned_at < MEMORY_S:
            return
        self._before = self._lately if at - self._turned_at < 2 * MEMORY_S else set()
        self._lately, self._turned_at = set(), at
        self._habits &= self._before
        self._counts = {said: count for said, count in self._counts.items() if said in self._before}


def cells_of(rect: Rect) -> int:
    """The squares that a rectangle touches."""
    if rect.empty:
        return 0
    return _cells(_column(rect.left), _column(rect.top), _column(rect.right - 1), _column(rect.bottom - 1))


def _column(pixel: int) -> int:
    """Return the column, or row, of squares that a pixel is in; pixels beyond the last count to that."""
    return min(max(pixel, 0) // _CELL, _COLUMNS - 1)


@lru_cache(1024)
def _cells(left: int, top: int, right: int, bottom: int) -> int:
    row = ((1 << max(right - left + 1, 0)) - 1) << left
    cells = 0
    for number in range(top, bottom + 1):
        cells |= row << (number * _COLUMNS)
    return cells
