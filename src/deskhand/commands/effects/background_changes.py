"""Changes that a window makes by itself, such as a clock: they are no effect of an action (contract 4.3)."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence, Set
from typing import Final

import anyio

from deskhand.commands.effects.evidence import PLACE, TEXT, Aspect, Sign
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

_SECOND_S: Final = 0.4
"""A change that repeats does so within this time."""

TICK_S: Final = 1.1
"""A changed text may be a clock: the next tick comes within this time."""

SLOW_TICK_S: Final = 3.0
"""The same of a text in a place that its program repaints by itself, such as a prompt that blinks."""

PAGE: Final = str(Role.DOCUMENT)
"""Among the aspects: that a page was loaded again."""
_RELOAD_S: Final = 3.0
"""A page that loads itself again and again is recognised within this time, by its second time."""

_THIRD_S: Final = 1.2
"""Time for a third change. Two changes alone, such as from "saving" to "saved", do not repeat."""

Compare = Callable[[Observation, Observation], Set[Aspect]]
"""Returns the aspects that changed between two observations without an action."""

Look = Callable[[], Awaitable[Sign | None]]
"""Observes the window and returns the current sign of the action."""

Suffices = Callable[[Set[Aspect]], Awaitable[Set[Aspect]]]
"""Returns what is left of the sign without the aspects that may change by themselves, if it is painted."""


async def _nothing(_: Set[Aspect]) -> Set[Aspect]:
    return set[Aspect]()


class BackgroundChanges:
    """Learns from observations of one window which of its aspects change repeatedly by themselves.

    `aspects`: those found so far. `latest`: the latest noted observation.
    """

    def __init__(
        self, desktop: Desktop, compare: Compare, shown: Observation | None, before: Observation | None
    ) -> None:
        """`shown` and `before`: the window some time before the action and right before it, without any action in
        between.
        """
        self._desktop = desktop
        self._compare = compare
        self.aspects = set(compare(shown, before)) if shown is not None and before is not None else set[Aspect]()
        self.latest = before
        self._changes = Counter[Aspect]()
        self._changed_at = dict[Aspect, float]()
        self._windows: tuple[TargetInfo, ...] = ()
        self._sign_at: float | None = None
        self._sign_ticks = 0

    def note_sign(self) -> None:
        """Note that a sign of the action was found now: what repeats is waited for from this moment on."""
        self._sign_at, self._sign_ticks = anyio.current_time(), self._ticks()

    def note_titles(self, windows: Sequence[TargetInfo]) -> None:
        """Note the titles of all windows; those of the first call are not counted."""
        self._count(changed_titles(self._windows, windows))
        self._windows = tuple(windows)

    def note(self, now: Observation) -> None:
        """Note another observation after the action."""
        if self.latest is not None and now.controls != self.latest.controls:
            self._count(self._compare(self.latest, now))
            self.latest = now

    def _count(self, aspects: Set[Aspect]) -> None:
        self._changes.update(aspects)
        self._changed_at.update(dict.fromkeys(aspects, anyio.current_time()))

    async def repeats(
        self,
        judged: Set[Aspect],
        look: Look,
        aspects: Callable[[], Set[Aspect]],
        tick_s: float = 0.0,
        suffices: Suffices = _nothing,
    ) -> bool:
        """True if an aspect of the judged sign, or of the latest, changes repeatedly, or if there is no sign any more.

        `aspects` returns those of the latest sign; `suffices`: what is left of it without some of them. `tick_s`: the
        least time within which a change comes again. It is waited for since `note_sign`, if all observations since
        then were noted, else since now.
        """
        now = anyio.current_time()
        sign_at, ticks = (now, self._ticks()) if self._sign_at is None else (self._sign_at, self._sign_ticks)
        changed = aspects() | judged
        pages = _pages_in(changed)
        left_s = max(0.0, sign_at + _second_s(changed, tick_s) - now)
        sign = await self._until(look, lambda: aspects() and aspects() <= self._changed(2), left_s)
        if self.aspects and self._ticks() == ticks:  # its application is late: even the known clock did not tick
            sign = await self._until(look, lambda: self._ticks() > ticks, _THIRD_S)
        again = (aspects() | judged) & self._changed(2)
        if sign is not None and not again:
            return False
        if again & pages:
            self.aspects |= again & pages
            return True
        rest = await suffices(again) if sign else set[Aspect]()
        if rest and anyio.current_time() - sign_at >= max(tick_s, _tick_s(rest)):
            return False
        return await self._again(again, look, tick_s)

    async def _again(self, again: Set[Aspect], look: Look, tick_s: float) -> bool:
        """True if an aspect that changed a second time changes a third time, or if there is no sign any more."""
        now = anyio.current_time()
        since = max((self._changed_at.get(aspect, now) for aspect in again), default=now)
        sign = await self._until(look, lambda: again <= self._changed(3), max(0.0, since + max(tick_s, _THIRD_S) - now))
        self.aspects |= self._changed(3)
        return sign is None or bool(again & self.aspects)

    async def _until(self, look: Look, holds: Callable[[], object], deadline_s: float) -> Sign | None:
        """The latest sign, once `holds` is true or at the deadline."""
        sign: Sign | None = None

        async def check() -> bool | None:
            nonlocal sign
            sign = await look()
            return True if holds() else None

        await self._desktop.wait_until(check, deadline_s=deadline_s)
        return sign

    def _ticks(self) -> int:
        """Number of changes in aspects that change by themselves."""
        return sum(self._changes[aspect] for aspect in self.aspects)

    def _changed(self, times: int) -> set[Aspect]:
        return {aspect for aspect, count in self._changes.items() if count >= times}


def _pages_in(changed: Set[Aspect]) -> set[Aspect]:
    return {aspect for aspect in changed if aspect[1] == PAGE}


def _second_s(changed: Set[Aspect], tick_s: float) -> float:
    """The time within which a page comes that loads again, else another change that repeats."""
    return _RELOAD_S if changed and changed == _pages_in(changed) else max(tick_s, _tick_s(changed))


def _tick_s(changed: Set[Aspect]) -> float:
    """The time within which a change comes again that repeats; a caret or the keyboard's place is no such aspect."""
    return TICK_S if changed and {aspect for _, aspect in changed} <= {TEXT, PLACE} else _SECOND_S


def changed_titles(then: Sequence[TargetInfo], now: Sequence[TargetInfo]) -> frozenset[Aspect]:
    """The aspects of windows that have another title now."""
    titles = {window.handle: window.name for window in then}
    return frozenset((each.handle, TEXT) for each in now if titles.get(each.handle, each.name) != each.name)
