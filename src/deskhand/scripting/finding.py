"""Finding the controls of a locator: now, or by waiting until a condition holds."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

import anyio

from deskhand.core.errors import (
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
    ElementNotFound,
    UsageError,
)
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.scripting.actor import OBSERVE_S, Actor
from deskhand.scripting.query import NO_IDS, Ids, Query, found_by, missing_of, nearest
from deskhand.scripting.recording import Attempted
from deskhand.scripting.scrolling import scroll_until

T = TypeVar("T")

_MOST_LISTED: Final = 8
_OUT_OF_VIEW: Final = "if it is out of view, scroll, or open the menu or page it is in"
_SOON_S: Final = 0.5
"""Time that a control has to appear before it is scrolled to."""
_LEAST_LOOK_S: Final = 2.0
_OTHER_PAGES: Final = "other_pages_unlisted"
_OTHER_PAGES_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Found:
    """The controls that match in one observation."""

    controls: tuple[TargetInfo, ...]
    seen: Observation
    ids: Ids = field(default_factory=dict[str, str | None])
    """The ids of those that match but for it, where one is wanted."""


@dataclass(slots=True)
class _Watched(Generic[T]):
    """The last result of a wait, or why there was none."""

    last: T | None = None
    error: DesktopError | None = None


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the controls of one locator in its window. `place`: one of several, as of `Locator.nth`."""

    actor: Actor
    window: TargetInfo
    queries: tuple[Query, ...]
    place: int | None = None

    def __str__(self) -> str:
        described = " in ".join(str(query) for query in reversed(self.queries))
        return described if self.place is None else f"{described}, number {self.place}"

    async def look(self, deadline_s: float = OBSERVE_S) -> Found:
        """Return those that match now. Raises: UsageError (ids that are not exposed), as `observe`."""
        seen = await self.actor.observe(self.window, deadline_s=deadline_s)
        ids = await self._ids_in(seen, deadline_s)
        found = self.found_in(seen, ids)
        if not found.controls and None in ids.values():
            raise UsageError(
                f'"{seen.window.name}" exposes no ids, so that {self} cannot be found', fix="find it by role and name"
            )
        return found

    async def _ids_in(self, seen: Observation, deadline_s: float) -> Ids:
        """Return the ids of the controls that match but for that; none where no id is wanted."""
        with_id = [query for query in self.queries if query.accessible_id is not None]
        asked = [each for each in seen.controls if any(query.matches(each) for query in with_id)]
        if not asked:
            return {}
        ids = await self.actor.desktop.accessible_ids(asked, deadline_s=deadline_s)
        return {control.handle: each for control, each in zip(asked, ids, strict=True)}

    @property
    def wants_ids(self) -> bool:
        return any(query.accessible_id is not None for query in self.queries)

    def found_in(self, seen: Observation, ids: Ids = NO_IDS) -> Found:
        found = Found(found_by(self.queries, seen, ids), seen, ids)
        if self.place is None:
            return found
        return replace(found, controls=_at(found.controls, self.place))

    async def watched(self, holds: Callable[[Found], bool], timeout_s: float | None) -> Found:
        """Return the first observation for which it holds, else the last before the deadline. Raises: DesktopError."""
        return await watched(self.actor, self.look, holds, timeout_s)

    async def one(self, timeout_s: float | None, ready: Callable[[TargetInfo], bool] = lambda _: True) -> Found:
        """Wait for exactly one, ready if that comes in time; a tool reports why it refuses one that is not.

        Raises: ElementNotFound, AmbiguousTarget, as `observe`.
        """

        def holds(now: Found) -> bool:
            return len(now.controls) > 1 or any(map(ready, now.controls))

        most_s = self.actor.timeout_s if timeout_s is None else timeout_s
        end_s = anyio.current_time() + most_s
        found = await self._soon(most_s)
        if found and not found.controls and most_s > 0 and not self.wants_ids:
            await self._scroll_to_it(found.seen)
            found = await self.watched(holds, most_s)
        elif found is None or not holds(found):
            found = await self.watched(holds, max(end_s - anyio.current_time(), 0))
        if not found.controls:
            there = "; ".join(_listed(self.nearest_in(found)))
            raise ElementNotFound(
                f'"{found.seen.window.name}" has no {self}',
                fix=f"there are: {there}; {_OUT_OF_VIEW}" if there else _OUT_OF_VIEW,
            )
        self.require_one(found)
        return found

    def nearest_in(self, found: Found) -> list[TargetInfo]:
        """Return the controls that are most like the wanted one, or like the outer one that is missing, in order."""
        return nearest(missing_of(self.queries, found.seen, found.ids), found.seen.controls)

    async def note_missing(self, tool: str, arguments: JsonObject, error: DesktopError) -> None:
        """Record that an action did not find its control, where the desktop is recorded."""
        if self.actor.recording is None:
            return
        near: tuple[TargetInfo, ...] = ()
        if not isinstance(error, ApplicationUnresponsive):
            with suppress(DesktopError):
                found = await self.look()
                near = found.controls or tuple(self.nearest_in(found)[:1])
        await self.actor.recording.not_found(Attempted(tool, arguments, window=self.window), error, near)

    def require_one(self, found: Found) -> None:
        """Raises: AmbiguousTarget where several match."""
        if len(found.controls) > 1:
            candidates = tuple(f"{number}: {in_place(each)}" for number, each in enumerate(found.controls))
            raise AmbiguousTarget(
                f"{len(found.controls)} controls match {self}",
                candidates,
                fix=f"choose by nth(), or look inside of another locator: {'; '.join(candidates[:_MOST_LISTED])}",
            )

    async def _soon(self, most_s: float) -> Found | None:
        """Return those that are in view, or come soon or before the window is quiet; None if it cannot be read now."""

        def is_there(now: Found) -> bool:
            return bool(now.controls)

        try:
            found = await self.watched(is_there, min(_SOON_S, most_s))
            if not found.controls and most_s > 0:
                await self.actor.desktop.settle(self.window, deadline_s=most_s)
                found = await self.watched(is_there, 0)
        except (ApplicationGone, DesktopGone):
            raise
        except DesktopError:  # it is reported if it lasts
            return None
        return found

    async def _scroll_to_it(self, seen: Observation) -> None:
        """Scroll through the window, in which none matches in view."""
        if Role.TABLE in self.queries[-1].roles and any(_OTHER_PAGES in control.states for control in seen.controls):
            # They are listed from then on.
            await self.actor.desktop.observe(self.window, picture=False, other_pages=True, deadline_s=_OTHER_PAGES_S)
        else:
            await scroll_until(lambda now: bool(self.found_in(now).controls), self.actor, seen)


async def watched(
    actor: Actor, look: Callable[[float], Awaitable[T]], holds: Callable[[T], bool], timeout_s: float | None
) -> T:
    """Return the first result of `look` for which it holds, else the last before the deadline.

    `look` takes the longest time for its observation, in seconds: what is left, but enough for a program that answers.
    Raises: ApplicationGone and DesktopGone at once; other errors of `look` where they last until the deadline.
    """
    result = _Watched[T]()
    end_s = anyio.current_time() + (actor.timeout_s if timeout_s is None else timeout_s)

    async def is_over() -> bool:
        left_s = end_s - anyio.current_time()
        try:
            last = await look(min(max(left_s, _LEAST_LOOK_S), OBSERVE_S))
        except DesktopError as error:
            result.error = error
            return isinstance(error, ApplicationGone | DesktopGone)
        result.last, result.error = last, None
        return holds(last)

    await actor.wait_until(is_over, timeout_s)
    if result.last is None or result.error is not None:
        raise result.error or AssertionError("the condition is evaluated at least once")
    return result.last


def in_place(control: TargetInfo) -> str:
    """Return it with its place on the screen, by which controls of one name differ."""
    return f"{control.describe} at {control.rect.left}, {control.rect.top}"


def _listed(controls: Sequence[TargetInfo]) -> list[str]:
    more = [f"and {len(controls) - _MOST_LISTED} more"] if len(controls) > _MOST_LISTED else []
    return [each.describe for each in controls[:_MOST_LISTED]] + more


def _at(found: Sequence[TargetInfo], place: int) -> tuple[TargetInfo, ...]:
    return (found[place],) if -len(found) <= place < len(found) else ()
