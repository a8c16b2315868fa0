"""Controls that Tab does not reach."""

from typing import Final

from deskhand.accessibility.rules import Finding, Rule, finding
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import FIELDS, TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_MOST_PRESSES: Final = 120
_FOCUS_S: Final = 1.0
_MEANT: Final = FIELDS - {Role.RADIO}
"""Roles that Tab stops at. In groups of radio buttons and strips of buttons the arrows, or other keys, move on."""


async def unreached_by_tab(desktop: Desktop, seen: Observation) -> tuple[list[Finding], str]:
    """Press Tab until the focus is back; return the controls that take the focus and did not get it.

    The second is a note where that could not be found out: nothing is reported then.
    """
    window = seen.window
    await desktop.activate(window)
    first = _focused(await desktop.observe(window, picture=False, texts=False))
    reached = [first] if first else []
    for _ in range(_MOST_PRESSES):
        if reached and "multi_line" in reached[-1].states:
            return [], f"the Tab order was not checked: {reached[-1].describe} takes Tab as a character"
        now = await _next(desktop, window, reached[-1] if reached else None)
        if now is None:
            return [], "the Tab order was not checked: no control reports the focus"
        if any(each.handle == now.handle for each in reached):
            return _unreached(seen, reached, is_whole=now.handle == reached[0].handle)
        reached.append(now)
    return [], f"the Tab order was not checked: it did not end after {_MOST_PRESSES} controls"


async def _next(desktop: Desktop, window: TargetInfo, last: TargetInfo | None) -> TargetInfo | None:
    """Press Tab; return the control that gets the focus, None if none does."""
    await desktop.press([Chord("tab")])

    async def moved() -> TargetInfo | None:
        now = _focused(await desktop.observe(window, picture=False, texts=False))
        return now if now and (last is None or now.handle != last.handle) else None

    return await desktop.wait_until(moved, deadline_s=_FOCUS_S)


def _focused(seen: Observation) -> TargetInfo | None:
    """The innermost control with the focus."""
    return next((control for control in reversed(seen.controls) if "focused" in control.states), None)


def _unreached(seen: Observation, reached: list[TargetInfo], *, is_whole: bool) -> tuple[list[Finding], str]:
    if not is_whole or len(reached) < 2:
        return [], "the Tab order was not checked: it did not come back to its beginning"
    handles = {control.handle for control in reached}
    around = {each for control in reached for each in (control.handle, control.parent)}
    missed = (control for control in seen.controls if _takes_focus(control) and control.handle not in handles)
    return [
        finding(Rule.NOT_BY_TAB, control, f"Tab went through {len(reached)} controls, and not to this {control.type}")
        for control in missed
        if control.parent not in around - {seen.window.handle, ""} or not _in_bar(control)
    ], ""


def _takes_focus(control: TargetInfo) -> bool:
    return control.type in _MEANT and {"focusable", "enabled"} <= control.states and not control.rect.empty


def _in_bar(control: TargetInfo) -> bool:
    around = control.fingerprint.roles_around if control.fingerprint else ()
    return Role.TOOLBAR in around
