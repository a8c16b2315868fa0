"""Repaints without a reported change: no confirmed effect, and no sign of a dead control either (contract 4.3)."""

from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Final

from deskhand.commands.effects.diff import MENUS
from deskhand.commands.effects.snapshot import Before, outside_of, try_observe
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

_REPEATS_S: Final = 1.1
"""Repaints that repeat, such as those of a caret or a clock, do so within this time."""


_MOST_TILES: Final = 8
_SMALLEST: Final = 48
"""Pixels. A window is halved until the repainted parts are this small, or there are `_MOST_TILES` of them."""


async def painted_beside(desktop: Desktop, earlier: Before) -> str | None:
    """A sentence on repaints of a program since the action without a reported change; None without any.

    Checks the window of the action, then other windows of its program: a dialog changes the document beside it. The
    places of the target and of reported changes do not count, nor does a part that is painted again meanwhile. The
    earlier picture is dropped for that: `earlier.mark` cannot be compared with afterwards.
    """
    window, mark, seen = earlier.window, earlier.mark, earlier.seen
    if window is None or mark is None or seen is None or earlier.target is None:
        return None
    now = await try_observe(desktop, window)
    if now is None:
        return None
    passing = frozenset({"focused"}) if earlier.target.type in MENUS else frozenset[str]()
    places = (earlier.target.rect, *_reported_places(seen, now, passing))
    painted = await _painted(desktop, mark, window, outside_of(window, places))
    if painted and not earlier.calm:
        painted = await _at_rest(desktop, window, painted)
    if painted:
        return f"nothing was reported, but something was painted at {_where(painted, now)}"
    other = await _other_painted(desktop, mark, earlier)
    return f"nothing was reported, but something was painted in {other.describe}" if other else None


async def _other_painted(desktop: Desktop, mark: float, earlier: Before) -> TargetInfo | None:
    """Another window of the program that was repainted, and does not continue by itself.

    One that was activated or deactivated meanwhile does not count.
    """
    window, now = earlier.window, {(each.handle, "active" in each.states) for each in await desktop.windows()}
    beside = [
        other for other in earlier.windows if window and other.pid == window.pid and other.handle != window.handle
    ]
    for other in beside:
        if other.pid is None or (other.handle, "active" in other.states) not in now:
            continue
        if painted := await _painted(desktop, mark, other, [other.rect]):
            return other if await _at_rest(desktop, other, painted) else None
    return None


def _reported_places(seen: Observation, now: Observation, passing: Set[str]) -> set[Rect]:
    """Places, before and now, of controls whose report changed; `passing` states do not count.

    An open menu has the keyboard: a text that gets it back may be repainted outside of its place.
    """
    then, after = (
        {(c.handle, c.name, c.value, c.states - passing, c.rect) for c in each.controls} for each in (seen, now)
    )
    return {rect for *_, rect in then ^ after if not rect.empty}


async def _painted(desktop: Desktop, mark: float, window: TargetInfo, places: Sequence[Rect]) -> list[Rect]:
    """The repainted parts of places."""
    found, parts = list[Rect](), list(places)
    while parts and len(found) < _MOST_TILES:
        found = [part for part in parts if await desktop.painted_since(mark, window, part)]
        parts = [half for part in found for half in _halves(part)]
        if len(parts) == len(found):
            break
    return found


def _halves(place: Rect) -> tuple[Rect, ...]:
    if max(place.width, place.height) <= _SMALLEST:
        return (place,)
    if place.width > place.height:
        return tuple(
            Rect(a, place.top, b, place.bottom) for a, b in pairwise((place.left, place.center.x, place.right))
        )
    return tuple(Rect(place.left, a, place.right, b) for a, b in pairwise((place.top, place.center.y, place.bottom)))


async def _at_rest(desktop: Desktop, window: TargetInfo, painted: Sequence[Rect]) -> list[Rect]:
    """Those that are not painted again."""
    mark, still = await desktop.paint_mark(), list(painted)

    async def look() -> bool | None:
        still[:] = [place for place in still if not await desktop.painted_since(mark, window, place)]
        return True if not still else None

    await desktop.wait_until(look, deadline_s=_REPEATS_S)
    return still


def _where(painted: Sequence[Rect], now: Observation) -> str:
    """The smallest control over each part; at most two, and "…" for more."""
    found = sorted(
        {_around(place, now) for place in painted}, key=lambda control: (control.rect.area, control.describe)
    )
    return ", ".join([*(control.describe for control in found[:2]), *(["…"] if len(found) > 2 else [])])


def _around(place: Rect, now: Observation) -> TargetInfo:
    around = [control for control in now.controls if 2 * control.rect.intersection(place).area >= place.area]
    return min(around, key=lambda control: control.rect.area, default=now.window)
