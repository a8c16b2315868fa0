"""Scrolling a list to one of its items with the wheel (contract 4.3)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio

from deskhand.commands.call import ToolContext
from deskhand.commands.effects.snapshot import QUICK_S
from deskhand.core.errors import TargetCovered
from deskhand.core.target import TargetInfo, first_named
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.screen import Aim

_LINES_PER_NOTCH: Final = 4
"""Visible lines of a list per notch of the first scroll, whose length is not known yet, so that no line is skipped."""

SCROLLS_S: Final = 60.0
"""Timeout for scrolling a list to an item."""

_TRIES: Final = 3
"""Attempts to aim the wheel while its place is covered."""

Shown = Callable[[], Awaitable[tuple[TargetInfo, ...] | None]]
"""Returns the list and its visible items; None if it is not there."""


async def scroll_to_item(
    tools: ToolContext, window: TargetInfo, shown: Shown, name: str, *, opens_s: float = 0.0
) -> TargetInfo | None:
    """Return an item of a list, after scrolling to it if needed; None if the list lacks it.

    `opens_s`: timeout for the list to appear. Raises: TargetCovered; as `observe`.
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
            break  # a list that has just opened may ignore the wheel: the other direction is tried twice
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
                now = await desktop.wait_until(moved, deadline_s=QUICK_S) or now  # a page reports scrolling late
                continue
            tools.delivered = True
            await desktop.scroll(aim, notches)
            await desktop.settle(window)  # a busy program handles one notch after the other
            now = await desktop.wait_until(moved, deadline_s=QUICK_S)
            turns = turns or now is not None
            step = max(step, _moved(items, now or ()) / abs(notches))
            if found is not None:
                return first_named(now or (), name) or found
    return None


async def _aim(desktop: Desktop, window: TargetInfo, whole: TargetInfo, items: Sequence[TargetInfo]) -> Aim:
    """Aim the wheel at a list, or in a page at the item in its middle, which lies over it. Raises: as `Desktop.aim`."""
    try:
        return await desktop.aim(window, whole.rect, whole)
    except TargetCovered:
        middle = items[len(items) // 2] if items else whole
        return await desktop.aim(window, middle.rect, middle)


def _shows_whole(item: TargetInfo, whole: TargetInfo, items: Sequence[TargetInfo]) -> bool:
    """True unless it is cut off, or only its edge is visible."""
    height = max(each.rect.height for each in items)
    return item.rect.height == height and whole.rect.intersection(item.rect) == item.rect


def _notches_to(item: TargetInfo, whole: TargetInfo) -> int:
    return 1 if item.rect.center.y < whole.rect.center.y else -1


def _notches(whole: TargetInfo, items: Sequence[TargetInfo], step: float) -> int:
    """Notches that bring the next items into view without skipping one; `step`: pixels of one, 0 if not known."""
    tops = {item.rect.top: item.rect.height for item in items}
    room = (whole.rect.height - max(tops.values(), default=0)) / step if step else len(tops) / _LINES_PER_NOTCH
    return max(1, int(room))


def _moved(before: Sequence[TargetInfo], now: Sequence[TargetInfo]) -> int:
    """Pixels by which the items visible before and now moved; 0 if none remains. A handle may be reused for another
    row.
    """
    tops = {(item.handle, item.name): item.rect.top for item in before}
    known = ((item.rect.top, tops.get((item.handle, item.name))) for item in now)
    return max((abs(top - was) for top, was in known if was is not None), default=0)
