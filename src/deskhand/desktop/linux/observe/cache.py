"""Cache of the last read of a window, and whether all of it, or a part, is still valid (contract 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.runtime.process_table import Work, is_stopped, work_of
from deskhand.desktop.protocols.windows import windows_over

_MOMENT_S: Final = 0.1
"""A window that was read so shortly before is not read again if its process answered since and reported nothing."""

_FEW: Final = 3
"""Up to one in so many cells are read again by themselves; where there are more, all are."""


@dataclass(frozen=True, slots=True)
class CachedWindow:
    """A whole read of a window that nothing is missing from.

    `began_s`: when it began, or when the cells that it reused were read, on the clock of activity; `ended_s`: when it
    ended. `work`: processor time of the window's process then; empty where that is no measure of what the window shows.
    `shot`: pixels of its spreadsheets, taken at `shot_s`: before the cells were read, or after the first read of all.
    `reread`: their parts in which cells were read again since then.
    """

    window: TargetInfo
    began_s: float
    ended_s: float
    walk: Walk
    controls: tuple[TargetInfo, ...]
    work: Work
    shot: Shot | None = None
    shot_s: float = 0.0
    reread: tuple[Rect, ...] = ()

    @classmethod
    def note(
        cls, window: TargetInfo, times_s: tuple[float, float], walk: Walk, controls: tuple[TargetInfo, ...]
    ) -> Self:
        """Cache a read that has just ended. Windows that embed other processes may change without work of their own."""
        alone = len({node.ref.bus for node in walk.nodes.values()}) == 1
        return cls(window, *times_s, walk, controls, work_of(window.pid or 0) if alone else frozenset())

    def is_of(self, window: TargetInfo, listed: Sequence[TargetInfo]) -> bool:
        """True if it was a read of this window, at the same place, with no window above it."""
        if (self.window.handle, self.window.rect) != (window.handle, window.rect):
            return False
        return not windows_over(window, listed)

    def is_unchanged(self, window: TargetInfo, listed: Sequence[TargetInfo], activity: Activity) -> bool:
        """True if no event or repaint of the window's process came since, and no action was made.

        Occluded changes are not observed; changes that are neither reported nor painted are missed.
        """
        return self.is_of(window, listed) and activity.unchanged_since(window.pid, self.began_s)

    def is_at_rest(self, window: TargetInfo, activity: Activity) -> bool:
        """True if its process has not run at all since: it would report the same, down to the last field.

        One that is stopped is not at rest: the caller has to learn that it does not answer.
        """
        now = window
        if not self._is_same(now):
            return False
        if not self.work or not activity.unchanged_since(now.pid, self.began_s) or is_stopped(now.pid or 0):
            return False
        return work_of(now.pid or 0) == self.work

    def is_just_read(self, window: TargetInfo, listed: Sequence[TargetInfo], activity: Activity) -> bool:
        """True if it ended a moment ago, and its process answered since and reported nothing."""
        if not self.work or activity.now() - self.ended_s > _MOMENT_S or not self._is_same(window):
            return False
        return activity.answered_since(window.pid, self.ended_s) and self.is_unchanged(window, listed, activity)

    def _is_same(self, now: TargetInfo) -> bool:
        known = self.window
        return (known.handle, known.rect, known.name, known.pid) == (now.handle, now.rect, now.name, now.pid)

    def cells_to_renew(
        self, window: TargetInfo, doubtful: Sequence[Rect], *, by_picture: bool = False
    ) -> frozenset[Ref] | None:
        """Return the cells of its spreadsheets that are in a doubtful place; None: any of them may have changed.

        `doubtful`: regions that the window's process painted since, or `by_picture` that look different, and those that
        were not observed. A row or column that is inserted, removed or resized repaints all that follow it, to the last
        one. If it is empty it may look the same afterwards: by a picture the last ones are always read again, whose
        extents show it.
        """
        known, tables = self.window, self.walk.sheets
        if not tables or (known.handle, known.rect) != (window.handle, window.rect) or MINIMIZED in window.states:
            return None
        found: set[Ref] = set()
        for table in tables:
            places = [place for place in doubtful if not place.intersection(table.rect).empty]
            if not places and not by_picture:
                continue
            cells = self._cells_to_renew(table, places, by_picture=by_picture)
            if cells is None:
                return None
            found |= cells
        return frozenset(found)

    def _cells_to_renew(self, table: Node, places: Sequence[Rect], *, by_picture: bool) -> set[Ref] | None:
        cells = [self.walk.nodes[ref] for ref in table.children if ref in self.walk.nodes]
        touched = {cell.ref for cell in cells if any(_meet(cell.rect, place) for place in places)}
        if len(touched) * _FEW > len(cells):
            return None
        ends = _ends(cells)
        if by_picture:
            return touched.union(*ends)
        return None if any(end <= touched for end in ends) else touched


@dataclass(frozen=True, slots=True)
class LastSeen:
    """The last observation of a window, without its picture, with its time on the clock of activity.

    `texts`: those that the window draws without exposing them were read.
    """

    began_s: float
    ended_s: float
    seen: Observation
    texts: bool

    def is_valid(self, window: TargetInfo, listed: Sequence[TargetInfo], activity: Activity) -> bool:
        """True if nothing of its program was reported or painted since it began, no action was made, and no window is
        above it: what is occluded is not painted.
        """
        then = self.seen.window
        known, now = (
            (each.handle, each.pid, each.name, each.rect, each.states - {"active"}) for each in (then, window)
        )
        return known == now and not windows_over(window, listed) and activity.unchanged_since(window.pid, self.began_s)


def _ends(cells: Sequence[Node]) -> tuple[set[Ref], ...]:
    """The cells of the last row, and those of the last column."""
    if not cells:
        return ()
    last_row, last_column = max(cell.rect.top for cell in cells), max(cell.rect.left for cell in cells)
    in_row = {cell.ref for cell in cells if cell.rect.top == last_row}
    return in_row, {cell.ref for cell in cells if cell.rect.left == last_column}


def _meet(one: Rect, other: Rect) -> bool:
    """True if they share a pixel. (`intersection` takes ten times as long, and there are thousands of cells.)"""
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
