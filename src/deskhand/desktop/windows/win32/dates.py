"""Fields for a date or a time, and calendars of a month. Their text is as `2026-03-14` or `16:05:00`."""

import ctypes
from ctypes import c_size_t, c_uint16, c_uint32
from dataclasses import dataclass
from datetime import date, time
from typing import Final

from . import dlls
from .failures import Hung, Refused
from .kinds import Kind, Part
from .memory import memory_of
from .messages import WM_NOTIFY, WM_NULL, Sent, beginning_of, control_id, send, send_inside
from .reading import WS_DISABLED, Control, Reading
from .windows import style_of

_FORMAT: Final = 0xC
_TIME: Final = 0x8
"""DTS_TIMEFORMAT without DTS_UPDOWN, which dates may have too: the field has a time."""
_MULTIPLE: Final = 0x2
"""MCS_MULTISELECT: the calendar has a period."""
_NONE: Final = 1


class Moment(ctypes.Structure):
    """SYSTEMTIME."""

    _fields_ = tuple(
        (name, c_uint16) for name in ("year", "month", "weekday", "day", "hour", "minute", "second", "thousandths")
    )
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int


class Header(ctypes.Structure):
    """NMHDR."""

    _fields_ = (("control", c_size_t), ("id", c_size_t), ("code", c_uint32))


class FieldNote(ctypes.Structure):
    """NMDATETIMECHANGE."""

    _fields_ = (("header", Header), ("flags", c_uint32), ("start", Moment))


class MonthNote(ctypes.Structure):
    """NMSELCHANGE."""

    _fields_ = (("header", Header), ("start", Moment), ("end", Moment))


@dataclass(frozen=True, slots=True)
class _Messages:
    get: int
    set: int
    note: type[FieldNote] | type[MonthNote]
    code: int
    """The notification that its parent gets after a user's change."""


_FIELD: Final = _Messages(0x1001, 0x1002, FieldNote, 0x100000000 - 759)
_MONTH: Final = _Messages(0x1001, 0x1002, MonthNote, 0x100000000 - 749)


def _read_field(control: Control, reading: Reading) -> None:
    moment = _moment(control.handle, _FIELD)
    text = _text(moment, of_day=_has_time(control.style)) if moment else ""
    reading.add(
        control,
        "date editor",
        ("focusable", "editable", "single-line"),
        text=text,
        description=beginning_of(control.handle, 256),
        actions=("focus",),
    )


def _read_month(control: Control, reading: Reading) -> None:
    if control.style & _MULTIPLE:
        reading.add(control, "calendar", ("focusable",), name=control.label, actions=("focus",))
        return
    moment = _moment(control.handle, _MONTH)
    text = _text(moment, of_day=False) if moment else ""
    reading.add(control, "date editor", ("focusable", "editable", "single-line"), text=text, actions=("focus",))


def _has_time(style: int) -> bool:
    return style & _FORMAT == _TIME


def _moment(handle: int, messages: _Messages) -> Moment | None:
    """The date of a control, None where it has none."""
    memory = memory_of(handle)
    memory.write(bytes(ctypes.sizeof(Moment)))
    answer = send(handle, messages.get, 0, memory.start)
    moment = Moment.from_buffer_copy(memory.read(0, ctypes.sizeof(Moment)))
    return moment if moment.year and (messages is not _FIELD or answer != _NONE) else None


def _text(moment: Moment, *, of_day: bool) -> str:
    if of_day:
        return f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}"


def _set_field(part: Part, text: str) -> None:
    style = style_of(part.handle)
    now = _moment(part.handle, _FIELD) or Moment(year=2000, month=1, day=1)
    _set(part.handle, _FIELD, _with_time(now, text) if _has_time(style) else _with_date(now, text))


def _set_month(part: Part, text: str) -> None:
    if style_of(part.handle) & _MULTIPLE:
        raise Refused(f"the calendar {part.handle} has a period, not a day")
    _set(part.handle, _MONTH, _with_date(Moment(), text))


def _with_date(moment: Moment, text: str) -> Moment:
    """The moment on another day. Raises Refused."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text!r} is no date; write it as 2026-03-14") from None
    moment.year, moment.month, moment.day = day.year, day.month, day.day
    return moment


def _with_time(moment: Moment, text: str) -> Moment:
    """The moment at another time of the day. Raises Refused."""
    try:
        at = time.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text!r} is no time; write it as 16:05:00") from None
    moment.hour, moment.minute, moment.second = at.hour, at.minute, at.second
    return moment


def _set(handle: int, messages: _Messages, moment: Moment) -> None:
    """Set the date of a control, and notify its parent."""
    if style_of(handle) & WS_DISABLED:
        raise Refused(f"the control {handle} is disabled")
    send_inside(handle, [Sent(WM_NULL)])  # its parent can be notified from inside alone
    memory = memory_of(handle)
    memory.write(bytes(moment))
    if not send(handle, messages.set, 0, memory.start):
        raise Refused(f"the control {handle} does not take this date: it is outside of its limits")
    header = Header(handle, control_id(handle), messages.code)
    note = FieldNote(header, 0, moment) if messages.note is FieldNote else MonthNote(header, moment, moment)
    memory.write(bytes(note))
    try:
        send_inside(dlls.ancestor(handle, 1), [Sent(WM_NOTIFY, control_id(handle), memory.start)])
    except Hung:  # its handler may have opened a dialog
        send(handle, WM_NULL)


DATE: Final = Kind(_read_field, set_text=_set_field)
MONTH: Final = Kind(_read_month, set_text=_set_month)
