"""Finding a control again that was only seen in a picture (contract 3.2, 4.4)."""

from dataclasses import replace
from typing import Final, Protocol

from deskhand.core.appearance import difference, look_of
from deskhand.core.errors import AmbiguousTarget, ApplicationGone, CaptureFailed, ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.target import Sighting, TargetInfo, Trait

_THE_SAME: Final = 1.0
_ALIKE: Final = 24.0
"""In a window that did not move: a tint below the pointer is no other control, another page is."""
_FIX: Final = "Observe the window again and choose anew."


class Sees(Protocol):
    """The part of a desktop that is needed to see."""

    async def windows(self) -> tuple[TargetInfo, ...]: ...

    async def screenshot(self, region: Rect | None = None) -> Picture: ...


class Reads(Protocol):
    """The part of a desktop that is needed to read."""

    async def windows(self) -> tuple[TargetInfo, ...]: ...

    async def observe(self, window: TargetInfo, *, picture: bool = True) -> Observation: ...


async def found_where_read(desktop: Reads, target: TargetInfo, sighting: Sighting) -> TargetInfo:
    """The text where it is read now: in its place in its window, else the only one of that name.

    Raises: ElementStale, AmbiguousTarget, and as `Desktop.observe`.
    """
    window = await _window_of(desktop, target, sighting)
    seen = await desktop.observe(window, picture=False)
    same = [c for c in seen.controls if Trait.READ_FROM_PICTURE in c.traits and c.name == target.name]
    place = target.rect.moved(*_moved(window, sighting))
    here = [control for control in same if not control.rect.intersection(place).empty] or same
    if not here:
        raise ElementStale(f"{target.describe} is not read from the picture any more", fix=_FIX)
    if len(here) > 1:
        places = tuple(f"{control.describe} at {control.rect.to_list()}" for control in here)
        raise AmbiguousTarget(f"{target.describe} is read in several places, and none is its own", places, fix=_FIX)
    return replace(here[0], id=target.id)


async def _window_of(desktop: Sees | Reads, target: TargetInfo, sighting: Sighting) -> TargetInfo:
    """Raises: ApplicationGone."""
    window = next((window for window in await desktop.windows() if window.handle == sighting.window), None)
    if window is None:
        raise ApplicationGone(f"the window that {target.describe} was seen in is gone", fix="select another window")
    return window


def _moved(window: TargetInfo, sighting: Sighting) -> tuple[int, int]:
    return window.rect.left - sighting.window_rect.left, window.rect.top - sighting.window_rect.top


async def found_where_seen(desktop: Sees, target: TargetInfo, sighting: Sighting) -> TargetInfo:
    """The target where it is now: in its place in its window.

    Where the window moved or changed its size since, the picture there must be the same, else about the same.
    Raises: ElementStale, ApplicationGone, DesktopGone.
    """
    window = await _window_of(desktop, target, sighting)
    moved = window.rect != sighting.window_rect
    place = target.rect.moved(*_moved(window, sighting))
    try:
        look = look_of(await desktop.screenshot(place), place)
    except CaptureFailed:
        look = b""
    if difference(sighting.look, look) > (_THE_SAME if moved else _ALIKE):
        why = "its window moved or changed its size, and " if moved else ""
        raise ElementStale(f"{target.describe} was only seen in a picture; {why}there is something else now", fix=_FIX)
    return replace(target, rect=place, sighting=replace(sighting, window_rect=window.rect))
