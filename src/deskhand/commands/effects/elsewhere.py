"""Effects outside of the target: of a dialog on its owner window, of a field on the list that it filters."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from deskhand.commands.call import Focus
from deskhand.commands.control_kinds import ITEMS, is_in_toolbar
from deskhand.commands.effects.background_changes import BackgroundChanges
from deskhand.commands.effects.diff import Compare, Difference
from deskhand.commands.effects.evidence import Aspect, Finding, Sign
from deskhand.commands.effects.snapshot import Before, try_observe
from deskhand.core.command import Effect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

_TRIES: Final = 3
"""Signs that may turn out to repeat by themselves before the search is given up."""
_FILTERED: Final = ITEMS - {Role.TAB}


Judge: TypeAlias = Callable[[Desktop, Before, Sign, Callable[[], Awaitable[Sign | None]]], Awaitable[Finding]]
"""Confirms a sign that lasts and is painted."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Functions that compare two observations, and judge a sign."""

    compare: Compare
    changes: Callable[[Observation, Observation], frozenset[Aspect]]
    judge: Judge


async def changed_behind(desktop: Desktop, earlier: Before, measures: Measures) -> Finding | None:
    """A lasting, visible change of the window that the dialog of an action belongs to; None without one."""
    if earlier.behind is None:
        return None
    name = earlier.behind.window.name
    found = await _lasting(desktop, earlier, earlier.behind, measures, lambda change: change)
    return replace(found, message=f'in "{name}": {found.message}') if found else None


async def or_not_applied(
    desktop: Desktop, earlier: Before, found: Finding, field: TargetInfo, measures: Measures
) -> Finding:
    """Make a confirmed text unverifiable in a field of a toolbar, such as one for styles: it may apply nothing yet;
    except where it filters a list as it is typed.
    """
    if found.effect is not Effect.CONFIRMED or not is_in_toolbar(field):
        return found
    then = earlier.seen
    if then and (filtered := await _lasting(desktop, earlier, then, measures, lambda change: _of_items(change, then))):
        return replace(filtered, message=f"{found.message}; {filtered.message}")
    message = f"{found.message}, typed and not applied; to do: press {{ENTER}} in it"
    return Finding(Effect.UNVERIFIABLE, message, retry_safe=True)


def _of_items(change: Difference, then: Observation) -> Difference:
    """The items that went, came or read otherwise in lists that were there before: one that opened completes a text."""
    there = {control.handle for control in then.controls}
    return replace(
        change,
        added=tuple(control for control in change.added if control.type in _FILTERED and control.parent in there),
        removed=tuple(control for control in change.removed if control.type in _FILTERED),
        changed=tuple(pair for pair in change.changed if pair[1].type in _FILTERED and pair[0].name != pair[1].name),
        reloaded=(),
    )


async def _lasting(
    desktop: Desktop,
    earlier: Before,
    then: Observation,
    measures: Measures,
    counting: Callable[[Difference], Difference],
) -> Finding | None:
    """The first counting change of a window that lasts, is visible and does not repeat by itself."""
    background = BackgroundChanges(desktop, measures.changes, None, then)
    found = Difference()

    async def look() -> Sign | None:
        nonlocal found
        now = await try_observe(desktop, then.window)
        if now is None:
            return None
        background.note(now)
        change = measures.compare(then, now, None, Focus.NOBODY)
        if then.provisional:
            change, _ = change.without_late(None)
        found, _ = counting(change).split(background.aspects)
        return found.sign()

    for _ in range(_TRIES):
        sign = await look()
        if sign is None:
            return None
        judged = found.aspects
        seen = await measures.judge(desktop, replace(earlier, window=then.window), sign, look)
        if seen.effect is not Effect.CONFIRMED:
            return None
        if earlier.calm or not await background.repeats(judged, look, lambda: found.aspects):
            return seen
    return None
