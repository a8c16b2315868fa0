"""Scintilla, the text field of programmers' editors. Its offsets are bytes of the text in its own encoding."""

import codecs
import re
from typing import Final

from .failures import Refused
from .kinds import Field, Kind, Part
from .memory import SIZE, memory_of
from .messages import send, send_signed
from .reading import MOST_UNITS, WS_DISABLED, Control, Reading
from .structures import TextRange
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
_CARET: Final = 2008
_SELECTION_START: Final = 2143
_SELECTION_END: Final = 2145
_SELECT_RANGE: Final = 2160
_TEXT_RANGE: Final = 2162
_LINE_OF: Final = 2166
_SHOW_CARET: Final = 2169
_REPLACE_SELECTION: Final = 2170
_COUNT: Final = 2633
"""SCI_COUNTCHARACTERS, which old versions lack."""

_RANGE_BYTES: Final = 16
_MOST_BYTES: Final = 1 << 23

_LINE_ENDS: Final = {0: "\r\n", 1: "\r", 2: "\n"}
_UTF_8: Final = 65001
_KEEP: Final = "surrogateescape"
_NO_CHARACTER: Final = re.compile("[\0\ud800-\udfff]")


def _read(control: Control, reading: Reading) -> None:
    handle, size = control.handle, _size(control.handle)
    document = _Document(handle, _data(handle, min(size, MOST_UNITS)), size)
    start, end, caret = (document.characters(send(handle, each)) for each in (_SELECTION_START, _SELECTION_END, _CARET))
    reading.add(
        control,
        "text",
        ("focusable", "multi-line", "read-only" if send(handle, _READ_ONLY) else "editable"),
        text=document.text,
        caret=caret,
        selection=(start, end) if start != end else None,
        actions=("focus",),
        length=document.characters(size) if size > len(document.data) else None,
    )


class _Document:
    """The beginning of a document, as bytes of its own encoding."""

    def __init__(self, handle: int, data: bytes, size: int) -> None:
        """`size`: that of all."""
        self._handle = handle
        self._encoding = _encoding(handle)
        self._counted: dict[int, int] = {}
        self.data = data
        decoder = codecs.getincrementaldecoder(self._encoding)(_KEEP)  # a character that is cut at the end is left out
        self.text = _plain(decoder.decode(data, len(data) == size))

    def characters(self, place: int) -> int:
        """The number of characters before a byte; further on as its program counts them, with line ends as here."""
        if place <= len(self.data):
            return len(_plain(self.data[:place].decode(self._encoding, _KEEP)))
        if place not in self._counted:
            lines = send_signed(self._handle, _LINE_OF, place) if b"\r\n" in self.data else 0
            self._counted[place] = (send_signed(self._handle, _COUNT, 0, place) or place) - lines
        return self._counted[place]


def _whole_text(handle: int) -> str:
    """All of its text, with `\\n` as the line end. Raises Refused for a very long one, and as `messages.send`."""
    return _plain(_text(handle))


def _text(handle: int) -> str:
    """All of its text; bytes that its encoding lacks are surrogates."""
    size = _size(handle)
    if size > _MOST_BYTES:
        raise Refused(f"the field {handle} has a text of {size} bytes, which is not read")
    return _data(handle, size).decode(_encoding(handle), _KEEP)


def _size(handle: int) -> int:
    return max(0, send_signed(handle, _LENGTH))


def _data(handle: int, size: int) -> bytes:
    """The first bytes of its text. Fields of wxWidgets answer WM_GETTEXT with something else."""
    memory, found = memory_of(handle), bytearray()
    most = SIZE - _RANGE_BYTES - 1
    while len(found) < size:
        end = min(size, len(found) + most)
        memory.write_structures([TextRange(len(found), end, memory.start + _RANGE_BYTES)])
        send(handle, _TEXT_RANGE, 0, memory.start)
        found += memory.read(_RANGE_BYTES, end - len(found))
    return bytes(found)


def _plain(text: str) -> str:
    """A text with `\\n` as the line end, and U+FFFD for what is no character, and for a zero, which D-Bus lacks."""
    return _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", _in_lines(text))


def _in_lines(text: str) -> str:
    """A text with `\\n` as the line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _select(handle: int, start: int, end: int) -> None:
    """Raises Refused for a very long text, and as `messages.send`."""
    text, encoding = _text(handle), _encoding(handle)
    places = (len(_up_to(text, characters).encode(encoding, _KEEP)) for characters in (start, end))
    send(handle, _SELECT_RANGE, *places)
    send(handle, _SHOW_CARET)


def _up_to(text: str, characters: int) -> str:
    """The part of a text before a character, where a line end may be two units."""
    at, left = 0, max(0, characters)
    while left and (line_end := text.find("\r\n", at, at + left + 1)) >= 0:
        left -= line_end - at + 1
        at = line_end + 2
    return text[: at + left]


def _replace_all(handle: int, text: str) -> None:
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


def _insert(handle: int, at: int, text: str) -> None:
    """Put a text before the character `at`. Raises as `_replace_all` does."""
    data = _encoded(handle, text)
    _select(handle, at, at)
    _add(handle, data)


def _delete(handle: int, start: int, end: int) -> None:
    """Delete the characters from `start` up to `end`. Raises as `_replace_all` does."""
    _check_editable(handle)
    _select(handle, start, end)
    memory = memory_of(handle)
    memory.write(bytes(1))  # an empty text
    send(handle, _REPLACE_SELECTION, 0, memory.start)


def _add(handle: int, data: bytes) -> None:
    """Put bytes before the caret, which is after them then."""
    memory = memory_of(handle)
    for begin in range(0, len(data), SIZE):
        some = data[begin : begin + SIZE]
        memory.write(some)
        send(handle, _ADD_TEXT, len(some), memory.start)


def _check_editable(handle: int) -> None:
    fixed = send(handle, _READ_ONLY)
    if fixed or style_of(handle) & WS_DISABLED:
        raise Refused(f"the field {handle} is {'read-only' if fixed else 'disabled'}")


def _encoded(handle: int, text: str) -> bytes:
    _check_editable(handle)
    line_end = _LINE_ENDS.get(send(handle, _END_OF_LINE), "\r\n")
    try:
        return _in_lines(text).replace("\n", line_end).encode(_encoding(handle))
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


SCINTILLA: Final = Kind(
    _read,
    set_text=lambda part, text: _replace_all(part.handle, text),
    field=Field(_whole_text, _insert, _delete, _select),
    show=_show,
)
