"""What was painted and not told: no effect that is confirmed, and no sign of a dead control either (contract 4.3)."""

from collections.abc import Iterable, Sequence, Set
from itertools import pairwise
from typing import Final

from deskhand.commands.effects.diff import MENUS
from deskhand.commands.effects.snapshot import Before, look_at
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

_REPEATS_S: Final = 1.1
"""What is painted by itself, as a caret or a clock, is so again within this time."""

_HALO: Final = 16
"""So many pixels around a control are its own: shadows, and frames of what has the keyboard."""

_MOST_TILES: Final = 8
_SMALLEST: Final = 48
"""A window is parted until it is known so finely where it was painted, or there are so many parts."""


async def painted_beside(desktop: Desktop, earlier: Before) -> str | None:
    """Where a program looks otherwise than before the action though nothing was told, as a sentence; None: nowhere.

    In the window that was acted on, else in another of its program: a dialog changes the document beside it.

    The places of the target, and of whatever tells something else than before and was found to be no effect, do not
    count, nor does what is painted again meanwhile. The earlier picture is given up for that: nothing can be held
    against `earlier.mark` any more.
    """
    window, mark, seen = earlier.window, earlier.mark, earlier.seen
    if window is None or mark is None or seen is None or earlier.target is None:
        return None
    now = await look_at(desktop, window)
    if now is None:
        return None
    passing = frozenset({"focused"}) if earlier.target.type in MENUS else frozenset[str]()
    told = (earlier.target.rect, *_told(seen, now, passing))
    painted = await _painted(desktop, mark, window, _outside(window, told))
    if painted and not earlier.calm:
        painted = await _at_rest(desktop, window, painted)
    if painted:
        return f"nothing was told, but something was painted at {_where(painted, now)}"
    other = await _other_painted(desktop, mark, earlier)
    return f"nothing was told, but something was painted in {other.describe}" if other else None


async def painted_outside(desktop: Desktop, mark: float, window: TargetInfo, places: Iterable[Rect]) -> bool:
    """Whether a window looks otherwise anywhere but in these places and right around them."""
    for part in _outside(window, places):
        if await desktop.painted_since(mark, window, part):
            return True
    return False


def _outside(window: TargetInfo, places: Iterable[Rect]) -> list[Rect]:
    left = [window.rect]
    for place in places:
        left = [rest for part in left for rest in part.minus(place.grown(_HALO))]
    return left


async def _other_painted(desktop: Desktop, mark: float, earlier: Before) -> TargetInfo | None:
    """Another window of the program that looks otherwise, and does not go on doing so by itself.

    One that was activated or left meanwhile looks otherwise for that.
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


def _told(seen: Observation, now: Observation, passing: Set[str]) -> set[Rect]:
    """Where the controls stand that are not told as they were, and stood; states that are `passing` do not count.

    While a menu is open it has the keyboard: a text that gets it back when that closes may look otherwise for more.
    """
    looks = [{(c.handle, c.name, c.value, c.states - passing, c.rect) for c in look.controls} for look in (seen, now)]
    return {rect for *_, rect in looks[0] ^ looks[1] if not rect.empty}


async def _painted(desktop: Desktop, mark: float, window: TargetInfo, places: Sequence[Rect]) -> list[Rect]:
    """The parts of places that look otherwise."""
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
    """Those that are not painted once more."""
    mark, still = await desktop.paint_mark(), list(painted)

    async def look() -> bool | None:
        still[:] = [place for place in still if not await desktop.painted_since(mark, window, place)]
        return True if not still else None

    await desktop.wait_until(look, deadline_s=_REPEATS_S)
    return still


def _where(painted: Sequence[Rect], now: Observation) -> str:
    """What stands there: of the controls that have half of a part the smallest; two of them, and if there are more."""
    found = sorted(
        {_around(place, now) for place in painted}, key=lambda control: (control.rect.area, control.describe)
    )
    return ", ".join([*(control.describe for control in found[:2]), *(["…"] if len(found) > 2 else [])])


def _around(place: Rect, now: Observation) -> TargetInfo:
    around = [control for control in now.controls if 2 * control.rect.intersection(place).area >= place.area]
    return min(around, key=lambda control: control.rect.area, default=now.window)
