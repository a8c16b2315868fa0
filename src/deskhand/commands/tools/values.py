"""Setting a value: a number, or checked and unchecked (contract 4.2)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from deskhand.commands.call import Call, ExpectedEffect, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import TargetArguments, action
from deskhand.commands.control_kinds import CHECK_UNKNOWN, CHECKED, CHECKS, ITEMS, NUMBERS, OTHER_TOOL
from deskhand.commands.effects.confirmation import check_or_unverifiable, outcome, wait_for_reading
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import (
    PATIENT_S,
    QUICK_S,
    Before,
    before,
    read_back,
    read_if_there,
    require_usable,
    with_final_states,
)
from deskhand.commands.effects.text_match import decimal_mark, is_nearly, is_number, numbers_in
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.techniques.escalation import click_once, take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.commands.techniques.meant_controls import beside_label
from deskhand.commands.techniques.number_fields import editor_of
from deskhand.commands.window_lookup import observe_front
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import UNREADABLE, ActionRefused, NotOffered
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import number_text, quoted
from deskhand.desktop.protocols.input import Chord

_ONE_OF_SEVERAL: Final = frozenset({Role.RADIO, Role.MENUITEMRADIO})
_MARKS: Final = frozenset({"checked", "indeterminate"})
_WORDS: Final = {True: "checked", False: "not checked"}


class SetValue(TargetArguments):
    value: bool | float = Field(description="the number, or whether it is to be checked")

    @field_validator("value", mode="wrap")
    @classmethod
    def _in_plain_words(cls, value: object, validate: ValidatorFunctionWrapHandler) -> bool | float:
        try:
            given: bool | float = validate(value)
        except ValidationError as error:
            raise ValueError(f"wanted is a number, or true or false to check or uncheck; not {value!r}") from error
        if not isfinite(given):
            raise ValueError(f"wanted is a finite number; not {given}")
        return given


async def set_value(tools: ToolContext, call: Call, arguments: SetValue) -> ToolOutcome:
    """Sets a number, or a box to checked (true) or not (false)."""
    target = call.need_target()
    if (field := beside_label(call.command.seen, target, NUMBERS)) and not isinstance(arguments.value, bool):
        raise ActionRefused(f"{target.describe} is a text without a value", fix=f"set {field.describe} beside it")
    target = await require_usable(tools.desktop, call, target)
    if isinstance(arguments.value, bool):
        return await _set_checked(tools, call, target, wanted=arguments.value)
    if target.type in CHECKS:
        message = f"{target.describe} is checked or not, and takes no number"
        raise ActionRefused(message, fix="give true as value to check it, false to uncheck it")
    return await _set_number(tools, call, target, float(arguments.value))


async def _set_number(tools: ToolContext, call: Call, target: TargetInfo, wanted: float) -> ToolOutcome:
    reads, mark = [target.value], decimal_mark([target.value])

    async def right() -> str | None:
        reads.append((await read_back(tools.desktop, target)).value)
        return _read(wanted, reads[-1]) if is_number(reads[-1], wanted, mark) else None

    earlier = await before(tools, call, target)
    tools.delivered, route = True, Route.ACCESSIBILITY
    try:
        if editor_of(call, target) != target:
            raise NotOffered(f"{target.describe} takes a number as text", fix="type it")
        await tools.desktop.set_value(target, wanted)
    except NotOffered:
        tools.delivered, route = False, Route.SYNTHETIC_INPUT
        if target.type is not Role.SPINBUTTON:
            raise
        mark = mark or await _mark_of_others(tools, call, wanted)
        earlier = await _type_number(tools, call, target, wanted, mark)
    was_so = is_number(target.value, wanted, mark)
    found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S, was_so=was_so)
    lost = is_nearly(reads[-1], wanted, mark) or not (reads[0] or reads[-1])
    if found.effect is None and lost and target.type is Role.SPINBUTTON and route is Route.ACCESSIBILITY:
        # A number field of a page without a number ignores `set_value`, and others round it.
        route, earlier = Route.SYNTHETIC_INPUT, await _type_number(tools, call, target, wanted, mark)
        found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=PATIENT_S)
    return _number_outcome(found, route, wanted, reads)


def _number_outcome(found: Finding, route: Route, wanted: float, reads: Sequence[str]) -> ToolOutcome:
    """`reads`: the values read, the one before first."""
    goes_on = found.effect is Effect.SUSPECTED_NOOP and reads[-1] != reads[0]
    if found.effect is not None and not goes_on:
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    unchanged = Effect.SUSPECTED_NOOP if reads[-1] == reads[0] else Effect.PARTIAL
    effect = unchanged if numbers_in(reads[-1]) else Effect.UNVERIFIABLE
    return ToolOutcome(None, effect, route, _read(wanted, reads[-1]))


def _read(wanted: float, read: str) -> str:
    return f"wanted {number_text(wanted)}, reads {quoted(read)}"


async def _mark_of_others(tools: ToolContext, call: Call, number: float) -> str:
    """The decimal mark in the number fields of the window; empty if none shows any, or the number needs none."""
    if number.is_integer():
        return ""
    seen = await observe_front(tools.desktop, call.need_window())
    return decimal_mark(control.value for control in seen.controls if control.type is Role.SPINBUTTON)


async def _type_number(tools: ToolContext, call: Call, target: TargetInfo, number: float, mark: str) -> Before:
    """Type a number into a field and leave it, since only then it counts. Raises: as `take_keyboard`.

    `mark`: the decimal mark there; if no field shows it, the number pad's key for it is pressed. The field is clicked
    only if a focus request fails: in its middle may be the button that decreases it.
    """
    await take_keyboard(tools, call, editor_of(call, target), sure=True)
    earlier = await before(tools, call, target)
    digits = (Chord((mark or "decimal") if sign == "." else sign) for sign in f"{number:.12g}")
    chords = [Chord("a", ("ctrl",)), *digits, Chord("tab")]
    await press_in_order(tools.desktop, call, chords)
    return earlier


def _without_check(target: TargetInfo) -> ActionRefused:
    fix = OTHER_TOOL.get(target.type, "give a number as value where it takes one, else press it with invoke")
    if target.type in ITEMS and not target.actions:
        fix = "select_item it, press space with keyboard_input, and look at a picture of it"
    return ActionRefused(f"{target.describe} cannot be checked or unchecked", fix=fix)


async def _set_checked(tools: ToolContext, call: Call, target: TargetInfo, *, wanted: bool) -> ToolOutcome:
    in_list = Trait.TOGGLE_BY_KEY in target.traits
    if target.type not in CHECKS and not in_list:
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
    toggled = await _toggle_once(tools, call, target, by_key=in_list)
    if toggled.stopped_between(target, wanted=wanted):  # one of three states
        toggled = await _toggle_once(tools, call, toggled.box, by_key=in_list)
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


async def _toggle_once(tools: ToolContext, call: Call, box: TargetInfo, *, by_key: bool) -> _Toggled:
    was, now = box.states & _MARKS, box
    route, earlier = await _toggle(tools, call, box, by_key=by_key)

    async def look() -> str | None:
        nonlocal now
        now = await read_back(tools.desktop, box)
        return f"{box.describe} is {_check_of(now)}" if now.states & _MARKS != was else None

    found = await wait_for_reading(tools.desktop, earlier, look, deadline_s=PATIENT_S)
    if found.effect is None:
        found = await wait_for_difference(tools.desktop, earlier, patient_s=0)
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
        await tools.desktop.do_action(target)
    except NotOffered:
        tools.delivered = delivered
        return Route.SYNTHETIC_INPUT, await click_once(tools, call, target)
    return Route.ACCESSIBILITY, earlier


_VALUE = Expects(
    (
        Rule(
            "number",
            "it reads the number that was wanted, whatever unit follows it (`37%`, `1,27 cm`); another than before: "
            "`partial`",
            applies=lambda request: not isinstance(request.arguments.get("value"), bool),
            expect=lambda _: ExpectedEffect(CHECKED),
        ),
        Rule("checkbox and the like", "its own `checked`", expect=lambda _: ExpectedEffect(CHECKED)),
    )
)

TOOLS = (action(SetValue, set_value, effect_class=EffectClass.EDIT, expects=_VALUE),)
