"""Scrolling a list to one of its items with the wheel (contract 4.3)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio

from deskhand.commands.call import ToolContext
from deskhand.commands.effects.snapshot import QUICK_S
from deskhand.commands.techniques.item_names import completed_name
from deskhand.commands.waiting import wait_for_program
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
    tools: ToolContext, window: TargetInfo, shown: Shown, name: str, names: dict[str, None], *, opens_s: float = 0.0
) -> TargetInfo | None:
    """Return the item of that name, else the only one whose name starts so, after scrolling to it if needed.

    `names` receives those of all items that were found, in their order; None: the list lacks the item. `opens_s`:
    timeout for the list to appear. Raises: TargetCovered; as `observe`.
    """
    now = await tools.desktop.wait_until(shown, deadline_s=opens_s)
    scrolling = _Scrolling(tools, window, shown, name, now, names)
    end = anyio.current_time() + SCROLLS_S
    if (found := await scrolling.both_ways(end)) is None and (whole := completed_name(names, name)) is not None:
        scrolling.name, scrolling.turns = whole, []
        found = await scrolling.both_ways(end)
    return found


@dataclass(slots=True)
class _Scrolling:
    """`now`: the list and its visible items; `step`: pixels of one notch, 0 if not known; `tries`: left to aim.

    `turns`: the notches of each turn that moved the list.
    """

    tools: ToolContext
    window: TargetInfo
    shown: Shown
    name: str
    now: tuple[TargetInfo, ...] | None
    names: dict[str, None]
    step: float = 0.0
    tries: int = _TRIES
    turns: list[int] = field(default_factory=list[int])

    async def both_ways(self, end: float) -> TargetInfo | None:
        """Scroll in the likelier direction, then in the other, until the item is visible."""
        self.now = self.now or await self.shown()
        first = 1 if self.now and _comes_before(self.name, self.now[1:]) else -1
        for direction in (first, -first, first):
            if direction == first and self.turns:
                break  # a list that has just opened may ignore the wheel: the other direction is tried twice
            await self._go_back()
            if (found := await self.search(direction, end)) is not None:
                return found
        return None

    async def _go_back(self) -> None:
        """Return at once to where the search began, or less far: the last turn may have been cut short by the end."""
        seen, back = self.now or await self.shown(), -sum(self.turns[:-1])
        if seen and back:
            await self._turn(seen[0], seen[1:], back)

    async def search(self, direction: int, end: float) -> TargetInfo | None:
        """Scroll in one direction until the item is visible; None if it is not there."""
        self.now = self.now or await self.shown()
        while self.now and anyio.current_time() < end:
            whole, *items = self.now
            self.names.update(dict.fromkeys(item.name for item in items if item.name))
            found = first_named(items, self.name)
            if found is not None and _shows_whole(found, whole, items):
                return found
            notches = direction * _notches(whole, items, self.step) if found is None else _notches_to(found, whole)
            if await self._turn(whole, items, notches) and found is not None:
                return first_named(self.now or (), self.name) or found
        return None

    async def _turn(self, whole: TargetInfo, items: Sequence[TargetInfo], notches: int) -> bool:
        """Turn the wheel and note the result; False if the list was covered. Raises: TargetCovered after some tries."""
        desktop, before = self.tools.desktop, self.now

        async def moved() -> tuple[TargetInfo, ...] | None:
            now = await self.shown()
            return now if _places(now) != _places(before) else None

        try:
            aim = await _aim(desktop, self.window, whole, items)
        except TargetCovered:
            self.tries -= 1
            if not self.tries:
                raise
            self.now = await desktop.wait_until(moved, deadline_s=QUICK_S) or before  # a page reports scrolling late
            return False
        self.tools.delivered = True
        await desktop.scroll(aim, notches)
        await desktop.settle(self.window)  # a busy program handles one notch after the other
        self.now = await wait_for_program(desktop, self.window, moved, deadline_s=QUICK_S)
        self.turns += [notches] if self.now is not None else []
        self.step = max(self.step, _moved(items, self.now or ()) / abs(notches))
        return True


def _comes_before(name: str, items: Sequence[TargetInfo]) -> bool:
    """True if a name is likely to be above the visible items: they are in alphabetical order, and it precedes them."""
    names = [item.name.casefold() for item in items]
    return bool(names) and names == sorted(names) and name.casefold() < names[0]


def _places(shown: tuple[TargetInfo, ...] | None) -> list[tuple[str, int]]:
    return [(item.name, item.rect.top) for item in shown] if shown else []


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
