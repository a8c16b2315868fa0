"""The wait for an expectation, and its failure with the actual state."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

import anyio

from deskhand.core.errors import DesktopError
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.perception.change_lines import control_changes, first_lines, window_changes
from deskhand.perception.labels import Labeller
from deskhand.scripting.actor import Actor
from deskhand.scripting.finding import Finder, Found, in_place, watched
from deskhand.scripting.results import ExpectationFailed, Unmet

_MOST_NEAR: Final = 5
_MOST_CHANGES: Final = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """One check. `holds` None: not known. `actual`: the actual state, as the end of a sentence."""

    holds: bool | None
    actual: str
    found: Found | None = None


Look: TypeAlias = Callable[[float], Awaitable[Reading]]


@dataclass(slots=True)
class _Changes:
    """Changes since the first check that does not hold."""

    actor: Actor
    windows: tuple[TargetInfo, ...] | None = None
    controls: tuple[TargetInfo, ...] = ()
    labeller: Labeller = field(default_factory=Labeller)

    async def begin(self, seen: Observation | None) -> None:
        if self.windows is None:
            self.windows = ()
            with suppress(DesktopError):
                self.windows = await self.actor.desktop.windows()
            self.controls = self.labeller.label(seen) if seen else ()

    async def lines(self, seen: Observation | None) -> list[str]:
        lines: list[str] = []
        with suppress(DesktopError):
            lines = window_changes(self.windows or (), await self.actor.desktop.windows())
        if seen is not None:
            lines += control_changes(self.controls, self.labeller.label(seen))
        return first_lines(lines, _MOST_CHANGES)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An expectation of a `subject` in a window, such as `to be visible`. `finder`: that of a locator.

    `is_of_one`: exactly one control has to match.
    """

    actor: Actor
    window: TargetInfo
    subject: str
    expected: str
    finder: Finder | None = None
    is_of_one: bool = False

    async def until(self, look: Look, timeout_s: float | None) -> None:
        """Wait until a reading holds. `look` takes the longest time for its observation, in seconds.

        Raises: ExpectationFailed, AmbiguousTarget, as `look`.
        """
        recording = self.actor.recording
        wait = partial(self._wait, look, timeout_s)
        if recording is None:
            unmet = await wait()
        else:
            unmet = await recording.expected(f"{self.subject} {self.expected}", self.window, wait)
        if unmet is not None:
            raise ExpectationFailed(unmet)

    async def _wait(self, look: Look, timeout_s: float | None) -> Unmet | None:
        """Return the actual state at the end, None if it is as expected."""
        began_s = anyio.current_time()
        changes = _Changes(self.actor)

        async def once(deadline_s: float) -> Reading:
            result = await look(deadline_s)
            if result.holds is not True:
                await changes.begin(_seen(result))
            return result

        last = await watched(self.actor, once, lambda each: each.holds is True, timeout_s)
        if last.holds is True:
            return None
        if self.is_of_one and self.finder and last.found:
            self.finder.require_one(last.found)
        near = self._nearest(last)
        return Unmet(
            self.subject,
            self.expected,
            last.actual,
            nearest=tuple(map(in_place, near)),
            changes=tuple(await changes.lines(_seen(last))),
            waited_s=anyio.current_time() - began_s,
            framed=last.found.controls if last.found and last.found.controls else near[:1],
        )

    def _nearest(self, last: Reading) -> tuple[TargetInfo, ...]:
        """Return the candidates, where no control matches."""
        if self.finder is None or last.found is None or last.found.controls:
            return ()
        return tuple(self.finder.nearest_in(last.found)[:_MOST_NEAR])


def _seen(last: Reading) -> Observation | None:
    return last.found.seen if last.found else None
