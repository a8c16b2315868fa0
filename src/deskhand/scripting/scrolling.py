"""Scrolling with the wheel to a control that is out of view, where its window does not list it."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import Final

import anyio

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.scripting.actor import Actor

SCROLLS_S: Final = 60.0
"""Timeout for scrolling through a window."""

_MOST_AREAS: Final = 4
_MOST_NOTCHES: Final = 1000
_FIRST_NOTCHES: Final = 2
_MOVES_S: Final = 0.4
_SHARE: Final = 0.7
"""Part of a view that is scrolled at once: the rest joins it to the next view."""
_BESIDE: Final = 8
"""Pixels between a scroll bar and what it scrolls, at most."""
_SCROLLED: Final = frozenset({Role.DOCUMENT, Role.LIST, Role.TABLE, Role.TREE})
_TURNED: Final = frozenset({Role.COMBOBOX, Role.SLIDER, Role.SPINBUTTON, Role.TAB, Role.TABLIST})
"""Roles that the wheel changes."""
_PLACES: Final = (0.5, 0.25, 0.75, 0.05, 0.95)


@dataclass(frozen=True, slots=True)
class _Area:
    """A part of a window that may scroll, by its scroll bar or its own; `at`: the point where the wheel is turned."""

    control: TargetInfo
    at: Point

    @property
    def height(self) -> int:
        return self.control.rect.height


async def scroll_until(finds: Callable[[Observation], bool], actor: Actor, seen: Observation) -> None:
    """Scroll through the lists, panes and pages of a window until it is found; else leave them as they were.

    Sheets have too many rows for that. Raises: as `observe`.
    """
    end = anyio.current_time() + SCROLLS_S
    for area in _areas(seen):
        scrolling = _Scrolling(actor, area, seen, finds)
        if await scrolling.finds_it(end):
            return
        seen = scrolling.seen


def _areas(seen: Observation) -> list[_Area]:
    """Return the largest areas. A scroll bar is one, in place of what is beside it."""
    if any(Trait.OF_SHEET in each.traits for each in seen.controls):
        return []
    bars = [bar for bar in seen.controls if bar.type is Role.SCROLLBAR and bar.rect.height > bar.rect.width]
    boxes = [box for box in seen.controls if box.type in _SCROLLED and not any(_is_beside(bar, box) for bar in bars)]
    found = [_Area(bar, bar.rect.center) for bar in bars]
    found += [_Area(box, point) for box in boxes if (point := _free_point(box, seen)) is not None]
    return sorted(found, key=lambda area: -area.height)[:_MOST_AREAS]


def _is_beside(bar: TargetInfo, box: TargetInfo) -> bool:
    overlaps = min(bar.rect.bottom, box.rect.bottom) > max(bar.rect.top, box.rect.top)
    edges = (abs(bar.rect.left - box.rect.right), abs(bar.rect.right - box.rect.right))
    return overlaps and min(edges) <= _BESIDE


def _free_point(box: TargetInfo, seen: Observation) -> Point | None:
    """Return a point of a box at which the wheel changes no control and scrolls no other box."""
    inside = [
        each.rect
        for each in seen.controls
        if each.type in _TURNED or (each.type in _SCROLLED and each.handle != box.handle and _contains(box, each))
    ]
    visible = box.rect.intersection(seen.window.rect)
    for y, x in product(_PLACES, _PLACES):
        point = Point(round(visible.left + x * visible.width), round(visible.top + y * visible.height))
        if visible.contains(point) and not any(rect.contains(point) for rect in inside):
            return point
    return None


def _contains(box: TargetInfo, other: TargetInfo) -> bool:
    return box.rect.intersection(other.rect) == other.rect


class _Scrolling:
    """Scrolls one area. `seen`: the latest view; `_below`: pixels from the first view to it."""

    def __init__(self, actor: Actor, area: _Area, seen: Observation, finds: Callable[[Observation], bool]) -> None:
        self.seen = seen
        self._actor = actor
        self._area = area
        self._finds = finds
        self._notch = 0.0
        self._below = 0.0
        self._is_allowed = False

    async def finds_it(self, end: float) -> bool:
        """Scroll down to the end, up to the beginning, and back to where it was. `end`: the time to give up."""
        for direction in (-1, 1):
            with anyio.CancelScope(deadline=end):
                if await self._goes(direction):
                    return True
            await self._goes_back()
        return False

    async def _goes(self, direction: int) -> bool:
        """Return True once it is found, False at the end."""
        while await self._turn(direction * self._step):
            if self._finds(self.seen):
                return True
        return False

    @property
    def _step(self) -> int:
        return max(1, int(_SHARE * self._area.height / self._notch)) if self._notch else _FIRST_NOTCHES

    async def _goes_back(self) -> None:
        notches = round(self._below / self._notch) if self._notch else 0
        while notches:
            part = max(-_MOST_NOTCHES, min(notches, _MOST_NOTCHES))
            await self._turn(part)
            notches -= part

    async def _turn(self, notches: int) -> bool:
        """Turn the wheel; True if the view moved."""
        before, window = self.seen, self.seen.window
        if not await self._is_turned(notches):
            return False
        moved = 0.0

        async def has_moved() -> bool:
            nonlocal moved
            self.seen = await self._actor.desktop.observe(window, picture=False)
            moved = self._moved(before, notches)
            return moved != 0

        await self._actor.desktop.settle(window)
        await self._actor.desktop.wait_until(has_moved, deadline_s=_MOVES_S)  # places may be reported late
        self._notch = max(self._notch, moved / -notches)
        self._below += moved
        return moved != 0

    async def _is_turned(self, notches: int) -> bool:
        """Turn the wheel as an agent would the first time, judged by the rules, then without looking for the effect."""
        window, at = self.seen.window, self._area.at
        if self._is_allowed:
            try:
                aim = await self._actor.desktop.aim(window, Rect(at.x, at.y, at.x + 1, at.y + 1))
                await self._actor.desktop.scroll(aim, notches)
            except ActionRefused:  # it is covered now
                return False
            return True
        x, y = (at.x - window.rect.left) / window.rect.width, (at.y - window.rect.top) / window.rect.height
        arguments: JsonObject = {"wheel_dist": notches, "x": x, "y": y}
        result = await self._actor.act("wheel_mouse_input", arguments, check=False, window=window, seen=self.seen)
        self._is_allowed = result.delivered
        return result.delivered

    def _moved(self, before: Observation, notches: int) -> float:
        """Return the pixels that the view moved down: of the controls in both views, else as much as was turned."""
        bar, bar_before = self.seen.find(self._area.control.handle), self._area.control
        bar_before = before.find(bar_before.handle) or bar_before
        if bar_before.type is Role.SCROLLBAR and bar is not None and bar.number == bar_before.number is not None:
            return 0.0
        tops = {(each.handle, each.name): each.rect.top for each in before.controls if self._is_here(each)}
        now = {(each.handle, each.name): each.rect.top for each in self.seen.controls if self._is_here(each)}
        moves = [tops[each] - top for each, top in now.items() if tops.get(each, top) != top]
        if moves:
            return median(moves)
        if tops.keys() == now.keys():
            return 0.0
        return -notches * (self._notch or _SHARE * self._area.height / _FIRST_NOTCHES)

    def _is_here(self, control: TargetInfo) -> bool:
        """Return whether it may be what this area scrolls."""
        area = self._area.control
        if area.type is Role.SCROLLBAR:
            return control.type is not Role.SCROLLBAR and area.rect.top <= control.rect.center.y < area.rect.bottom
        return control.handle != area.handle and area.rect.contains(control.rect.center)
