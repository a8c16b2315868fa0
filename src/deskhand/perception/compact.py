"""The list of controls as a model reads it: one line each, within a budget (SPEC 3.2, 6)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.core.tokens import tokens
from deskhand.perception.kinds import interactive

MAX_TEXT: Final = 120
_OTHER_LINE_ENDS: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x7f\x85\u2028\u2029"}
_STATES: Final = (
    "focused",
    "checked",
    "indeterminate",
    "pressed",
    "selected",
    "expanded",
    "collapsed",
    "read_only",
    "required",
    "invalid_entry",
    "busy",
    "modal",
    "default",
)


@dataclass(frozen=True, slots=True)
class CompactList:
    """`text` has one line per control listed; `omitted` controls did not fit, and its last line says so.

    Empty cells of a spreadsheet are neither listed nor omitted; a line says how many there are.
    """

    text: str
    tokens: int
    omitted: int = 0


def compact(targets: Sequence[TargetInfo], *, budget: int | None = None) -> CompactList:
    """The controls in their order, as `id role "name" = value (states)`, in at most `budget` tokens.

    Empty cells of a spreadsheet are not listed: a line at the end counts them. Where the rest does not fit, what
    something can be done with stays before what can only be read, earlier ones before later ones; a last line says how
    many are missing. With a budget too small for these lines they stand alone, over budget.
    """
    told = [target for target in targets if not _blank(target)]
    lines = [line_of(target) for target in told]
    notes = [_blanks(len(targets) - len(told))] if len(told) < len(targets) else []
    whole = "\n".join([*lines, *notes])
    if budget is None or tokens(whole) <= budget:
        return CompactList(whole, tokens(whole))
    notes.append(_more(len(lines)))
    kept = _fitting(told, lines, budget - tokens("\n".join(notes)))
    omitted = len(lines) - len(kept)
    text = "\n".join([*(lines[index] for index in sorted(kept)), *notes[:-1], _more(omitted)])
    return CompactList(text, tokens(text), omitted)


def line_of(target: TargetInfo) -> str:
    """One control: `12 textbox "Name" = "Ada" (focused)`."""
    parts = [target.id, target.type.value] if target.id else [target.type.value]
    if target.name:
        parts.append(_quoted(target.name))
    if target.value and target.value != target.name:
        parts += ["=", _quoted(target.value)]
    if states := states_that_matter(target):
        parts.append(f"({', '.join(states)})")
    return " ".join(parts)


def states_that_matter(target: TargetInfo) -> tuple[str, ...]:
    """The states a reader could not guess, in a fixed order; "disabled" where a showing control takes no input."""
    found = [state for state in _STATES if state in target.states]
    seen_to_refuse = "showing" in target.states and "enabled" not in target.states and interactive(target)
    if seen_to_refuse or "disabled" in target.states:
        found.append("disabled")
    if "checkable" in target.states and "checked" not in target.states:
        found.append("not checked")
    return tuple(found)


def _quoted(text: str) -> str:
    """In quotes, escaped as JSON so that it stays on one line, shortened in the middle where it is long."""
    if len(text) > MAX_TEXT:
        half = (MAX_TEXT - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return json.dumps(text, ensure_ascii=False).translate(_OTHER_LINE_ENDS)


def _blank(target: TargetInfo) -> bool:
    """An empty cell of a spreadsheet that has neither the cursor nor is selected."""
    return "empty" in target.states and not states_that_matter(target)


def _blanks(count: int) -> str:
    return f"({count} empty cells, not listed; find_controls finds each by its address)"


def _more(omitted: int) -> str:
    return f"({omitted} more, use find_controls)"


def _fitting(targets: Sequence[TargetInfo], lines: Sequence[str], budget: int) -> set[int]:
    """Indexes of the lines to keep: the most important first while they fit."""
    room = budget * 4
    kept: set[int] = set()
    for index in sorted(range(len(lines)), key=lambda index: (not interactive(targets[index]), index)):
        size = len(lines[index].encode("utf-8", errors="surrogatepass")) + 1
        if size > room:
            break
        room -= size
        kept.add(index)
    return kept
