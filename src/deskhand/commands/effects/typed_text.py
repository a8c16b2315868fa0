"""Typed texts among the differences of a window: each needs a place of its own, and nothing added to it. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from deskhand.commands.control_kinds import LABELS, lasting_states
from deskhand.commands.effects.text_match import (
    decimal_mark,
    is_entered,
    is_shown,
    may_be_count,
    numbers_in,
    text_appeared,
)
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.core.text import number_text, quoted

Pair = tuple[TargetInfo, TargetInfo]
"""A control before and after."""
_FIELDS: Final = frozenset({Role.CELL, Role.COMBOBOX, Role.HEADING, Role.PARAGRAPH, Role.SPINBUTTON, Role.TEXTBOX})
"""Roles that a text is typed into; if editable, they have to read the text itself."""

_COMPOSED: Final = frozenset({Role.COMBOBOX, Role.SPINBUTTON})
_READ: Final = frozenset({Role.LABEL, Role.TEXT, Role.STATUS})
_CONVERTED: Final = re.compile(r"[+']|-?0\d|[^a-z]*\de[+-]?\d", re.IGNORECASE)
"""The beginning of a text that a spreadsheet stores as a number which reads otherwise: `+5`, `007`, `1e5`."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The control that the first `count` texts are typed into, and the test for controls that are a part of it."""

    target: TargetInfo
    count: int
    is_part: Callable[[TargetInfo], bool]


@dataclass(frozen=True, slots=True)
class Typed:
    """The result of a search for typed texts.

    `changed`, `added`: the controls that contain all of them; none if one is missing. `otherwise`: a sentence on a
    field that reads otherwise, or on the text that is missing while others were found; empty: none.
    """

    changed: tuple[Pair, ...] = ()
    added: tuple[TargetInfo, ...] = ()
    otherwise: str = ""


def find_typed(
    changed: Sequence[Pair],
    selected: Sequence[Pair],
    added: Sequence[TargetInfo],
    texts: Sequence[str],
    *,
    aim: Aim | None = None,
    is_hidden: bool = False,
) -> Typed:
    """Search the controls of a window that changed or were added for typed texts; `selected`: cells that got the focus.

    `aim`: where texts have to be; None: anywhere. `is_hidden`: a text may be in a password field, which does not expose
    it: one that is missing is not known then.

    Echoes of the selected cell, as in a spreadsheet's name box and input line, do not count.
    """
    if gone_to := _gone_to(changed, selected, texts, aim):
        return Typed(gone_to)
    echoes = {text for _, now in selected for text in (now.name, now.value) if text}
    places = {text: _places_of(changed, added, text, texts, echoes) for text in texts}
    message = _lacking(places, texts, is_hidden=is_hidden)
    if message is None and aim is not None:
        message = _strayed([places[text] for text in texts[: aim.count]], aim)
    if message is not None:
        return Typed(otherwise=message)
    return Typed(
        tuple(dict.fromkeys(pair for place in places.values() for pair in place.changed)),
        tuple(dict.fromkeys(control for place in places.values() for control in place.added)),
    )


def aim_at(target: TargetInfo, count: int, *seen: Observation) -> Aim:
    """The aim at a control: itself, all in it, the combo box or number field around it, and what covers it, such as the
    editor of a cell; of a label also the field of that name.
    """
    handles = frozenset[str]().union(*(_parts_of(target, each) for each in seen))
    return Aim(target, count, lambda control: control.handle in handles or _is_in_place_of(target, control))


def _parts_of(target: TargetInfo, seen: Observation) -> set[str]:
    around = seen.find(target.parent)
    whole = around.handle if around and around.type in _COMPOSED else target.handle
    return {target.handle, whole, *(part.handle for part in seen.inside_of(target))}


def _is_in_place_of(target: TargetInfo, control: TargetInfo) -> bool:
    if target.type in LABELS and _is_field(control):
        names = {comparable_name(text).rstrip(":") for text in (target.name, target.value)} - {""}
        if comparable_name(control.name).rstrip(":") in names:
            return True
    return 2 * control.rect.intersection(target.rect).area >= max(1, control.rect.area)


def is_text_elsewhere(pair: Pair, aim: Aim) -> bool:
    """True for a field that is no part of the aim and reads otherwise now."""
    then, now = pair
    return _is_field(now) and then.value != now.value and not aim.is_part(now)


def reads_otherwise(then: TargetInfo, now: TargetInfo, texts: Sequence[str]) -> str:
    """A sentence on a field into which texts were typed; empty if it reads them, and nothing that it added."""
    for text in texts:
        if message := uncounted(then, now, text):
            return message
        if not text_appeared(text, then.value, now.value) or _count(text, texts, now) < texts.count(text):
            contains = f"contains {quoted(text)} as before" if text in now.value else f"lacks {quoted(text)}"
            return f"{then.describe} now has the value {quoted(now.value)}, which {contains}"
        if _is_field(now) and then.value != now.value and not _is_entered(then, now, text, texts):
            return _reads(now, text)
    return ""


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of one text: how often it was found, and a sentence on a field that reads otherwise."""

    text: str
    changed: tuple[Pair, ...]
    added: tuple[TargetInfo, ...]
    count: int
    wrong: str


def _places_of(
    differing: Sequence[Pair], new: Sequence[TargetInfo], text: str, texts: Sequence[str], echoes: Set[str]
) -> _Places:
    changed = tuple(pair for pair in differing if _came_to_hold(*pair, text, texts, echoes))
    added = tuple(c for c in new if _count(text, texts, c) and c.value not in echoes)
    count = sum(max(1, _count(text, texts, now) - _count(text, texts, then)) for then, now in changed) + len(added)
    changed_text = [(then, now) for then, now in differing if then.value != now.value]
    old = [message for pair in changed_text if (message := uncounted(*pair, text))]
    fields = [(then, now) for then, now in changed if _is_field(now) and then.value != now.value]
    wrong = [pair for pair in fields if not _is_entered(*pair, text, texts)]
    added_to = [_reads(now, text) for _, now in wrong] if len(wrong) == len(fields) else []
    return _Places(text, changed, added, count, next(iter([*old, *added_to]), ""))


def _lacking(places: Mapping[str, _Places], texts: Sequence[str], *, is_hidden: bool) -> str | None:
    """A sentence on a text that is wrong or missing, empty if all of them are; None if none is."""
    wrong = [message for place in places.values() if (message := place.wrong)]
    missing = [text for text, place in places.items() if place.count < texts.count(text)]
    if not wrong and not missing:
        return None
    lacking = f"no control has {quoted(missing[0])} in a place of its own" if missing and not is_hidden else ""
    some = any(place.count for place in places.values())
    return wrong[0] if wrong else lacking if some else ""


def _strayed(places: Sequence[_Places], aim: Aim) -> str | None:
    """A sentence on a text that is in another control than its target, a field first; None if there is none."""
    for place in places:
        holding = sorted([*(now for _, now in place.changed), *place.added], key=_is_field, reverse=True)
        if not any(map(aim.is_part, holding)):
            return f"{quoted(place.text)} is in {holding[0].describe}, not in {aim.target.describe}"
    return None


def _reads(now: TargetInfo, text: str) -> str:
    return f"{now.describe} reads {quoted(now.value)}, not {quoted(text)}"


def _is_like(text: str, now: TargetInfo) -> bool:
    """True if a control contains the text, ignoring case, or its number."""
    return text.casefold() in now.value.casefold() or bool(numbers_in(text) & numbers_in(now.value))


def _is_field(control: TargetInfo) -> bool:
    return control.type in _FIELDS and "editable" in control.states and "read_only" not in control.states


def _is_entered(then: TargetInfo, now: TargetInfo, text: str, texts: Sequence[str]) -> bool:
    """True if a field reads the text or its number, or a formula came to something in its cell."""
    others = [other for other in texts if other != text]
    if now.type is Role.CELL:
        formula = text.startswith("=") and "focused" in then.states
        same = not _CONVERTED.match(text) and numbers_in(text) & numbers_in(now.value)
        return formula or bool(same) or is_entered(text, others, then.value, now.value, parts=False)
    is_number = bool(numbers_in(text) & numbers_in(now.value)) and now.type in {Role.SPINBUTTON, Role.TEXTBOX}
    return is_number or is_entered(text, others, then.value, now.value, parts=True)


def uncounted(then: TargetInfo, now: TargetInfo, text: str) -> str:
    """A sentence if the program has another number than the text of its number field shows; empty else.

    It takes the text over when the field is left. A number in another unit than the text, such as a fraction for a
    percentage, counts as taken over once it changes.
    """
    if now.number is None or then.number is None or not _is_like(text, now):
        return ""
    mark = decimal_mark([now.value, then.value])
    if is_shown(now.value, now.number, mark) or now.number in numbers_in(text, mark):
        return ""
    if now.number != then.number and not is_shown(then.value, then.number, mark):
        return ""
    has = f"{now.describe} reads {quoted(now.value)}, its program has {number_text(now.number)}"
    return f"{has}: the text counts when the field is left, press {{TAB}}"


def _gone_to(
    changed: Sequence[Pair], selected: Sequence[Pair], texts: Sequence[str], aim: Aim | None
) -> tuple[Pair, ...]:
    """The newly selected cell whose address was typed into a name box."""
    fields = [(then, now) for then, now in changed if now.type is Role.TEXTBOX and (aim is None or aim.is_part(now))]
    left = {now.value for then, now in fields if "focused" in then.states - now.states}
    return tuple(pair for pair in selected if {pair[1].name} == set(texts) <= left)


def _came_to_hold(then: TargetInfo, now: TargetInfo, text: str, texts: Sequence[str], shown: Set[str]) -> bool:
    """True if a typed text appeared in a control, or if the control was selected by it, such as a list item."""
    count = _count(text, texts, now)
    if (then.name, then.value) == (now.name, now.value):
        return now.type is not Role.CELL and lasting_states(then) != lasting_states(now) and count > 0
    if now.value in shown and now.type is not Role.CELL:
        return False
    if "editable" not in now.states and now.type in _READ and may_be_count(text):
        return comparable_name(text) in {comparable_name(now.name), comparable_name(now.value)}  # it may count lines
    if count > _count(text, texts, then):
        return True
    return "focused" in then.states and _took_text(then, now, text, count)


def _took_text(then: TargetInfo, now: TargetInfo, text: str, count: int) -> bool:
    """True if the control with the keyboard took a text that does not appear in it more often (now `count` times): it
    may have reformatted it, replaced another text by it, or scrolled.
    """
    if not count:
        return then.type is Role.CELL and text.startswith("=")
    is_number_now = numbers_in(text) & (numbers_in(now.value) - numbers_in(then.value))
    return bool(is_number_now) or text_appeared(text.casefold(), then.value.casefold(), now.value.casefold())


def _count(text: str, texts: Sequence[str], control: TargetInfo) -> int:
    """Number of occurrences of a text in a control outside of the longer texts typed with it, ignoring case; numbers
    may be written in another way.
    """
    wanted = comparable_name(text).casefold()
    longer = [comparable_name(other).casefold() for other in texts if len(other) > len(text)]
    found = 0
    for shown in (comparable_name(control.name).casefold(), comparable_name(control.value).casefold()):
        rest = shown
        for other in sorted(longer, key=len, reverse=True):
            rest = rest.replace(other, "\n", 1)
        found += rest.count(wanted)
    taken = any(numbers_in(other) & numbers_in(control.value) for other in texts if other != text)
    return found or (0 if taken else len(numbers_in(text) & numbers_in(control.value)))
