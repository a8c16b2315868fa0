"""Finding a control again that was only seen in a picture (contract 3.2, 4.4)."""

from dataclasses import replace
from typing import Final, Protocol

from deskhand.core.appearance import difference, look_of
from deskhand.core.errors import ApplicationGone, CaptureFailed, ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.target import Sighting, TargetInfo

_THE_SAME: Final = 1.0
_ALIKE: Final = 24.0
"""In a window that did not move: a tint below the pointer is no other control, another page is."""
_FIX: Final = "Observe the window again and choose anew."


class Sees(Protocol):
    """The part of a desktop that is needed here."""

    async def windows(self) -> tuple[TargetInfo, ...]: ...

    async def screenshot(self, region: Rect | None = None) -> Picture: ...


async def found_where_seen(desktop: Sees, target: TargetInfo, sighting: Sighting) -> TargetInfo:
    """The target where it is now: in its place in its window.

    Where the window moved or changed its size since, the picture there must be the same, else about the same.
    Raises: ElementStale, ApplicationGone, DesktopGone.
    """
    window = next((window for window in await desktop.windows() if window.handle == sighting.window), None)
    if window is None:
        raise ApplicationGone(f"the window that {target.describe} was seen in is gone", fix="select another window")
    moved = window.rect != sighting.window_rect
    place = target.rect.moved(window.rect.left - sighting.window_rect.left, window.rect.top - sighting.window_rect.top)
    try:
        look = look_of(await desktop.screenshot(place), place)
    except CaptureFailed:
        look = b""
    if difference(sighting.look, look) > (_THE_SAME if moved else _ALIKE):
        why = "its window moved or changed its size, and " if moved else ""
        raise ElementStale(f"{target.describe} was only seen in a picture; {why}there is something else now", fix=_FIX)
    return replace(target, rect=place, sighting=replace(sighting, window_rect=window.rect))
