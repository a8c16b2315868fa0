"""Key strokes as text: `{VK_CONTROL}{VK_SHIFT}s`, `{ENTER}`, `Hello` (the reference design's notation).

A modifier in braces holds for the next key alone. A name in braces is a key; `{{}` and `{}}` are the braces
themselves. Anything else is pressed as it stands.
"""

import re
from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.desktop.base import Chord

_TOKEN: Final = re.compile(r"\{([{}]|[^{}]+)\}|([^{}])", re.DOTALL)
_MODIFIERS: Final = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "shift": "shift",
    "alt": "alt",
    "menu": "alt",
    "super": "super",
    "lwin": "super",
    "win": "super",
}
_KEYS: Final = {
    "enter": "enter",
    "return": "enter",
    "esc": "esc",
    "escape": "esc",
    "tab": "tab",
    "back": "backspace",
    "backspace": "backspace",
    "bs": "backspace",
    "delete": "delete",
    "del": "delete",
    "insert": "insert",
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
}


def parse_keys(text: str) -> tuple[Chord, ...]:
    """The chords a text means. Raises: ReplyDefect for an unknown name, an open brace, a modifier without a key."""
    chords: list[Chord] = []
    held: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ReplyDefect(f"keys: a single brace at position {position} of {text!r}; write {{{{}} for a brace")
        position = match.end()
        name, character = match.group(1), match.group(2)
        modifier = _MODIFIERS.get(_plain(name)) if name else None
        if modifier:
            held.append(modifier)
            continue
        chords.append(Chord(_key(name) if name else _typed(character), tuple(dict.fromkeys(held))))
        held.clear()
    if held:
        raise ReplyDefect(f"keys: {'+'.join(held)} at the end of {text!r} holds for no key")
    return tuple(chords)


def _plain(name: str) -> str:
    return name.strip().lower().removeprefix("vk_")


def _key(name: str) -> str:
    if name in {"{", "}"}:
        return name
    plain = _plain(name)
    if plain in _KEYS:
        return _KEYS[plain]
    if len(plain) == 1:
        return plain
    raise ReplyDefect(f"keys: there is no key {name!r}; known: {', '.join(sorted({*_KEYS, *_MODIFIERS}))}")


def _typed(character: str) -> str:
    return {"\n": "enter", "\t": "tab", " ": "space"}.get(character, character)
