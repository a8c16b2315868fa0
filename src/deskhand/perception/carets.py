"""Caret and selection of a text, in a few words."""

from typing import Final

from deskhand.core.target import TargetInfo, TextCaret
from deskhand.core.text import quoted

MOST_SELECTED: Final = 60
"""Characters of a selected text; of a longer one both ends."""


def caret_of(target: TargetInfo) -> tuple[str, ...]:
    """Return the place of the caret, or the selected text: `caret in line 12 after "…last words"`, `selected "Ada"`.

    Of a selection over several lines it is the first.
    """
    caret = target.caret
    if caret is None:
        return ()
    if not caret.selected:
        return (_place(caret),)
    return ("all selected" if caret.is_whole else f"selected{_in_line(caret)} {quoted(caret.selected, MOST_SELECTED)}",)


def _place(caret: TextCaret) -> str:
    if caret.at_end:
        return "caret at end"
    if not caret.before:
        return f"caret at start{f' of line {caret.line}' if caret.line else ''}"
    return f"caret{_in_line(caret)} after {quoted(caret.before)}"


def _in_line(caret: TextCaret) -> str:
    return f" in line {caret.line}" if caret.line else ""
