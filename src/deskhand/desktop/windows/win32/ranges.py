"""Sliders, spin buttons, progress bars and scroll bars."""

import ctypes
from ctypes import c_int32
from typing import Final

from . import dlls
from .failures import Refused
from .kinds import Kind, Part
from .memory import memory_of
from .messages import WM_HSCROLL, WM_USER, WM_VSCROLL, deliver, send, send_signed
from .reading import WS_DISABLED, Control, Reading
from .windows import style_of

TBM_GETPOS: Final = WM_USER
TBM_GETRANGEMIN: Final = WM_USER + 1
TBM_GETRANGEMAX: Final = WM_USER + 2
TBM_SETPOS: Final = WM_USER + 5
TBM_GETLINESIZE: Final = WM_USER + 24
UDM_GETBUDDY: Final = WM_USER + 106
UDM_GETACCEL: Final = WM_USER + 108
UDM_GETRANGE32: Final = WM_USER + 112
UDM_SETPOS32: Final = WM_USER + 113
UDM_GETPOS32: Final = WM_USER + 114
PBM_GETRANGE: Final = WM_USER + 7
PBM_GETPOS: Final = WM_USER + 8
SBM_SETSCROLLINFO: Final = 0x00E9
SBM_GETSCROLLINFO: Final = 0x00EA

_TRACK_VERTICAL: Final = 0x2
_BAR_VERTICAL: Final = 0x1
_PROGRESS_VERTICAL: Final = 0x4
_MARQUEE: Final = 0x8
_UP_DOWN_HORIZONTAL: Final = 0x40
_THUMB_POSITION: Final = 4
_END: Final = 8
_ALL: Final = 0x17
_POSITION: Final = 0x4


def _read_slider(control: Control, reading: Reading) -> None:
    low, high = _slider_range(control.handle)
    step = max(1, send_signed(control.handle, TBM_GETLINESIZE))
    value = (send_signed(control.handle, TBM_GETPOS), low, high, step)
    states = ("focusable", _direction(bool(control.style & _TRACK_VERTICAL)))
    reading.add(control, "slider", states, value=value, actions=("focus",))


def _slider_range(handle: int) -> tuple[int, int]:
    return send_signed(handle, TBM_GETRANGEMIN), send_signed(handle, TBM_GETRANGEMAX)


def _set_slider(part: Part, value: int) -> None:
    style = _usable(part.handle)
    _within(part.handle, value, _slider_range(part.handle))
    send(part.handle, TBM_SETPOS, 1, value)
    _scrolled(part.handle, value, vertical=bool(style & _TRACK_VERTICAL))


def _scrolled(handle: int, value: int, *, vertical: bool) -> None:
    parent = dlls.ancestor(handle, 1)
    message = WM_VSCROLL if vertical else WM_HSCROLL
    deliver(parent, message, _THUMB_POSITION | ((value & 0xFFFF) << 16), handle)
    deliver(parent, message, _END, handle)


def _read_spin(control: Control, reading: Reading) -> None:
    low, high = _spin_range(control.handle)
    value = (send_signed(control.handle, UDM_GETPOS32), min(low, high), max(low, high), 1)
    direction = _direction(not control.style & _UP_DOWN_HORIZONTAL)
    reading.add(control, "spin button", (direction,), value=value, name=_buddy_name(control, reading))


def _buddy_name(control: Control, reading: Reading) -> str:
    buddy = str(send(control.handle, UDM_GETBUDDY))
    return next((node.name for node in reading.tree.nodes if node.key == buddy), control.label)


def _spin_range(handle: int) -> tuple[int, int]:
    memory = memory_of(handle)
    memory.write(bytes(8))
    send(handle, UDM_GETRANGE32, memory.start, memory.start + 4)
    data = memory.read(0, 8)
    low, high = (c_int32.from_buffer_copy(data, at).value for at in (0, 4))
    return low, high


def _set_spin(part: Part, value: int) -> None:
    style = _usable(part.handle)
    _within(part.handle, value, _spin_range(part.handle))
    send(part.handle, UDM_SETPOS32, 0, value & 0xFFFFFFFF)
    _scrolled(part.handle, value, vertical=not style & _UP_DOWN_HORIZONTAL)


def _read_progress(control: Control, reading: Reading) -> None:
    direction = _direction(bool(control.style & _PROGRESS_VERTICAL))
    if control.style & _MARQUEE:
        reading.add(control, "progress bar", (direction, "indeterminate"))
        return
    low, high = (send_signed(control.handle, PBM_GETRANGE, which) for which in (1, 0))
    reading.add(control, "progress bar", (direction,), value=(send_signed(control.handle, PBM_GETPOS), low, high, 1))


def _read_scroll_bar(control: Control, reading: Reading) -> None:
    info = _scroll_info(control.handle)
    greatest = max(info.minimum, info.maximum - max(0, info.page - 1))
    value = (info.position, info.minimum, greatest, 1)
    reading.add(control, "scroll bar", (_direction(bool(control.style & _BAR_VERTICAL)),), value=value)


def _scroll_info(handle: int) -> dlls.ScrollInfo:
    info = dlls.ScrollInfo(size=ctypes.sizeof(dlls.ScrollInfo), mask=_ALL)
    send(handle, SBM_GETSCROLLINFO, 0, ctypes.addressof(info))
    return info


def _set_scroll_bar(part: Part, value: int) -> None:
    style = _usable(part.handle)
    info = _scroll_info(part.handle)
    _within(part.handle, value, (info.minimum, info.maximum))
    info.mask, info.position = _POSITION, value
    send(part.handle, SBM_SETSCROLLINFO, 1, ctypes.addressof(info))
    _scrolled(part.handle, value, vertical=bool(style & _BAR_VERTICAL))


def _usable(handle: int) -> int:
    """The control's style. Raises Refused where it is disabled."""
    style = style_of(handle)
    if style & WS_DISABLED:
        raise Refused(f"the control {handle} is disabled")
    return style


def _within(handle: int, value: int, limits: tuple[int, int]) -> None:
    if not min(limits) <= value <= max(limits):
        raise Refused(f"{value} is not between {min(limits)} and {max(limits)}, the limits of control {handle}")


def _direction(vertical: bool) -> str:
    return "vertical" if vertical else "horizontal"


SLIDER: Final = Kind(_read_slider, set_value=_set_slider)
SPIN: Final = Kind(_read_spin, set_value=_set_spin)
PROGRESS: Final = Kind(_read_progress)
SCROLL_BAR: Final = Kind(_read_scroll_bar, set_value=_set_scroll_bar)
