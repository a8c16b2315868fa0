"""Comparison of a wanted value with the texts and numbers that controls show (contract 4.2)."""

import re
from collections.abc import Sequence
from typing import Final

from deskhand.commands.control_kinds import NUMBERS, TEXTS
from deskhand.commands.effects.text_match import decimal_mark, is_number, numbers_in
from deskhand.commands.techniques.long_texts import with_whole_text
from deskhand.core.errors import UNREADABLE
from deskhand.core.observation import Observation
from deskhand.core.patterns import matches_text
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_SHOW_NUMBERS: Final = NUMBERS | {Role.PROGRESSBAR}
_NUMBER: Final = re.compile(r"[+-]?\d[\d.,]*")
_EMPTY: Final = "empty"
"""State of a cell without content."""

_MOST_READ: Final = 20
"""Controls whose text is read for one comparison."""


async def showing(desktop: Desktop, seen: Observation, controls: Sequence[TargetInfo], wanted: str) -> list[TargetInfo]:
    """The controls that show the wanted value; numbers are compared as numbers, with any unit."""
    reads = [(control, await shown_text(desktop, seen, control)) for control in controls[:_MOST_READ]]
    return [control for control, text in reads if text is not None and _shows(control, text, wanted)]


async def shown_text(desktop: Desktop, seen: Observation, control: TargetInfo) -> str | None:
    """The whole text of a control; None if it exposes none: a password, a date of several parts, most labels."""
    if control.type is Role.PASSWORD or any(part.type is Role.SPINBUTTON for part in seen.inside_of(control)):
        return None
    if TEXT_CUT in control.states:
        whole = await with_whole_text(desktop, control)
        return None if TEXT_CUT in whole.states else whole.value
    if _EMPTY in control.states or control.value:
        return control.value
    try:
        text = await desktop.read_text(control)
    except UNREADABLE:
        text = ""
    return text or ("" if control.type in TEXTS else None)


def reading(control: TargetInfo, text: str | None) -> str:
    """The sentence about a control that does not show the wanted value."""
    if control.type is Role.PASSWORD:
        return f"{control.describe}: a password is never read back"
    return f"{control.describe} exposes no text" if text is None else f"{control.describe} reads {quoted(text)}"


def _shows(control: TargetInfo, text: str, wanted: str) -> bool:
    if matches_text(wanted, text):
        return True
    mark = decimal_mark([text])
    numbers = numbers_in(wanted, mark) if _NUMBER.fullmatch(wanted) and control.type in _SHOW_NUMBERS else ()
    return any(is_number(text, number, mark) for number in numbers)
