"""Text fields and documents: Edit and RichEdit. Offsets are in characters of the text with `\\n` as the line end."""

import ctypes
from ctypes import c_uint32
from typing import Final

from . import scintilla
from .failures import Refused
from .kinds import Kind, Part
from .messages import WM_GETTEXTLENGTH, beginning_of, deliver, send, send_signed, text_of
from .reading import MOST_UNITS, WS_DISABLED, Control, Reading
from .windows import class_of, standard_class_of, style_of

EM_GETSEL: Final = 0x00B0
EM_SETSEL: Final = 0x00B1
EM_SCROLLCARET: Final = 0x00B7
EM_REPLACESEL: Final = 0x00C2

_MULTILINE: Final = 0x4
_PASSWORD: Final = 0x20
_READ_ONLY: Final = 0x800


def _read(control: Control, reading: Reading) -> None:
    if control.style & _PASSWORD:
        length = max(0, send_signed(control.handle, WM_GETTEXTLENGTH))
        reading.add(
            control, "password text", _states(control), text="", hidden=length, actions=("focus",), name=control.label
        )
        return
    text = beginning_of(control.handle, MOST_UNITS)
    units = send_signed(control.handle, WM_GETTEXTLENGTH) if len(text) >= MOST_UNITS - 1 else 0
    start, end = _selection(control.handle)
    caret = _characters(control.handle, text, end)
    selection = (_characters(control.handle, text, start), caret) if start != end else None
    reading.add(
        control,
        "text" if control.style & _MULTILINE else "entry",
        _states(control),
        text=text.replace("\r\n", "\n"),
        caret=caret,
        selection=selection,
        actions=("focus",),
        length=units if units > MOST_UNITS else None,
    )


def _states(control: Control) -> tuple[str, ...]:
    editable = "read-only" if control.style & _READ_ONLY else "editable"
    lines = "multi-line" if control.style & _MULTILINE else "single-line"
    return ("focusable", editable, lines)


def is_field(handle: int) -> bool:
    """The window is a text field whose messages are known."""
    return standard_class_of(handle) in {"edit", "richedit", scintilla.CLASS}


def whole_text(handle: int) -> str:
    """All of a field's text, with `\\n` as the line end.

    Raises:
        Refused: it is a password, or not a field.
        Gone, Hung: see `messages.send`.
    """
    _field(handle)
    if _is_scintilla(handle):
        return scintilla.whole_text(handle)
    if style_of(handle) & _PASSWORD:
        raise Refused(f"the field {handle} has a password, which is not read")
    return text_of(handle).replace("\r\n", "\n")


def set_text(handle: int, text: str) -> None:
    """Replace a field's text as typing does: its limit holds, its parent is notified, and it can be undone.

    Raises:
        Refused: it is read-only or disabled, or not a field.
        Gone, Hung: see `messages.send`.
    """
    _editable(handle)
    deliver(handle, EM_SETSEL, 0, -1)
    _replace(handle, text)


def insert_text(handle: int, at: int, text: str) -> None:
    """Put `text` before the character `at`. Raises as `set_text` does."""
    if _is_scintilla(handle):
        scintilla.insert(handle, at, text)
        return
    _editable(handle)
    set_caret(handle, at)
    _replace(handle, text)


def delete_text(handle: int, start: int, end: int) -> None:
    """Delete the characters from `start` up to `end`. Raises as `set_text` does."""
    if _is_scintilla(handle):
        scintilla.delete(handle, start, end)
        return
    _editable(handle)
    select_text(handle, start, end)
    _replace(handle, "")


def set_caret(handle: int, at: int) -> None:
    """Move the caret before the character `at`. Raises as `select_text` does."""
    select_text(handle, at, at)


def select_text(handle: int, start: int, end: int) -> None:
    """Select the characters from `start` up to `end`; the caret is at `end`.

    Raises:
        Refused: it is not a field.
        Gone, Hung: see `messages.send`.
    """
    _field(handle)
    if _is_scintilla(handle):
        scintilla.select(handle, start, end)
        return
    text = text_of(handle)
    deliver(handle, EM_SETSEL, _units(handle, text, start), _units(handle, text, end))
    send(handle, EM_SCROLLCARET)


def _replace(handle: int, text: str) -> None:
    multiline = style_of(handle) & _MULTILINE
    lines = text.replace("\r\n", "\n")
    deliver(handle, EM_REPLACESEL, 1, ctypes.create_unicode_buffer(lines.replace("\n", "\r\n") if multiline else lines))


def _field(handle: int) -> None:
    if not is_field(handle):
        raise Refused(f"the control {handle} is a {class_of(handle)}, not a text field")


def _editable(handle: int) -> None:
    _field(handle)
    style = style_of(handle)
    if style & (_READ_ONLY | WS_DISABLED):
        raise Refused(f"the field {handle} is {'read-only' if style & _READ_ONLY else 'disabled'}")


def _is_scintilla(handle: int) -> bool:
    return standard_class_of(handle) == scintilla.CLASS


def _selection(handle: int) -> tuple[int, int]:
    start, end = c_uint32(), c_uint32()
    send(handle, EM_GETSEL, ctypes.addressof(start), ctypes.addressof(end))
    return start.value, end.value


def _line_end_units(handle: int) -> int:
    """The number of units of a line end in a control's own offsets: RichEdit stores one for it."""
    return 2 if standard_class_of(handle) == "edit" else 1


def _characters(handle: int, text: str, unit: int) -> int:
    """The offset in characters of a control's own offset, which counts UTF-16 units."""
    if _line_end_units(handle) == 1:
        text = text.replace("\r\n", "\n")
    before = text.encode("utf-16-le")[: unit * 2].decode("utf-16-le", "ignore")
    return len(before.replace("\r\n", "\n").replace("\r", ""))


def _units(handle: int, text: str, at: int) -> int:
    before = text.replace("\r\n", "\n")[:at]
    if _line_end_units(handle) == 2:
        before = before.replace("\n", "\r\n")
    return len(before.encode("utf-16-le")) // 2


def _show(part: Part) -> None:
    send(part.handle, EM_SCROLLCARET)


EDIT: Final = Kind(_read, set_text=lambda part, text: set_text(part.handle, text), show=_show)
