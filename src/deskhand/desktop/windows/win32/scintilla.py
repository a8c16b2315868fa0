"""Scintilla, the text field of programmers' editors. Its offsets are bytes of the text in its own encoding."""

import codecs
import re
from typing import Final

from .failures import Refused
from .kinds import Kind, Part
from .memory import SIZE, memory_of
from .messages import WM_GETTEXTLENGTH, beginning_of, send, send_signed, text_of
from .reading import MOST_UNITS, WS_DISABLED, Control, Reading
from .windows import style_of

CLASS: Final = "scintilla"

_ADD_TEXT: Final = 2001
_CLEAR_ALL: Final = 2004
_END_OF_LINE: Final = 2030
_BEGIN_UNDO: Final = 2078
_END_UNDO: Final = 2079
_CODE_PAGE: Final = 2137
_READ_ONLY: Final = 2140
_SELECTION_START: Final = 2143
_SELECTION_END: Final = 2145
_SELECT: Final = 2160
_SHOW_CARET: Final = 2169

_LINE_ENDS: Final = {0: "\r\n", 1: "\r", 2: "\n"}
_UTF_8: Final = 65001


def _read(control: Control, reading: Reading) -> None:
    text = beginning_of(control.handle, MOST_UNITS)
    units = send_signed(control.handle, WM_GETTEXTLENGTH) if len(text) >= MOST_UNITS - 1 else 0
    start, caret = selection_of(control.handle, text)
    reading.add(
        control,
        "text",
        ("focusable", "multi-line", "read-only" if send(control.handle, _READ_ONLY) else "editable"),
        text=plain(text),
        caret=caret,
        selection=(start, caret) if start != caret else None,
        actions=("focus",),
        length=units if units > MOST_UNITS else None,
    )


def plain(text: str) -> str:
    """A text with `\\n` as the line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def selection_of(handle: int, text: str) -> tuple[int, int]:
    """The first selected character, and the one after the last, of `text`, the beginning of what it has."""
    encoded = text.encode(_encoding(handle), "replace")
    places = (send(handle, message) for message in (_SELECTION_START, _SELECTION_END))
    first, last = (len(plain(encoded[:place].decode(_encoding(handle), "ignore"))) for place in places)
    return first, last


def select(handle: int, start: int, end: int) -> None:
    """Select the characters from `start` up to `end`; the caret is at `end`. Raises as `messages.send` does."""
    text = text_of(handle)
    send(handle, _SELECT, _bytes_before(handle, text, start), _bytes_before(handle, text, end))
    send(handle, _SHOW_CARET)


def _bytes_before(handle: int, text: str, characters: int) -> int:
    """The number of bytes before a character, where line ends may be two units."""
    before = re.match(rf"(?s)(?:\r\n|.){{0,{max(0, characters)}}}", text)
    return len((before[0] if before else "").encode(_encoding(handle), "replace"))


def replace_all(handle: int, text: str) -> None:
    """Replace the text, as one step to undo.

    Raises:
        Refused: it is read-only or disabled, or its encoding has not all of the characters.
        Gone, Hung: see `messages.send`.
    """
    data = _encoded(handle, text)
    send(handle, _BEGIN_UNDO)
    try:
        send(handle, _CLEAR_ALL)
        _add(handle, data)
    finally:
        send(handle, _END_UNDO)


def insert(handle: int, at: int, text: str) -> None:
    """Put a text before the character `at`. Raises as `replace_all` does."""
    data = _encoded(handle, text)
    select(handle, at, at)
    _add(handle, data)


def _add(handle: int, data: bytes) -> None:
    """Put bytes before the caret, which is after them then."""
    memory = memory_of(handle)
    for begin in range(0, len(data), SIZE):
        some = data[begin : begin + SIZE]
        memory.write(some)
        send(handle, _ADD_TEXT, len(some), memory.start)


def _encoded(handle: int, text: str) -> bytes:
    fixed = send(handle, _READ_ONLY)
    if fixed or style_of(handle) & WS_DISABLED:
        raise Refused(f"the field {handle} is {'read-only' if fixed else 'disabled'}")
    line_end = _LINE_ENDS.get(send(handle, _END_OF_LINE), "\r\n")
    try:
        return plain(text).replace("\n", line_end).encode(_encoding(handle))
    except UnicodeEncodeError as failed:
        page = send(handle, _CODE_PAGE) or "that of the system"
        raise Refused(f"the code page of field {handle}, {page}, has not all characters of the text") from failed


def _encoding(handle: int) -> str:
    """Python's name of the encoding of a document: UTF-8, a code page, or for 0 that of the system."""
    page = send(handle, _CODE_PAGE)
    if page == _UTF_8:
        return "utf-8"
    try:
        return codecs.lookup(f"cp{page}").name
    except LookupError:
        return "mbcs"


def _show(part: Part) -> None:
    send(part.handle, _SHOW_CARET)


SCINTILLA: Final = Kind(_read, set_text=lambda part, text: replace_all(part.handle, text), show=_show)
