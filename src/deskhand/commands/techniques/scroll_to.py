"""Scrolling through a list for one of its items, with the wheel (contract 4.3)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio

from deskhand.commands.catalogue import ToolContext
from deskhand.commands.effects.verdict import QUICK_S
from deskhand.core.errors import TargetCovered
from deskhand.core.target import TargetInfo, first_named
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.screen import Aim

_LINES_PER_NOTCH: Final = 4
"""At least so many lines of a list have to show for each notch of the wheel until it is known how far one goes, so that
none is scrolled past unseen."""

SCROLLS_S: Final = 60.0
"""So long a list is scrolled through for an item."""

_TRIES: Final = 3
"""How often the wheel is aimed anew where what it is to be turned over is covered."""

Shown = Callable[[], Awaitable[tuple[TargetInfo, ...] | None]]
"""The list, and what of it shows; None where it is not there."""


async def scrolled_to(
    tools: ToolContext, window: TargetInfo, shown: Shown, name: str, *, opens_s: float = 0.0
) -> TargetInfo | None:
    """An item of a list, which is scrolled to it where need be; None where it is nowhere in it.

    `opens_s`: how long the list may take to be there. Raises: TargetCovered and what `observe` raises.
    """
    desktop = tools.desktop

    async def moved() -> tuple[TargetInfo, ...] | None:
        now = await shown()
        return now if places(now) != places(before) else None

    def places(shown: tuple[TargetInfo, ...] | None) -> list[tuple[str, int]]:
        return [(item.name, item.rect.top) for item in shown] if shown else []

    before, now = None, await desktop.wait_until(shown, deadline_s=opens_s)
    end, step, left, turns = anyio.current_time() + SCROLLS_S, 0.0, _TRIES, False
    for direction in (-1, 1, -1):
        if direction < 0 and turns:
            break  # what has just opened may take no wheel yet: where nothing moved it is tried again
        now = now or await shown()
        while now and anyio.current_time() < end:
            before, (whole, *items) = now, now
            found = first_named(items, name)
            if found is not None and _shows_whole(found, whole, items):
                return found
            notches = _notches_to(found, whole) if found is not None else direction * _notches(whole, items, step)
            try:
                aim = await _aim(desktop, window, whole, items)
            except TargetCovered:
                left -= 1
                if not left:
                    raise
                now = await desktop.wait_until(moved, deadline_s=QUICK_S) or now  # a page tells late that it scrolled
                continue
            tools.delivered = True
            await desktop.scroll(aim, notches)
            await desktop.settle(window)  # a busy program takes one notch after the other
            now = await desktop.wait_until(moved, deadline_s=QUICK_S)
            turns = turns or now is not None
            step = max(step, _moved(items, now or ()) / abs(notches))
            if found is not None:
                return first_named(now or (), name) or found
    return None


async def _aim(desktop: Desktop, window: TargetInfo, whole: TargetInfo, items: Sequence[TargetInfo]) -> Aim:
    """Where the wheel is turned over a list: in a page its items lie over it. Raises: as `Desktop.aim`."""
    try:
        return await desktop.aim(window, whole.rect, whole)
    except TargetCovered:
        middle = items[len(items) // 2] if items else whole
        return await desktop.aim(window, middle.rect, middle)


def _shows_whole(item: TargetInfo, whole: TargetInfo, items: Sequence[TargetInfo]) -> bool:
    """Else it shows in part, or by its edge."""
    height = max(each.rect.height for each in items)
    return item.rect.height == height and whole.rect.intersection(item.rect) == item.rect


def _notches_to(item: TargetInfo, whole: TargetInfo) -> int:
    return 1 if item.rect.center.y < whole.rect.center.y else -1


def _notches(whole: TargetInfo, items: Sequence[TargetInfo], step: float) -> int:
    """How many bring the next items into view without one being scrolled past; `step`: pixels of one, 0 until known."""
    tops = {item.rect.top: item.rect.height for item in items}
    room = (whole.rect.height - max(tops.values(), default=0)) / step if step else len(tops) / _LINES_PER_NOTCH
    return max(1, int(room))


def _moved(before: Sequence[TargetInfo], now: Sequence[TargetInfo]) -> int:
    """By how many pixels what shows still was moved; 0 where nothing does. Rows may be others under the same handle."""
    tops = {(item.handle, item.name): item.rect.top for item in before}
    known = ((item.rect.top, tops.get((item.handle, item.name))) for item in now)
    return max((abs(top - was) for top, was in known if was is not None), default=0)
