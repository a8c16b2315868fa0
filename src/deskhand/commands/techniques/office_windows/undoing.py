"""Steps for Undo that a change by the windows made."""

from dataclasses import dataclass
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_UNDO: Final = Chord("z", ("ctrl",))


@dataclass(slots=True)
class Steps:
    """Their number since the change began; a change that is reported as none is not counted."""

    count: int = 0

    async def undo(self, desktop: Desktop, window: TargetInfo) -> bool:
        """Undo them by the keyboard; True if there were any. That they are undone has to be read."""
        number, self.count = self.count, 0
        for _ in range(number):
            await desktop.activate(window)
            await desktop.press([_UNDO])
            await desktop.settle(window)
        return number > 0
