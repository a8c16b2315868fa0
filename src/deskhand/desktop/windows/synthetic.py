"""Events of mouse and keyboard by SendInput, blocking. Points are in screen pixels."""

import ctypes
from collections.abc import Iterable, Sequence
from ctypes import wintypes
from typing import Final

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point
from deskhand.desktop.protocols.input import LOCKS, Chord, MouseButton
from deskhand.desktop.windows import system
from deskhand.desktop.windows.capture import screen_rect

_MOUSE, _KEYBOARD = 0, 1
_MOVE, _ABSOLUTE, _WHOLE_DESK, _WHEEL, _SIDE_WHEEL = 0x0001, 0x8000, 0x4000, 0x0800, 0x1000
_EXTENDED, _UP, _UNICODE = 0x1, 0x2, 0x4
_NOTCH: Final = 120
_UNITS: Final = 65536
"""Units of the whole desk in absolute places."""
_BUTTONS: Final = {
    MouseButton.LEFT: (0x0002, 0x0004, 0),
    MouseButton.RIGHT: (0x0008, 0x0010, 0),
    MouseButton.MIDDLE: (0x0020, 0x0040, 0),
    MouseButton.BACK: (0x0080, 0x0100, 1),
    MouseButton.FORWARD: (0x0080, 0x0100, 2),
}
"""Flags of pressing and releasing, and the number of an extra button."""
MODIFIERS: Final = {"ctrl": 0x11, "alt": 0x12, "shift": 0x10, "super": 0x5B}
_LOCK_KEYS: Final = {"capslock": 0x14, "numlock": 0x90, "scrolllock": 0x91}
_KEYS: Final = {
    **MODIFIERS,
    **_LOCK_KEYS,
    **{f"f{number}": 0x6F + number for number in range(1, 13)},
    **{f"kp_{number}": 0x60 + number for number in range(10)},
    "enter": 0x0D,
    "esc": 0x1B,
    "tab": 0x09,
    "backspace": 0x08,
    "delete": 0x2E,
    "insert": 0x2D,
    "space": 0x20,
    "home": 0x24,
    "end": 0x23,
    "pageup": 0x21,
    "pagedown": 0x22,
    "up": 0x26,
    "down": 0x28,
    "left": 0x25,
    "right": 0x27,
    "menu": 0x5D,
    "print": 0x2C,
    "pause": 0x13,
    "kp_enter": 0x0D,
    "kp_add": 0x6B,
    "kp_subtract": 0x6D,
    "kp_multiply": 0x6A,
    "kp_divide": 0x6F,
    "decimal": 0x6E,
}
_EXTENDED_KEYS: Final = frozenset({0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2C, 0x2D, 0x2E, 0x5B, 0x5D, 0x6F})
_SHIFTS: Final = ((1, "shift"), (2, "ctrl"), (4, "alt"))


def pointer() -> Point:
    """Return the place of the pointer."""
    place = wintypes.POINT()
    system.pointer_place(ctypes.byref(place))
    return Point(place.x, place.y)


def move(to: Point) -> None:
    """Move the pointer. Raises: ActionRefused."""
    desk = screen_rect()
    x = ((to.x - desk.left) * _UNITS + desk.width - 1) // desk.width
    y = ((to.y - desk.top) * _UNITS + desk.height - 1) // desk.height
    _send([_mouse(_MOVE | _ABSOLUTE | _WHOLE_DESK, x=x, y=y)])


def button(which: MouseButton, *, down: bool) -> None:
    """Press or release a button where the pointer is. Raises: ActionRefused."""
    pressed, released, extra = _BUTTONS[which]
    _send([_mouse(pressed if down else released, data=extra)])


def wheel(notches: int, *, sideways: bool) -> None:
    """Turn the wheel where the pointer is; positive is up, or `sideways` to the right. Raises: ActionRefused."""
    flag = _SIDE_WHEEL if sideways else _WHEEL
    _send([_mouse(flag, data=(_NOTCH if notches > 0 else -_NOTCH) & 0xFFFFFFFF)] * abs(notches))


def press(chord: Chord) -> None:
    """Press and release keys. Raises: ActionRefused."""
    _send([*keys_down(chord), *keys_up(chord)])


def hold(chord: Chord) -> None:
    """Press keys and leave them down. Raises: ActionRefused."""
    _send(keys_down(chord))


def release(chord: Chord) -> None:
    """Release keys. Raises: ActionRefused."""
    _send(keys_up(chord))


def modifiers(names: Sequence[str], *, down: bool) -> None:
    """Press or release modifiers. Raises: ActionRefused."""
    _send([_key(MODIFIERS[name], up=not down) for name in (names if down else reversed(names))])


def locks_on() -> frozenset[str]:
    """Return the locks that are on."""
    return frozenset(name for name in LOCKS if system.key_state(_LOCK_KEYS[name]) & 1)


def keys_down(chord: Chord) -> list[system.InputEvent]:
    """Return the events that press a chord. Raises: ActionRefused for a key that there is not."""
    held = _held(chord)
    return [*(_key(MODIFIERS[name]) for name in held), *_main(chord, up=False)]


def keys_up(chord: Chord) -> list[system.InputEvent]:
    """Return the events that release a chord. Raises: as `keys_down`."""
    held = _held(chord)
    return [*_main(chord, up=True), *(_key(MODIFIERS[name], up=True) for name in reversed(held))]


def key_number(name: str) -> int:
    """Return the virtual key of a name, or of a character. Raises: ActionRefused for one that there is not."""
    name = {"escape": "esc"}.get(name, name)
    found = (_KEYS[name],) if name in _KEYS else _on_keyboard(name)
    if found is None:
        raise ActionRefused(f"there is no key {name!r}", fix="use a name of docs/keys.md, or one character")
    return found[0]


def _held(chord: Chord) -> tuple[str, ...]:
    found = None if chord.key in _KEYS else _on_keyboard(chord.key)
    own = tuple(name for bit, name in _SHIFTS if found and found[1] & bit)
    return (*chord.modifiers, *(name for name in own if name not in chord.modifiers))


def _main(chord: Chord, *, up: bool) -> list[system.InputEvent]:
    if chord.key in _KEYS:
        return [_key(_KEYS[chord.key], up=up, extended=chord.key == "kp_enter")]
    if len(chord.key) != 1:
        raise ActionRefused(f"there is no key {chord.key!r}", fix="use a name of docs/keys.md, or one character")
    if found := _on_keyboard(chord.key):
        return [_key(found[0], up=up)]
    if chord.modifiers and chord.modifiers != ("shift",):
        raise ActionRefused(f"the keyboard has no key {chord.key!r} to press with others", fix="press another key")
    return [_unit(unit, up=up) for unit in _units(chord.key)]


def _on_keyboard(character: str) -> tuple[int, int] | None:
    """Return the virtual key of a character and the modifiers it needs; None where it is on no key, or behind AltGr."""
    if len(character) != 1 or ord(character) > 0xFFFF:
        return None
    found = system.key_of_character(character)
    key, shifts = found & 0xFF, (found >> 8) & 0xFF
    return None if found == -1 or shifts & ~1 else (key, shifts)


def _units(character: str) -> Iterable[int]:
    encoded = character.encode("utf-16-le")
    return (int.from_bytes(encoded[at : at + 2], "little") for at in range(0, len(encoded), 2))


def _mouse(flags: int, *, x: int = 0, y: int = 0, data: int = 0) -> system.InputEvent:
    event = system.InputEvent(kind=_MOUSE)
    event.either.mouse = system.MouseInput(x=x, y=y, data=data, flags=flags, extra=system.OWN)
    return event


def _key(key: int, *, up: bool = False, extended: bool = False) -> system.InputEvent:
    flags = (_UP if up else 0) | (_EXTENDED if extended or key in _EXTENDED_KEYS else 0)
    event = system.InputEvent(kind=_KEYBOARD)
    event.either.key = system.KeyInput(key=key, scan=system.scan_code(key, 0), flags=flags, extra=system.OWN)
    return event


def _unit(unit: int, *, up: bool) -> system.InputEvent:
    event = system.InputEvent(kind=_KEYBOARD)
    event.either.key = system.KeyInput(scan=unit, flags=_UNICODE | (_UP if up else 0), extra=system.OWN)
    return event


def _send(events: Sequence[system.InputEvent]) -> None:
    if not events:
        return
    block = (system.InputEvent * len(events))(*events)
    if system.send_input(len(events), ctypes.addressof(block), ctypes.sizeof(system.InputEvent)) != len(events):
        raise ActionRefused(
            "the system took no input: a program of higher rights is in front, or the screen is locked",
            fix="bring another window to the front, or unlock the screen",
        )
