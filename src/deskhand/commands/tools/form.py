"""Filling several controls of a form with one call: each is a call of the tool that fits it (decision 0098)."""

from collections.abc import Callable
from typing import Final

from pydantic import ConfigDict, Field, field_validator

from deskhand.commands.call import Expects, Rule
from deskhand.commands.catalogue import Arguments, Part, TargetArguments, compound
from deskhand.commands.control_kinds import CHECKS, NUMBERS, has_toggle
from deskhand.commands.techniques.dates import Moment
from deskhand.core.command import EffectClass, Needed
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import number_text

_CHOICES: Final = frozenset({Role.COMBOBOX, Role.GROUP, Role.LIST, Role.TABLE, Role.TABLIST, Role.TREE})
_MAY_BE_DATES: Final = frozenset({Role.GROUP, Role.SPINBUTTON})
_ITEMS: Final = frozenset({Role.LISTITEM, Role.ROW, Role.TAB, Role.TREEITEM})


class FieldValue(TargetArguments):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    value: bool | float | str = Field(description="text, number, true or false, an item, or a date such as 2026-03-12")


class Fill(Arguments):
    values: list[FieldValue] = Field(
        min_length=1, description="for each control an object of its id, its name if known, and its value"
    )

    @field_validator("values")
    @classmethod
    def _each_once(cls, values: list[FieldValue]) -> list[FieldValue]:
        ids = [each.id for each in values]
        twice = next((label for label in ids if ids.count(label) > 1), None)
        if twice is not None:
            raise ValueError(f"control {twice!r} is given twice")
        return values


def fill(arguments: Fill, control_of: Callable[[str, str], TargetInfo]) -> tuple[Part, ...]:
    """Sets several controls, each to a text, number, true or false, item or date (2026-03-12), up to a surprise."""
    return tuple(_part(each, control_of(each.id, each.name)) for each in arguments.values)


def _part(given: FieldValue, target: TargetInfo) -> Part:
    tool, arguments = _call(target, given.value)
    return Part(tool, {"id": given.id, "name": target.name, **arguments}, target)


def _call(target: TargetInfo, value: bool | float | str) -> tuple[str, JsonObject]:
    """The tool that fits the role, with its arguments. Raises: ReplyDefect for a value of another kind."""
    if target.type in CHECKS or Trait.TOGGLE_BY_KEY in target.traits or has_toggle(target):
        if isinstance(value, bool | str):
            return "set_value", {"value": value}
        raise _unfit(target, value, "true or false")
    if target.type in _ITEMS:
        if value is True:
            return "select_item", {}
        raise _unfit(target, value, "true to select it")
    if isinstance(value, bool):
        raise _unfit(target, value, "a text, a number or an item's name")
    return _text_call(target, value if isinstance(value, str) else number_text(value))


def _text_call(target: TargetInfo, text: str) -> tuple[str, JsonObject]:
    if target.type in NUMBERS and (number := _number(text)) is not None:
        return "set_value", {"value": number}
    if target.type in NUMBERS - {Role.SPINBUTTON}:
        raise _unfit(target, text, "a number")
    if target.type in _MAY_BE_DATES and _is_date(target, text):
        return "set_edit_text", {"text": text}
    if target.type in _CHOICES and "editable" not in target.states:
        return "select_item", {"item": text}
    return "set_edit_text", {"text": text}


def _is_date(target: TargetInfo, text: str) -> bool:
    """Raises: ReplyDefect for a day that does not exist."""
    try:
        return Moment.of(text) is not None
    except ValueError as error:
        raise ReplyDefect(f"fill: {target.describe}: {error}") from error


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unfit(target: TargetInfo, value: bool | float | str, wanted: str) -> ReplyDefect:
    return ReplyDefect(f"fill: {target.describe} takes {wanted}, not {value!r}")


_FORM: Final = Expects(
    (
        Rule(
            "each control",
            "that of `set_edit_text`, `set_value` or `select_item`, of which one is called for it",
            "a window that opened, or a field that reads otherwise since, also one filled before, until half a second "
            "after the last: `partial`, and the rest is skipped; a field that appeared is reported",
        ),
    )
)

TOOLS = (compound(Fill, fill, effect_class=EffectClass.EDIT, expects=_FORM, needs=Needed.FORM),)
