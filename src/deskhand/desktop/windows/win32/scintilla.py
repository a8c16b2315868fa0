"""Scintilla, the text field of programmers' editors. Its offsets are bytes of the text in its own encoding."""

import codecs
import ctypes
import re
from ctypes import c_int32, c_size_t
from typing import Final

from .failures import Refused
from .kinds import Kind, Part
from .memory import SIZE, memory_of
from .messages import send, send_signed
from .reading import MOST_UNITS, WS_DISABLED, Control, Reading
from .windows import style_of

CLASS: Final = "scintilla"

_ADD_TEXT: Final = 2001
_CLEAR_ALL: Final = 2004
_LENGTH: Final = 2006
_END_OF_LINE: Final = 2030
_BEGIN_UNDO: Final = 2078
_END_UNDO: Final = 2079
_CODE_PAGE: Final = 2137
_READ_ONLY: Final = 2140
_SELECTION_START: Final = 2143
_SELECTION_END: Final = 2145
_SELECT: Final = 2160
_TEXT_RANGE: Final = 2162
_SHOW_CARET: Final = 2169
_COUNT: Final = 2633
"""SCI_COUNTCHARACTERS, which old versions lack."""

_RANGE_BYTES: Final = 16
_MOST_BYTES: Final = 1 << 23

_LINE_ENDS: Final = {0: "\r\n", 1: "\r", 2: "\n"}
_UTF_8: Final = 65001


class _Range(ctypes.Structure):
    """Sci_TextRange: the bytes from `start` up to `end` go to the address `text`, with a final zero."""

    _fields_ = (("start", c_int32), ("end", c_int32), ("text", c_size_t))


def _read(control: Control, reading: Reading) -> None:
    size = _size(control.handle)
    data = _data(control.handle, min(size, MOST_UNITS))
    places = [send(control.handle, message) for message in (_SELECTION_START, _SELECTION_END)]
    start, caret = (len(_plain(control.handle, data[:place])) for place in places)
    reading.add(
        control,
        "text",
        ("focusable", "multi-line", "read-only" if send(control.handle, _READ_ONLY) else "editable"),
        text=_plain(control.handle, data),
        caret=caret,
        selection=(start, caret) if start != caret else None,
        actions=("focus",),
        length=send_signed(control.handle, _COUNT, 0, size) or size if size > len(data) else None,
    )


def whole_text(handle: int) -> str:
    """All of its text, with `\\n` as the line end. Raises Refused for a very long one, and as `messages.send`."""
    size = _size(handle)
    if size > _MOST_BYTES:
        raise Refused(f"the field {handle} has a text of {size} bytes, which is not read")
    return _plain(handle, _data(handle, size))


def _size(handle: int) -> int:
    return max(0, send_signed(handle, _LENGTH))


def _data(handle: int, size: int) -> bytes:
    """The first bytes of its text. Fields of wxWidgets answer WM_GETTEXT with something else."""
    memory, found = memory_of(handle), bytearray()
    most = SIZE - _RANGE_BYTES - 1
    while len(found) < size:
        end = min(size, len(found) + most)
        memory.write(bytes(_Range(len(found), end, memory.start + _RANGE_BYTES)))
        send(handle, _TEXT_RANGE, 0, memory.start)
        found += memory.read(_RANGE_BYTES, end - len(found))
    return bytes(found)


def _plain(handle: int, data: bytes) -> str:
    return plain(data.decode(_encoding(handle), "ignore"))


def plain(text: str) -> str:
    """A text with `\\n` as the line end, and U+FFFD for a zero, which most protocols do not carry."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")


def select(handle: int, start: int, end: int) -> None:
    """Select the characters from `start` up to `end`; the caret is at `end`. Raises as `messages.send` does."""
    encoding = _encoding(handle)
    text = _data(handle, min(_size(handle), _MOST_BYTES)).decode(encoding, "ignore")
    places = (_up_to(text, characters) for characters in (start, end))
    send(handle, _SELECT, *(len(before.encode(encoding)) for before in places))
    send(handle, _SHOW_CARET)


def _up_to(text: str, characters: int) -> str:
    """The part of a text before a character, where a line end may be two units."""
    before = re.match(rf"(?s)(?:\r\n|.){{0,{max(0, characters)}}}", text)
    return before[0] if before else ""


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
