"""Setting a value: a number, or checked and unchecked (contract 4.2)."""

from collections.abc import Sequence
from functools import partial
from math import isfinite
from typing import Final

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from deskhand.commands.call import Call, ExpectedEffect, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import TargetArguments, action
from deskhand.commands.control_kinds import CHECKED, CHECKS, NUMBERS
from deskhand.commands.effects.accepted import as_accepted
from deskhand.commands.effects.confirmation import outcome, wait_for_reading
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import (
    PATIENT_S,
    QUICK_S,
    Before,
    before,
    read_back,
    require_usable,
)
from deskhand.commands.effects.text_match import decimal_mark, is_nearly, is_number, numbers_in
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.techniques.checking import set_checked
from deskhand.commands.techniques.escalation import take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.commands.techniques.meant_controls import beside_label
from deskhand.commands.techniques.number_fields import editor_of
from deskhand.commands.window_lookup import observe_front
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, NotOffered
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import number_text, quoted
from deskhand.desktop.protocols.input import Chord

_OTHER_CHANGES: Final = partial(wait_for_difference, patient_s=0)


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
        return await set_checked(tools, call, target, _OTHER_CHANGES, wanted=arguments.value)
    if target.type in CHECKS:
        message = f"{target.describe} is checked or not, and takes no number"
        raise ActionRefused(message, fix="give true as value to check it, false to uncheck it")
    wanted = float(arguments.value)
    return await as_accepted(tools.desktop, target, await _set_number(tools, call, target, wanted), wanted)


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
    typed = route is Route.SYNTHETIC_INPUT
    found = await wait_for_reading(
        tools.desktop, earlier, right, deadline_s=PATIENT_S if typed else QUICK_S, was_so=was_so
    )
    if found.effect is not None or typed:
        return _number_outcome(found, route, wanted, reads)
    if target.type is Role.SPINBUTTON and (is_nearly(reads[-1], wanted, mark) or not (reads[0] or reads[-1])):
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


_VALUE = Expects(
    (
        Rule(
            "number",
            "it reads the number that was wanted, whatever unit follows it (`37%`, `1,27 cm`); another than before: "
            "`partial`, and so is one that its program calls invalid or that is beyond its limits",
            applies=lambda request: not isinstance(request.arguments.get("value"), bool),
            expect=lambda _: ExpectedEffect(CHECKED),
        ),
        Rule("checkbox and the like", "its own `checked`", expect=lambda _: ExpectedEffect(CHECKED)),
    )
)

TOOLS = (action(SetValue, set_value, effect_class=EffectClass.EDIT, expects=_VALUE),)
