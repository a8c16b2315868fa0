"""What the last look at a window found, and whether all of it, or a part, still holds (contract 4.4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from deskhand.core.geometry import Rect
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.runtime.process_table import Work, is_stopped, work_of
from deskhand.desktop.protocols.windows import windows_over

_FEW: Final = 3
"""Up to one in so many cells are read again by themselves; where there are more, all are."""


@dataclass(frozen=True, slots=True)
class CachedWindow:
    """A whole look at a window that nothing is missing of.

    `began_s` is when it began, or when the cells were read that it kept, on the clock of activity. `work` is what the
    window's process had done when it ended; empty where that says nothing of what the window shows.
    """

    window: TargetInfo
    began_s: float
    walk: Walk
    controls: tuple[TargetInfo, ...]
    work: Work

    @classmethod
    def note(cls, window: TargetInfo, began_s: float, walk: Walk, controls: tuple[TargetInfo, ...]) -> Self:
        """Called as soon as the look is over. What other processes show in the window may change without its own."""
        alone = len({node.ref.bus for node in walk.nodes.values()}) == 1
        return cls(window, began_s, walk, controls, work_of(window.pid or 0) if alone else frozenset())

    def is_of(self, window: TargetInfo, listed: Sequence[TargetInfo]) -> bool:
        """Whether it was a look at this window, which stands where it stood, and nothing lies over it."""
        if (self.window.handle, self.window.rect) != (window.handle, window.rect):
            return False
        return not windows_over(window, listed)

    def is_unchanged(self, window: TargetInfo, listed: Sequence[TargetInfo], activity: Activity) -> bool:
        """Whether nothing was heard or seen of the window's process since, and nothing was done to it.

        What is covered is not seen; what is neither told nor painted is missed.
        """
        return self.is_of(window, listed) and activity.unchanged_since(window.pid, self.began_s)

    def is_at_rest(self, window: TargetInfo, activity: Activity) -> bool:
        """Whether its process has not run at all since: then it would tell the same, down to the last field.

        One that is stopped is not at rest: whoever looks has to learn that it does not answer.
        """
        known, now = self.window, window
        if (known.handle, known.rect, known.name, known.pid) != (now.handle, now.rect, now.name, now.pid):
            return False
        if not self.work or not activity.unchanged_since(now.pid, self.began_s) or is_stopped(now.pid or 0):
            return False
        return work_of(now.pid or 0) == self.work

    def shows_same_cells(
        self, window: TargetInfo, listed: Sequence[TargetInfo], still: Callable[[Rect], bool], beyond: Sequence[Rect]
    ) -> bool:
        """Whether it read spreadsheets whose every pixel is `still` as it was before, though something else changed.

        `beyond`: where nothing is seen.
        """
        tables = self.walk.sheets
        if any(_meet(table.rect, place) for table in tables for place in beyond):
            return False
        return bool(tables) and self.is_of(window, listed) and all(still(table.rect) for table in tables)

    def cells_to_renew(self, window: TargetInfo, doubtful: Sequence[Rect]) -> frozenset[Ref] | None:
        """The cells of spreadsheets that it read and that stand in a doubtful place; None: all may read otherwise.

        `doubtful` is where the window's process painted since, or what happened was not seen. A line that came, went or
        got another size has all that follows it painted, to the last one.
        """
        known, tables = self.window, self.walk.sheets
        if not tables or (known.handle, known.rect) != (window.handle, window.rect) or MINIMIZED in window.states:
            return None
        found: set[Ref] = set()
        for table in tables:
            places = [place for place in doubtful if not place.intersection(table.rect).empty]
            cells = [self.walk.nodes[ref] for ref in table.children if ref in self.walk.nodes] if places else []
            touched = {cell.ref for cell in cells if any(_meet(cell.rect, place) for place in places)}
            if len(touched) * _FEW > len(cells) or any(end <= touched for end in _ends(cells)):
                return None
            found |= touched
        return frozenset(found)


def _ends(cells: Sequence[Node]) -> tuple[set[Ref], ...]:
    """The cells of the last row, and those of the last column."""
    if not cells:
        return ()
    last_row, last_column = max(cell.rect.top for cell in cells), max(cell.rect.left for cell in cells)
    in_row = {cell.ref for cell in cells if cell.rect.top == last_row}
    return in_row, {cell.ref for cell in cells if cell.rect.left == last_column}


def _meet(one: Rect, other: Rect) -> bool:
    """Whether they share a pixel. (`intersection` takes ten times as long, and there are thousands of cells.)"""
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
