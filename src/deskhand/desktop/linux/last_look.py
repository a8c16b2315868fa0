"""What the last look at a window found, and whether all of it, or a part, still holds (SPEC 4.4)."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.nodes import Walk
from deskhand.desktop.linux.processes import Work, is_stopped, work_of
from deskhand.desktop.linux.settle import Activity


@dataclass(frozen=True, slots=True)
class LastLook:
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
        over = itertools.takewhile(lambda other: other.handle != window.handle, listed)
        return all(other.rect.intersection(window.rect).empty for other in over)

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

    def shows_same_cells(self, window: TargetInfo, listed: Sequence[TargetInfo], still: Callable[[Rect], bool]) -> bool:
        """Whether it read spreadsheets whose every pixel is `still` as it was before, though something else changed."""
        tables = self.walk.sheets
        return bool(tables) and self.is_of(window, listed) and all(still(table.rect) for table in tables)
