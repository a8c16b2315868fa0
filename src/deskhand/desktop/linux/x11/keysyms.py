"""Keysyms: the numbers that X gives to characters and keys. Pure."""

from typing import Final

from Xlib import XK

from deskhand.core.errors import ActionRefused

NAMED: Final = {
    "enter": XK.XK_Return,
    "esc": XK.XK_Escape,
    "tab": XK.XK_Tab,
    "backspace": XK.XK_BackSpace,
    "delete": XK.XK_Delete,
    "insert": XK.XK_Insert,
    "home": XK.XK_Home,
    "end": XK.XK_End,
    "pageup": XK.XK_Page_Up,
    "pagedown": XK.XK_Page_Down,
    "up": XK.XK_Up,
    "down": XK.XK_Down,
    "left": XK.XK_Left,
    "right": XK.XK_Right,
    "space": XK.XK_space,
    "menu": XK.XK_Menu,
    "print": XK.XK_Print,
    "pause": XK.XK_Pause,
    "capslock": XK.XK_Caps_Lock,
    "numlock": XK.XK_Num_Lock,
    "scrolllock": XK.XK_Scroll_Lock,
    "decimal": XK.XK_KP_Decimal,
    "kp_enter": XK.XK_KP_Enter,
    "kp_add": XK.XK_KP_Add,
    "kp_subtract": XK.XK_KP_Subtract,
    "kp_multiply": XK.XK_KP_Multiply,
    "kp_divide": XK.XK_KP_Divide,
    **{f"kp_{digit}": XK.XK_KP_0 + digit for digit in range(10)},
    "\n": XK.XK_Return,
    "\t": XK.XK_Tab,
    **{f"f{number}": XK.XK_F1 + number - 1 for number in range(1, 13)},
}
MODIFIERS: Final = {
    "ctrl": XK.XK_Control_L,
    "shift": XK.XK_Shift_L,
    "alt": XK.XK_Alt_L,
    "super": XK.XK_Super_L,
}
ALTGR: Final = 0xFE03
"""ISO_Level3_Shift: the key that gives the third character of a key."""

_LATIN_1: Final = (*range(0x20, 0x7F), *range(0xA0, 0x100))
_UNICODE: Final = 0x1000000
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000))
_SETS: Final = {
    1: "iso8859_2",
    2: "iso8859_3",
    3: "iso8859_4",
    5: "iso8859_6",
    6: "koi8_u",
    7: "iso8859_7",
    12: "iso8859_8",
}
"""The old keysyms whose low byte is a character of one of these sets, by their high byte."""

_ODD: Final = {
    **dict(enumerate("ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏ", 0x6A1)),  # KOI8-U has frames in place of most of them
    0x7D2: "Σ",
    0x7F2: "σ",
    0x7F3: "ς",
    0xAA9: "\u2014",
    0xAAA: "\u2013",
    0xAAE: "…",
    0xAD0: "\u2018",
    0xAD1: "\u2019",
    0xAD2: "\u201c",
    0xAD3: "\u201d",
    0xAFD: "\u201a",
    0xAFE: "„",
    0xAE6: "•",
    0xAC9: "™",
    0x13BC: "Œ",
    0x13BD: "œ",
    0x13BE: "Ÿ",
    0x20AC: "€",
}


def keysym_of(key: str) -> int:
    """That of a character, or of a key by its name. Raises: ActionRefused."""
    name = key.lower() if len(key) > 1 else key
    named = NAMED.get(name, MODIFIERS.get(name))
    if named is not None:
        return named
    if len(key) != 1 or ord(key) in _CONTROLS:
        raise ActionRefused(
            f"There is no key named {key!r}.", fix=f"Use one character or one of: {' '.join(NAMED).strip()}."
        )
    return _of_character(key)


def modern(keysym: int) -> int:
    """The one keysym of its character; many have an old one too, which layouts use."""
    character = _ODD.get(keysym) or _by_set(keysym)
    return _of_character(character) if character else keysym


def _by_set(keysym: int) -> str:
    high, low = keysym >> 8, keysym & 0xFF
    encoding = _SETS.get(high)
    if encoding is None or low < 0xA0 or (encoding == "iso8859_7" and low < 0xC1):
        return ""
    return bytes((low,)).decode(encoding, errors="ignore")


def _of_character(character: str) -> int:
    return ord(character) if ord(character) in _LATIN_1 else _UNICODE | ord(character)
