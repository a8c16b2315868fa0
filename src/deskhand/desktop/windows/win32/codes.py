"""Fields for an address of the Internet or a shortcut of the keyboard: numbers to the program, texts to a user."""

import ctypes
from ctypes import c_uint32
from ipaddress import IPv4Address
from typing import Final

from . import dlls
from .failures import Refused
from .kinds import Kind, Part
from .memory import memory_of
from .messages import WM_USER, notify_command, send
from .reading import WS_DISABLED, Control, Reading
from .windows import style_of

IPM_SETADDRESS: Final = WM_USER + 101
IPM_GETADDRESS: Final = WM_USER + 102
HKM_GETHOTKEY: Final = WM_USER + 2

_EN_CHANGE: Final = 0x300
_MODIFIERS: Final = {2: "Ctrl", 1: "Shift", 4: "Alt"}
_EXTENDED: Final = 8
_NAME_UNITS: Final = 64


def _read_address(control: Control, reading: Reading) -> None:
    memory = memory_of(control.handle)
    memory.write(bytes(4))
    filled = send(control.handle, IPM_GETADDRESS, 0, memory.start)
    number = c_uint32.from_buffer_copy(memory.read(0, 4)).value
    inside = ("focused",) if dlls.ancestor(reading.focus, 1) == control.handle else ()
    states = ("focusable", "editable", "single-line", *inside)
    text = str(IPv4Address(number)) if filled else ""
    reading.add(control, "entry", states, name=control.label, text=text, actions=("focus",))


def _set_address(part: Part, text: str) -> None:
    if style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the field {part.handle} is disabled")
    try:
        number = int(IPv4Address(text))
    except ValueError:
        raise Refused(f"{text!r} is no address of the kind 10.0.0.7") from None
    send(part.handle, IPM_SETADDRESS, 0, number)
    notify_command(part.handle, _EN_CHANGE)


def _read_shortcut(control: Control, reading: Reading) -> None:
    code = send(control.handle, HKM_GETHOTKEY)
    key, modifiers = code & 0xFF, code >> 8 & 0xFF
    words = [word for flag, word in _MODIFIERS.items() if modifiers & flag]
    text = "+".join([*words, _key_name(key, extended=bool(modifiers & _EXTENDED))]) if key else ""
    reading.add(control, "entry", ("focusable", "single-line"), name=control.label, text=text, actions=("focus",))


def _key_name(key: int, *, extended: bool) -> str:
    buffer = ctypes.create_unicode_buffer(_NAME_UNITS)
    scan = dlls.map_key(key, 0) << 16 | (extended << 24)
    return buffer.value if dlls.key_text(scan, buffer, _NAME_UNITS) else f"key {key:#x}"


ADDRESS: Final = Kind(_read_address, set_text=_set_address)
SHORTCUT: Final = Kind(_read_shortcut)
