"""What changes by itself in the window of an action, as a clock does, and so is no effect of it (contract 4.3)."""

from collections import Counter
from collections.abc import Awaitable, Callable, Set
from typing import Final

from deskhand.commands.effects.diff import PLACE, TEXT, Aspect, Sign
from deskhand.commands.effects.window_diff import own_changes
from deskhand.core.observation import Observation
from deskhand.desktop.protocols.desktop import Desktop

_SECOND_S: Final = 0.4
"""What changes by itself does so again within this time."""

_TICK_S: Final = 1.1
"""What reads otherwise may be a clock: within this time it ticks again."""

_THIRD_S: Final = 1.2
"""And then once more. What only changes twice, as from "saving" to "saved", does not do it by itself."""

Look = Callable[[], Awaitable[Sign | None]]
"""Looks at the window and says which sign there is of the action."""


class Restless:
    """Learns from the looks at one window what changes in it by itself.

    `aspects`: what is known to. `latest`: the last look that was noted.
    """

    def __init__(self, desktop: Desktop, shown: Observation | None, before: Observation | None) -> None:
        """`shown` and `before`: the window some time before the action and right before it, nothing done in between."""
        self._desktop = desktop
        self.aspects = set(own_changes(shown, before)) if shown is not None and before is not None else set[Aspect]()
        self.latest = before
        self._changes = Counter[Aspect]()

    def note(self, now: Observation) -> None:
        """Takes note of another look after the action."""
        if self.latest is not None and now.controls != self.latest.controls:
            self._changes.update(own_changes(self.latest, now))
            self.latest = now

    async def learns(self, judged: Set[Aspect], look: Look, aspects: Callable[[], Set[Aspect]]) -> bool:
        """Whether something of the sign that was judged, or of the latest, turns out to change again and again.

        Or there is no sign any more. `aspects`: those of the latest sign.
        """
        ticks, only_reads = self._ticks(), {aspect for _, aspect in aspects() | judged} <= {TEXT, PLACE}
        second_s = _TICK_S if only_reads else _SECOND_S
        sign = await self._until(look, lambda: aspects() and aspects() <= self._changed(2), second_s)
        if self.aspects and self._ticks() == ticks:  # its application is late: not even what is known to tick does
            sign = await self._until(look, lambda: self._ticks() > ticks, _THIRD_S)
        again = (aspects() | judged) & self._changed(2)
        if sign is not None and not again:
            return False
        sign = await self._until(look, lambda: again <= self._changed(3), _THIRD_S)
        self.aspects |= self._changed(3)
        return sign is None or bool(again & self.aspects)

    async def _until(self, look: Look, holds: Callable[[], object], deadline_s: float) -> Sign | None:
        """The latest sign, once something holds or at the deadline."""
        sign: Sign | None = None

        async def looked() -> bool | None:
            nonlocal sign
            sign = await look()
            return True if holds() else None

        await self._desktop.wait_until(looked, deadline_s=deadline_s)
        return sign

    def _ticks(self) -> int:
        """How often something changed that is known to do so by itself."""
        return sum(self._changes[aspect] for aspect in self.aspects)

    def _changed(self, times: int) -> set[Aspect]:
        return {aspect for aspect, count in self._changes.items() if count >= times}
