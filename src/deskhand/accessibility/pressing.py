"""Boxes whose reported state does not follow when they are switched."""

from typing import Final

from deskhand.accessibility.rules import Finding, Rule, finding
from deskhand.core.errors import ActionDeadline, ActionRefused, ElementStale
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop

_SWITCHED_S: Final = 2.0
_STATES: Final = frozenset({"checked", "pressed", "indeterminate"})
_UNUSABLE: Final = (ActionDeadline, ActionRefused, ElementStale)


async def unreported_states(desktop: Desktop, seen: Observation) -> list[Finding]:
    """Switch each box and toggle button, and back; return those that were repainted and report their old state."""
    silent = [each for each in seen.controls if _switches(each) and await _reports_nothing(desktop, seen.window, each)]
    return [finding(Rule.STATE_NOT_REPORTED, each, "it was switched, and reports its old state") for each in silent]


def _switches(control: TargetInfo) -> bool:
    is_box = control.type in {Role.CHECKBOX, Role.SWITCH} or Trait.TOGGLE in control.traits
    return is_box and "enabled" in control.states and not control.rect.empty


async def _reports_nothing(desktop: Desktop, window: TargetInfo, control: TargetInfo) -> bool:
    before = control.states & _STATES
    mark = await desktop.paint_mark(window)

    async def is_reported() -> bool | None:
        return ((await desktop.resolve(control)).states & _STATES) != before or None

    try:
        await _click(desktop, window, control)
        reported = await desktop.wait_until(is_reported, deadline_s=_SWITCHED_S)
        painted = await desktop.painted_since(mark, window, control.rect)
        if reported or painted:
            await _click(desktop, window, control)
    except _UNUSABLE:
        return False  # it is not known
    return painted is True and not reported


async def _click(desktop: Desktop, window: TargetInfo, control: TargetInfo) -> None:
    """Click as a user does: an action of the program's own may set the state by another way."""
    await desktop.click(await desktop.aim(window, control.rect, control))
