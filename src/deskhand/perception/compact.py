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
    """`text` has one line per control listed; `omitted` controls did not fit, and its last line says so."""

    text: str
    tokens: int
    omitted: int = 0


def compact(targets: Sequence[TargetInfo], *, budget: int | None = None) -> CompactList:
    """The controls in their order, as `id role "name" = value (states)`, in at most `budget` tokens.

    Where they do not fit, those that something can be done with stay before those that can only be read, earlier
    ones before later ones; a last line says how many are missing. With a budget too small for that line the line
    stands alone, over budget.
    """
    lines = [line_of(target) for target in targets]
    whole = "\n".join(lines)
    if budget is None or tokens(whole) <= budget:
        return CompactList(whole, tokens(whole))
    kept = _fitting(targets, lines, budget)
    omitted = len(lines) - len(kept)
    text = "\n".join([*(lines[index] for index in sorted(kept)), _more(omitted)])
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


def _more(omitted: int) -> str:
    return f"({omitted} more, use find_controls)"


def _fitting(targets: Sequence[TargetInfo], lines: Sequence[str], budget: int) -> set[int]:
    """Indexes of the lines to keep: the most important first while they fit beside the last line."""
    room = budget * 4 - len(_more(len(lines)).encode())
    kept: set[int] = set()
    for index in sorted(range(len(lines)), key=lambda index: (not interactive(targets[index]), index)):
        size = len(lines[index].encode("utf-8", errors="surrogatepass")) + 1
        if size > room:
            break
        room -= size
        kept.add(index)
    return kept
