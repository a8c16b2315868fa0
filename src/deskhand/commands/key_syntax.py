"""Key strokes as text: `{VK_CONTROL}{VK_SHIFT}s`, `{ENTER}`, `Hello`, or one chord as `ctrl+shift+s`; see docs/keys.md.

A modifier in braces holds for the next key alone; modifiers without any other key are pressed themselves. A name in
braces is a key; `{{}` and `{}}` are the braces themselves. Other characters are typed literally. With Control, Alt or
Super a letter is a key, not a character.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.desktop.protocols.input import LOCKS, Chord

_SIXTEEN_BITS: Final = "\uffff"
_JOINING: Final = frozenset({"Mn", "Me", "Mc", "Cf"})

_TOKEN: Final = re.compile(r"\{([{}]|[^{}]+)\}|([^{}])", re.DOTALL)
MODIFIERS: Final = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "lcontrol": "ctrl",
    "rcontrol": "ctrl",
    "shift": "shift",
    "lshift": "shift",
    "rshift": "shift",
    "alt": "alt",
    "menu": "alt",
    "lmenu": "alt",
    "super": "super",
    "meta": "super",
    "win": "super",
    "lwin": "super",
    "rwin": "super",
}
_KEYPAD: Final = ("add", "subtract", "multiply", "divide")
KEYS: Final = {
    "enter": "enter",
    "return": "enter",
    "esc": "esc",
    "escape": "esc",
    "tab": "tab",
    "back": "backspace",
    "backspace": "backspace",
    "bs": "backspace",
    "bksp": "backspace",
    "delete": "delete",
    "del": "delete",
    "insert": "insert",
    "ins": "insert",
    "home": "home",
    "end": "end",
    "prior": "pageup",
    "pageup": "pageup",
    "pgup": "pageup",
    "next": "pagedown",
    "pagedown": "pagedown",
    "pgdn": "pagedown",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "space": "space",
    "apps": "menu",
    **{f"f{number}": f"f{number}" for number in range(1, 13)},
    "print": "print",
    "printscreen": "print",
    "snapshot": "print",
    "pause": "pause",
    "capslock": "capslock",
    "capital": "capslock",
    "numlock": "numlock",
    "scrolllock": "scrolllock",
    "scroll": "scrolllock",
    "kpenter": "kp_enter",
    **{name: f"kp_{name.removeprefix('kp')}" for key in _KEYPAD for name in (f"kp{key}", key)},
    "kpdecimal": "decimal",
    "decimal": "decimal",
    **{name: f"kp_{digit}" for digit in range(10) for name in (f"kp{digit}", f"numpad{digit}")},
}
"""Names, in small letters and without underscores."""


_TYPED: Final = frozenset({"space", "enter", "tab"})
_MOVING: Final = frozenset(
    {"left", "right", "up", "down", "home", "end", "pageup", "pagedown", "backspace", "delete", "insert", "esc"}
)

_MOVE_CARET: Final = _MOVING - {"backspace", "delete", "insert", "esc"}
_SELECT_ALL: Final = Chord("a", ("ctrl",))
_STAY: Final = frozenset({_SELECT_ALL, *(Chord(key) for key in ("home", "end", "backspace", "delete", "f2"))})
"""Keys that leave the keyboard in the control that has it."""
_FORMATS: Final = frozenset("biulerj")
"""With Ctrl: bold, italic, underlined, and the alignments."""

_TO_MENUS: Final = frozenset({"f10", "menu"})
_COMMANDS: Final = frozenset({"menu", "print", "pause", *LOCKS, *(f"f{number}" for number in range(1, 13))})

_CHORD: Final = re.compile(r"\s*((?:[A-Za-z_]+\+)+)(\+|[^\s+]+)\s*")
_NO_LETTERS: Final = frozenset({"ctrl", "alt", "super"})
_SHOWN: Final = {"ctrl": "{VK_CONTROL}", "alt": "{VK_MENU}", "shift": "{VK_SHIFT}", "super": "{VK_LWIN}"}
"""Modifiers in canonical spelling and order."""
_NAMED: Final = {"menu": "APPS"}
"""Canonical spelling of keys whose own name in braces is a modifier."""


def parse_keys(text: str) -> tuple[Chord, ...]:
    """Parse a text into chords.

    Raises: ReplyDefect for an unknown name, an open brace, a modifier after other keys that holds for none.
    """
    if (chord := _one_chord(text)) is not None:
        return (chord,)
    chords: list[Chord] = []
    held: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ReplyDefect(f"keys: a single brace at position {position} of {text!r}; write {{{{}} for a brace")
        position = match.end()
        name, character = match.group(1), match.group(2)
        modifier = MODIFIERS.get(_plain(name)) if name else None
        if modifier:
            held.append(modifier)
            continue
        chords.append(_chord(_key(name) if name else _typed(character), held))
        held.clear()
    if held and not chords:
        *others, last = (name for name in _SHOWN if name in held)
        return (Chord(last, tuple(others)),)
    if held:
        raise ReplyDefect(f"keys: {'+'.join(held)} at the end of {text!r} holds for no key")
    return tuple(chords)


def in_braces(chords: Sequence[Chord]) -> str:
    """Canonical spelling, which rules about keys rely on; `parse_keys` of it gives the same chords."""
    spelt = "".join("".join(_SHOWN[name] for name in chord.modifiers) + _shown(chord.key) for chord in chords)
    if _one_chord(spelt) is None:
        return spelt
    return f"{{{chords[0].key}}}{in_braces(chords[1:])}"  # a text that reads like a chord


def spelt(keys: str) -> str:
    """Return keys in braces. Raises: ValueError (they cannot be pressed)."""
    try:
        return in_braces(parse_keys(keys))
    except ReplyDefect as defect:
        raise ValueError(defect.message.removeprefix("keys: ")) from defect


def modifiers_of(text: str) -> tuple[str, ...]:
    """Parse modifiers written as `ctrl+shift`; they come in the canonical order. Raises: ReplyDefect (no modifier)."""
    names = [_plain(name) for name in text.split("+")] if text.strip() else []
    for name in names:
        if name not in MODIFIERS:
            raise ReplyDefect(f"{name!r} is no modifier: write one or several of {', '.join(_SHOWN)} as `ctrl+shift`")
    held = {MODIFIERS[name] for name in names}
    return tuple(name for name in _SHOWN if name in held)


def literal(text: str) -> str:
    """Return the keys that type a text as it is, with all its braces; a line feed is Enter, a tab Tab."""
    return in_braces([Chord(_typed(character)) for character in text])


def with_texts(keys: str, change: Callable[[str], str]) -> str:
    """Return keys with each text among them replaced by `change`, whose result must not contain braces of its own.

    A text is everything typed between two other keys. Raises: as `parse_keys`.
    """
    parts, text = list[str](), list[Chord]()
    for chord in (*parse_keys(keys), None):
        if chord and _character(chord):
            text.append(chord)
            continue
        typed = "".join(map(_character, text))
        changed = change(typed) if typed.strip() else typed
        parts += [in_braces(text) if changed == typed else changed]
        parts += [in_braces([chord])] if chord else []
        text.clear()
    return "".join(parts)


def is_overtaken(chord: Chord, following: Chord) -> bool:
    """True if LibreOffice may handle the second chord before the first, or as if the first had no effect yet.

    It inserts a character at once, and defers the command of a key (End, Backspace, Ctrl+Home, F2): moving keys stay in
    order among themselves, but after others (F2) a key may mean something else.
    """
    if chord == following or _is_typed(chord):
        return False
    return _is_typed(following) or chord.key not in _MOVING or bool(_NO_LETTERS & {*chord.modifiers})


def typed_in(chords: Sequence[Chord]) -> tuple[str, ...]:
    """The texts that chords type, in order, each up to the next key that types nothing.

    A single character alone counts as a command, and so does a character after a key that opens a menu.
    """
    texts, in_menu = [""], False
    for chord in chords:
        if character := _character(chord):
            texts[-1] += "" if in_menu else character
        elif chord == Chord("backspace"):
            texts[-1] = texts[-1][:-1]
        else:
            in_menu = _opens_menu(chord)
            texts.append("")
    return () if len(chords) == 1 else tuple(text.strip() for text in texts if text.strip())


def is_character(chords: Sequence[Chord]) -> bool:
    """True for a single character, which may be a command or a text."""
    return len(chords) == 1 and bool(_character(chords[0]).strip())


def typed_at_first(chords: Sequence[Chord]) -> tuple[str, ...]:
    """The texts that are typed before a key that may give the keyboard to another control."""
    end = next((i for i, chord in enumerate(chords) if not _character(chord) and chord not in _STAY), len(chords))
    return typed_in(chords[: end + 1])


def moves_caret(chord: Chord) -> bool:
    """True for a key whose purpose in a text is to move the caret or to select."""
    return chord.key in _MOVE_CARET or chord == _SELECT_ALL


def changes_format(chord: Chord) -> bool:
    """True for a key such as Ctrl+B, whose only report may be that a button of a toolbar is pressed now."""
    return chord.modifiers == ("ctrl",) and chord.key in _FORMATS


def last_command(chords: Sequence[Chord]) -> int:
    """The index at which the command at the end begins; 0: all of the keys have one effect.

    A text and the key that enters or moves in it have one effect, and so has a key that is repeated.
    """
    typed, last = _end_of_text(chords), len(chords) - 1
    tail = chords[typed:]
    if typed and (not tail or (len({*tail}) == 1 and not _is_command(tail[0]))):
        return 0
    while last > typed and not _character(chords[last]) and chords[last - 1] == chords[last]:
        last -= 1
    return last


def _end_of_text(chords: Sequence[Chord]) -> int:
    """The index after the last character of a text; 0: none is typed."""
    end, in_menu = 0, False
    for index, chord in enumerate(chords):
        if character := _character(chord):
            end = index + 1 if not in_menu and (character.strip() or (end and end == index)) else end
        elif chord != Chord("backspace"):
            in_menu = _opens_menu(chord)
    return end


def _is_command(chord: Chord) -> bool:
    return bool(_NO_LETTERS & {*chord.modifiers}) or chord.key in _COMMANDS


def _opens_menu(chord: Chord) -> bool:
    return "alt" in chord.modifiers or chord.key in _TO_MENUS


def _character(chord: Chord) -> str:
    """The character that a chord types; empty if it types none, or starts a new line or field."""
    key = " " if chord.key == "space" else chord.key
    return key if len(key) == 1 and not _NO_LETTERS & {*chord.modifiers} else ""


def _is_typed(chord: Chord) -> bool:
    if _NO_LETTERS & {*chord.modifiers}:
        return False
    return len(chord.key) == 1 or (chord.key in _TYPED and not chord.modifiers)


def _shown(key: str) -> str:
    if key in _SHOWN:
        return _SHOWN[key]
    if key == "space":
        return " "
    return f"{{{_NAMED.get(key, key.upper())}}}" if len(key) > 1 or key in "{}" else key


def _one_chord(text: str) -> Chord | None:
    """The chord of a text written as a whole like `ctrl+shift+s`."""
    match = _CHORD.fullmatch(text)
    if match is None:
        return None
    names = match.group(1).rstrip("+").split("+")
    if any(_plain(name) not in MODIFIERS for name in names):
        return None
    key = _plain(match.group(2)) if len(match.group(2)) > 1 else match.group(2)
    if len(key) > 1 and key not in KEYS:
        return None
    return _chord(KEYS.get(key, key), [MODIFIERS[_plain(name)] for name in names])


def _chord(key: str, held: Sequence[str]) -> Chord:
    modifiers = tuple(name for name in _SHOWN if name in held)
    return Chord(key.lower() if len(key) == 1 and _NO_LETTERS & {*modifiers} else key, modifiers)


def _plain(name: str) -> str:
    return name.strip().lower().removeprefix("vk_").replace("_", "")


def _key(name: str) -> str:
    if name in {"{", "}"}:
        return name
    plain = _plain(name)
    if plain in KEYS:
        return KEYS[plain]
    if len(plain) == 1:
        return plain if name.strip().lower().startswith("vk_") else name.strip()
    raise ReplyDefect(f"keys: there is no key {name!r}; known: {', '.join(sorted({*KEYS, *MODIFIERS}))}")


def _typed(character: str) -> str:
    return {"\n": "enter", "\t": "tab", " ": "space"}.get(character, character)


def may_swap(character: str, following: str) -> bool:
    """True if LibreOffice may insert the second of two characters before the first.

    It handles joining marks and characters of more than 16 bits in other ways. Key names count as plain characters.
    """
    one, other = _way_of(character), _way_of(following)
    return one != other or "mark" in {one, other}


def _way_of(character: str) -> str:
    if len(character) != 1:
        return ""
    return "mark" if unicodedata.category(character) in _JOINING else "wide" if character > _SIXTEEN_BITS else ""
