"""Choice of the cells of a spreadsheet that are read again, by the places that were painted and by their pixels.

A program may paint one box around all that changed, which is its whole window if a toolbar and the status bar did. Then
a picture of the cells is compared with the one that was taken when they were read last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect, around
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.display_server import Camera, Connection
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.cache import CachedWindow
from deskhand.desktop.linux.pixels import Shot

_HEARD_S: Final = 0.05
"""The time in which a repaint is reported."""

_MOST: Final = 32
"""Parts of a picture that may be left out of a comparison, from which on a new one is taken."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """The cells to be read again, None for all, and when the choice was made, on the clock of activity.

    `shot`: pixels of the spreadsheets, taken at `shot_s`; None: not taken. `reread`: their parts in which cells were
    read again since then.
    """

    cells: frozenset[Ref] | None
    began_s: float
    shot: Shot | None = None
    shot_s: float = 0.0
    reread: tuple[Rect, ...] = ()


class RenewedCells:
    """Chooses the cells of the windows of one desktop that are read again."""

    def __init__(self, connection: Connection, camera: Camera, activity: Activity) -> None:
        self._connection = connection
        self._camera = camera
        self._activity = activity

    async def of(self, window: TargetInfo, listed: Sequence[TargetInfo], last: CachedWindow | None) -> Renewal:
        """Choose those of a window whose last read is `last`; `listed`: all windows. Raises: DesktopGone."""
        began = self._activity.now()
        if last is None or not last.walk.sheets:
            return Renewal(None, began)
        if last.is_unchanged(window, listed, self._activity):
            return Renewal(frozenset(), began, last.shot, last.shot_s, last.reread)
        unseen = await self._connection.run(lambda screen: (*screen.stack.over(window), *screen.stack.beyond()))
        painted = self._activity.painted_since(window.pid, last.began_s)
        cells = last.cells_to_renew(window, (*painted, *unseen)) if painted is not None else None
        reread = (*last.reread, *(painted or ()), *unseen) if cells else last.reread
        if cells is not None and len(reread) <= _MOST:
            return Renewal(cells, began, last.shot, last.shot_s, reread)
        shot = await self._grab(last.walk.sheets)
        changed = self._changed(last, shot) if cells is None else None
        if changed is not None:
            cells = last.cells_to_renew(window, (*changed, *last.reread, *unseen), by_picture=True)
        return Renewal(cells, began, shot, began)

    async def completed(self, renewal: Renewal, walk: Walk) -> Renewal:
        """Take the pixels after the first read of spreadsheets: their place was not known before."""
        if renewal.shot is not None or not walk.sheets:
            return renewal
        return replace(renewal, shot=await self._grab(walk.sheets), shot_s=self._activity.now())

    def _changed(self, last: CachedWindow, shot: Shot | None) -> tuple[Rect, ...] | None:
        """Return the parts that differ from the picture of the last read; None where these cannot be compared."""
        if shot is None or last.shot is None or not self._is_of_cells(last):
            return None
        return shot.changed_parts(last.shot)

    def _is_of_cells(self, last: CachedWindow) -> bool:
        """True if the cells of a read were painted as they are in its pixels: nothing was painted between both."""
        if last.shot_s <= last.began_s:
            return True
        since_read, since_shot = (
            self._activity.painted_since(last.window.pid, at_s) for at_s in (last.began_s, last.shot_s + _HEARD_S)
        )
        return since_read is not None and since_read == since_shot

    async def _grab(self, sheets: Sequence[Node]) -> Shot | None:
        """Return the pixels of the part of the screen that contains these tables; None where it cannot be taken."""
        try:
            return await self._camera.grab(around([table.rect for table in sheets]))
        except CaptureFailed:
            return None
