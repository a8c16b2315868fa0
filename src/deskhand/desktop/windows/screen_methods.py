"""Pictures, screens and the hit test."""

from ctypes import wintypes
from functools import partial
from time import monotonic
from typing import Final

from deskhand.core.errors import ActionRefused, ApplicationGone, CaptureFailed, TargetCovered, TargetMoving
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.screen import Aim, ScreenInfo
from deskhand.desktop.protocols.windows import windows_over
from deskhand.desktop.visibility import point_in, visible_parts
from deskhand.desktop.windows.base import Base
from deskhand.desktop.windows.capture import part_of, primary_rect, screen_rect
from deskhand.desktop.windows.reader import Listing, root_of
from deskhand.desktop.windows.win32 import dlls

_ROOT: Final = 2
_MOVED: Final = "Observe the window again."


class ScreenMethods(Base):
    """The protocol `Screen`."""

    def __init__(self) -> None:
        super().__init__()
        self._mark = 0.0
        self._marked: Picture | None = None

    async def screenshot(self, region: Rect | None = None) -> Picture:
        self._require_open()
        return await self._worker.run(partial(self.controls.picture, region))

    async def screens(self) -> tuple[ScreenInfo, ...]:
        self._require_open()
        primary = await self._worker.run(primary_rect)
        return (ScreenInfo(self.name, primary, primary=True),)

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        listing = await self._listing()
        now = listing.find(window.handle)
        if now is None:
            raise ApplicationGone(f"{window.describe} is gone.", fix="List the windows again.")
        if now.rect != window.rect:
            raise TargetMoving(f'"{window.name}" has moved since it was observed.', fix=_MOVED)
        root = await self._worker.run(partial(_root_of_target, window, control))
        screen = await self._worker.run(screen_rect)
        covers = _covers(listing, now, root)
        point = point_in(place, visible_parts(place, (screen,), covers.values()))
        described = control.describe if control else f'{place} of "{window.name}"'
        if point is None:
            raise _out_of_sight(described, place, screen, covers)
        if (there := await self._worker.run(partial(_root_at, point))) != root:
            raise TargetCovered(f"{described} is covered by the window {there}.", fix=_MOVED)
        return Aim(point, window, root)

    async def paint_mark(self, window: TargetInfo | None = None) -> float:  # noqa: ARG002 - the whole screen is kept
        self._require_open()
        self._marked = await self._worker.run(self.controls.picture)
        self._mark = monotonic()
        return self._mark

    async def painted_since(self, mark: float, window: TargetInfo, *places: Rect) -> bool | None:
        listing = await self._listing()
        before, now = self._marked, listing.find(window.handle)
        if mark != self._mark or before is None or now is None or now.rect != window.rect:
            return None
        after = await self._worker.run(self.controls.picture)
        above = [other.rect for other in windows_over(now, listing.windows)]
        found = [_repainted(before, after, place, above) for place in places]
        return True if True in found else False if False in found else None


def still_holds(aim: Aim) -> None:
    """Check an aim as part of the press, blocking. Raises: ApplicationGone, TargetCovered."""
    if not dlls.is_window(int(aim.window.handle)):
        raise ApplicationGone(f"{aim.window.describe} is gone.", fix="List the windows again.")
    if (there := _root_at(aim.point)) != aim.taken_by:
        raise TargetCovered(f"The window {there} has come over the target; nothing was pressed.", fix=_MOVED)


def _root_of_target(window: TargetInfo, control: TargetInfo | None) -> str:
    return (root_of(control.handle) if control and control.handle else "") or window.handle


def _root_at(point: Point) -> str:
    return str(dlls.ancestor(dlls.window_at(wintypes.POINT(point.x, point.y)), _ROOT))


def _covers(listing: Listing, window: TargetInfo, root: str) -> dict[str, Rect]:
    """Return the places above a target by the names of their windows; popups are above all."""
    if root != window.handle:
        return {}
    covers = {f'"{other.name}"': other.rect for other in windows_over(window, listing.windows)}
    return covers | {popup.window_class: Rect(*popup.rect) for popup in listing.popups}


def _out_of_sight(
    described: str, place: Rect, screen: Rect, covers: dict[str, Rect]
) -> TargetCovered | ActionRefused | CaptureFailed:
    names = [name for name, rect in covers.items() if not rect.intersection(place).empty]
    if names and not place.intersection(screen).empty:
        return TargetCovered(f"{described} is covered by {', '.join(names)}.", fix="Bring its window to the front.")
    return ActionRefused(f"{described} is not on the screen.", fix="Scroll to it, or move its window.")


def _repainted(before: Picture, after: Picture, place: Rect, above: list[Rect]) -> bool | None:
    parts = visible_parts(place, (before.rect,), above)
    if any(part_of(before, part) != part_of(after, part) for part in parts):
        return True
    return False if sum(part.area for part in parts) == place.area else None
