"""Steps for Undo that a change by the windows made."""

from dataclasses import dataclass
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_UNDO: Final = Chord("z", ("ctrl",))


@dataclass(slots=True)
class Steps:
    """Their number since the change began, less those undone; a change that is reported as none is not counted."""

    count: int = 0

    async def undo(self, desktop: Desktop, window: TargetInfo) -> bool:
        """Undo them by the keyboard; True if there were any. That they are undone has to be read."""
        had_any = self.count > 0
        while self.count:
            await desktop.activate(window)
            await desktop.press([_UNDO])
            self.count -= 1
            await desktop.settle(window)
        return had_any
