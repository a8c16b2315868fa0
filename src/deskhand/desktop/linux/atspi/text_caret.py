"""Caret and selection of a text, as they are read with its node."""

from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TextCaret
from deskhand.core.text import CUT
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import Post, Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import EDITABLE, FOCUSED, HEADING, MULTI_LINE, PARAGRAPH, SELECTED, role_of

_PARAGRAPHS: Final = frozenset({HEADING, PARAGRAPH})
_FIELDS: Final = frozenset({Role.COMBOBOX, Role.SPINBUTTON, Role.TEXTBOX})
_LINES: Final = EDITABLE | MULTI_LINE
_MOST_SELECTED: Final = 2000
_MOST_BEFORE: Final = 200_000
"""Characters before the caret up to which its line is counted."""
_WORDS: Final = 24
"""Characters before the caret that are kept."""


def has_caret(node: Node) -> bool:
    """True for a field or paragraph with the keyboard, and for a selected paragraph: also if a part of it is."""
    if node.role in _PARAGRAPHS:
        return bool(node.state & (FOCUSED | SELECTED))
    return bool(node.state & FOCUSED) and role_of(node.role) in _FIELDS


class CaretReader:
    """Reads caret and selection of one text; in a field of one line, only the selection.

    `by_caret`: the toolkit reports the end of a selection too low, and the caret correctly. Places are only used in
    requests to the application, which may count characters or units of 16 bits.
    """

    def __init__(self, post: Post, node: Node, *, by_caret: bool) -> None:
        self._post = post
        self._node = node
        self._by_caret = by_caret
        self._is_paragraph = node.role in _PARAGRAPHS
        self._has_lines = not self._is_paragraph and node.state & _LINES == _LINES
        self._at = self._length = -1

    def read(self) -> None:
        ref = self._node.ref
        self._post([calls.get_caret(ref), calls.get_text_length(ref), calls.count_selections(ref)], self._take)

    def _take(self, replies: list[Reply]) -> None:
        self._at, self._length, count = (calls.int_in(reply, -1) for reply in replies)
        if count > 0:
            self._post([calls.get_selection(self._node.ref)], self._take_selection)
        elif self._is_paragraph or self._has_lines:
            self._ask_texts(self._at, self._at)

    def _take_selection(self, replies: list[Reply]) -> None:
        start, end = sorted(calls.pair_in(replies[0]))
        if self._by_caret and self._at >= 0:
            start, end = min(start, self._at), max(end, self._at)
        self._ask_texts(start, end)

    def _ask_texts(self, start: int, end: int) -> None:
        """Request the text before a place, and the selected one."""
        if not 0 <= start <= end or start > _MOST_BEFORE:
            return
        parts = [(0, start), (start, min(max(end, start + 1), start + _MOST_SELECTED, self._length))]

        def take(replies: list[Reply]) -> None:
            read = iter(replies)
            before, here = (calls.text_in(next(read)) if first < last else "" for first, last in parts)
            if all(text or first >= last for text, (first, last) in zip((before, here), parts, strict=True)):
                self._note(before, here, start, end)

        self._post([calls.get_part(self._node.ref, *part) for part in parts if part[0] < part[1]], take)

    def _note(self, before: str, here: str, start: int, end: int) -> None:
        """Set the caret of the node. `here`: the selected text, else the next character."""
        if not self._is_paragraph and calls.EMBEDDED in before + here:
            return  # the caret may be in a text inside this one
        lines = _plain(before).split("\n")
        self._node.caret = TextCaret(
            before=_end_of(lines[-1]),
            line=len(lines) if self._has_lines else 0,
            at_end=start >= self._length,
            selected=_plain(here) if end > start else "",
            is_whole=start == 0 and end >= self._length > 0,
        )


def _end_of(line: str) -> str:
    """The last words of a line, without a part of a word at their beginning."""
    if len(line) <= _WORDS:
        return line
    _, blank, words = line[-_WORDS:].partition(" ")
    return f"{CUT}{words if blank and words.strip() else line[-_WORDS:]}"


def _plain(text: str) -> str:
    return text.replace(calls.EMBEDDED, "")
