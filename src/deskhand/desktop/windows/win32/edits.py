"""Text fields and documents: Edit and RichEdit. Offsets are in characters of the text with `\\n` as the line end."""

import ctypes
from ctypes import c_uint32
from typing import Final

from .failures import Refused
from .kinds import Field, Kind, Part
from .messages import WM_GETTEXTLENGTH, beginning_of, deliver, send, send_signed, text_of
from .reading import MOST_UNITS, WS_DISABLED, Control, Reading
from .windows import standard_class_of, style_of

_GET_SELECTION: Final = 0x00B0
_SELECT_UNITS: Final = 0x00B1
_SHOW_CARET: Final = 0x00B7
_REPLACE_SELECTION: Final = 0x00C2

_FARTHEST: Final = 1 << 20
"""UTF-16 units before a caret or selection that are counted; one further on is reported to be there."""
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
    start, end = selection_of(control.handle)
    # in a long text the caret may be further on; a line end of two units here may be one of the control's own
    counted = beginning_of(control.handle, min(2 * end, _FARTHEST)) if units and 2 * end > len(text) else text
    caret = _characters(control.handle, counted, end)
    selection = (_characters(control.handle, counted, start), caret) if start != end else None
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


def _whole_text(handle: int) -> str:
    if style_of(handle) & _PASSWORD:
        raise Refused(f"the field {handle} has a password, which is not read")
    return text_of(handle).replace("\r\n", "\n")


def _set_text(handle: int, text: str) -> None:
    """Replace a field's text as typing does: its limit holds, its parent is notified, and it can be undone."""
    _check_editable(handle)
    deliver(handle, _SELECT_UNITS, 0, -1)
    _replace(handle, text)


def _insert(handle: int, at: int, text: str) -> None:
    _check_editable(handle)
    _select(handle, at, at)
    _replace(handle, text)


def _delete(handle: int, start: int, end: int) -> None:
    _check_editable(handle)
    _select(handle, start, end)
    _replace(handle, "")


def _select(handle: int, start: int, end: int) -> None:
    text = text_of(handle)
    deliver(handle, _SELECT_UNITS, _units(handle, text, start), _units(handle, text, end))
    send(handle, _SHOW_CARET)


def _replace(handle: int, text: str) -> None:
    multiline = style_of(handle) & _MULTILINE
    lines = text.replace("\r\n", "\n")
    deliver(
        handle, _REPLACE_SELECTION, 1, ctypes.create_unicode_buffer(lines.replace("\n", "\r\n") if multiline else lines)
    )


def _check_editable(handle: int) -> None:
    style = style_of(handle)
    if style & (_READ_ONLY | WS_DISABLED):
        raise Refused(f"the field {handle} is {'read-only' if style & _READ_ONLY else 'disabled'}")


def selection_of(handle: int) -> tuple[int, int]:
    """The offsets of a field's selection, in the UTF-16 units of its own text. Raises Gone and Hung."""
    start, end = c_uint32(), c_uint32()
    send(handle, _GET_SELECTION, ctypes.addressof(start), ctypes.addressof(end))
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
    send(part.handle, _SHOW_CARET)


EDIT: Final = Kind(
    _read,
    set_text=lambda part, text: _set_text(part.handle, text),
    field=Field(_whole_text, _insert, _delete, _select),
    show=_show,
)
