"""Checking and unchecking: the state is read first, so that nothing is turned back (contract 4.2)."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.control_kinds import CHECK_UNKNOWN, CHECKS, ITEMS, OTHER_TOOL, TOGGLE, has_toggle
from deskhand.commands.effects.confirmation import check_or_unverifiable, outcome, wait_for_reading
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import (
    PATIENT_S,
    Before,
    before,
    read_back,
    read_if_there,
    with_final_states,
)
from deskhand.commands.techniques.escalation import click_once, take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.core.command import Effect, Route
from deskhand.core.errors import UNREADABLE, ActionRefused, NotOffered
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

Otherwise = Callable[[Desktop, Before], Awaitable[Finding]]

_ONE_OF_SEVERAL: Final = frozenset({Role.RADIO, Role.MENUITEMRADIO})
_MARKS: Final = frozenset({"checked", "indeterminate"})
_WORDS: Final = {True: "checked", False: "not checked"}


def _without_check(target: TargetInfo) -> ActionRefused:
    fix = OTHER_TOOL.get(target.type, "give a number as value where it takes one, else press it with invoke")
    if target.type in ITEMS and not target.actions:
        fix = "select_item it, press space with keyboard_input, and look at a picture of it"
    return ActionRefused(f"{target.describe} cannot be checked or unchecked", fix=fix)


def _has_check(target: TargetInfo) -> bool:
    return target.type in CHECKS or Trait.TOGGLE_BY_KEY in target.traits or has_toggle(target)


async def set_checked(
    tools: ToolContext, call: Call, target: TargetInfo, otherwise: Otherwise, *, wanted: bool
) -> ToolOutcome:
    """Check or uncheck a box; one that is as wanted already is left alone.

    `otherwise`: the finding where its own state does not change. Raises: ActionRefused; as `point_at`.
    """
    in_list = Trait.TOGGLE_BY_KEY in target.traits
    if not _has_check(target):
        raise _without_check(target)
    target = await with_final_states(tools.desktop, call, target)
    if CHECK_UNKNOWN in target.states:
        message = f"{target.describe} does not report whether it is checked"
        raise ActionRefused(message, fix="look at a picture of it, and press it with invoke to turn it over")
    if _check_of(target) == _WORDS[wanted]:
        message = f"{target.describe} already is {_WORDS[wanted]}"
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, message)
    if not wanted and target.type in _ONE_OF_SEVERAL:
        message = f"{target.describe} is unchecked by nothing but another of its group"
        raise ActionRefused(message, fix="check the one that is to be chosen instead, with true as value")
    toggled = await _toggle_once(tools, call, target, otherwise, by_key=in_list)
    if toggled.stopped_between(target, wanted=wanted):  # one of three states
        toggled = await _toggle_once(tools, call, toggled.box, otherwise, by_key=in_list)
    found = toggled.found
    if found.effect is Effect.CONFIRMED and _check_of(toggled.box) != _WORDS[wanted]:
        if await read_if_there(tools.desktop, target, None) is None:
            message = f"{found.message}; {target.describe} itself is gone, with its menu or made anew, and was not read"
            found = Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
        else:
            found = replace(found, effect=Effect.PARTIAL, message=f"{found.message}, not {_WORDS[wanted]}")
    if found.effect is Effect.SUSPECTED_NOOP:
        found = replace(found, retry_safe=True)  # it reads the state first
    return outcome(check_or_unverifiable(target, found), toggled.route, nothing=Effect.SUSPECTED_NOOP)


@dataclass(frozen=True, slots=True)
class _Toggled:
    """The result of pressing a check box once; `box` is its state then."""

    box: TargetInfo
    route: Route
    found: Finding

    def stopped_between(self, was: TargetInfo, *, wanted: bool) -> bool:
        """True if its state is neither the old nor the wanted one."""
        return self.found.effect is Effect.CONFIRMED and _check_of(self.box) not in {_check_of(was), _WORDS[wanted]}


async def _toggle_once(
    tools: ToolContext, call: Call, box: TargetInfo, otherwise: Otherwise, *, by_key: bool
) -> _Toggled:
    was, now = box.states & _MARKS, box
    route, earlier = await _toggle(tools, call, box, by_key=by_key)

    async def look() -> str | None:
        nonlocal now
        now = await read_back(tools.desktop, box)
        return f"{box.describe} is {_check_of(now)}" if now.states & _MARKS != was else None

    found = await wait_for_reading(tools.desktop, earlier, look, deadline_s=PATIENT_S)
    if found.effect is None:
        found = await otherwise(tools.desktop, earlier)
        with suppress(*UNREADABLE):
            now = await read_if_there(tools.desktop, box, earlier.window) or now  # it may have reported late
    return _Toggled(now, route, found)


def _check_of(box: TargetInfo) -> str:
    """One of its three states."""
    return "indeterminate" if "indeterminate" in box.states else _WORDS["checked" in box.states]


async def _toggle(tools: ToolContext, call: Call, target: TargetInfo, *, by_key: bool) -> tuple[Route, Before]:
    """Check or uncheck; return the route and the snapshot before. A check box in a list is toggled by the space bar."""
    if by_key:
        await take_keyboard(tools, call, target, sure=True)
        earlier = await before(tools, call, target)
        await press_in_order(tools.desktop, call, [Chord("space")])
        return Route.SYNTHETIC_INPUT, earlier
    earlier = await before(tools, call, target)
    delivered, tools.delivered = tools.delivered, True
    try:
        await tools.desktop.do_action(target, TOGGLE if has_toggle(target) else "")
    except NotOffered:
        tools.delivered = delivered
        return Route.SYNTHETIC_INPUT, await click_once(tools, call, target)
    return Route.ACCESSIBILITY, earlier
