"""Keys in the spellings of vendors, X11 keysyms included, as keys of our tools: `{ctrl}{shift}s`."""

from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.operator.actions import Keys

_MODIFIERS: Final = {
    **dict.fromkeys(("ctrl", "control", "controll", "controlr", "ctrll", "ctrlr"), "ctrl"),
    **dict.fromkeys(("shift", "shiftl", "shiftr"), "shift"),
    **dict.fromkeys(("alt", "altl", "altr", "option", "opt"), "alt"),
    **dict.fromkeys(("super", "superl", "superr", "meta", "metal", "metar", "win", "windows", "cmd"), "super"),
    "command": "super",
}
_NAMES: Final = {
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "spacebar": "space",
    "contextmenu": "apps",
    "menu": "apps",
    "isolefttab": "tab",
    "printscr": "print",
    "sysrq": "print",
}
_CHARACTERS: Final = {
    "minus": "-",
    "plus": "+",
    "equal": "=",
    "equals": "=",
    "comma": ",",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quoteright": "'",
    "quotedbl": '"',
    "grave": "`",
    "quoteleft": "`",
    "bracketleft": "[",
    "bracketright": "]",
    "braceleft": "{",
    "braceright": "}",
    "parenleft": "(",
    "parenright": ")",
    "underscore": "_",
    "exclam": "!",
    "at": "@",
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "asciicircum": "^",
    "ampersand": "&",
    "asterisk": "*",
    "question": "?",
    "less": "<",
    "greater": ">",
    "bar": "|",
    "asciitilde": "~",
}


def chord_text(keys: Keys) -> str:
    """Keys that are pressed together, as an argument of `keyboard_input`. An unknown name is left for that tool.

    Raises: ReplyDefect for several keys beside the modifiers.
    """
    held = list(dict.fromkeys(_MODIFIERS[_plain(key)] for key in keys if _plain(key) in _MODIFIERS))
    others = [key for key in keys if _plain(key) not in _MODIFIERS]
    if len(others) > 1:
        raise ReplyDefect(f"{' and '.join(others)} cannot be pressed together; press one after the other")
    return "".join(f"{{{name}}}" for name in held) + "".join(map(_key, others))


def modifiers_text(keys: Keys) -> str:
    """Modifiers that are held during an action of the pointer, as `ctrl+shift`. Raises: ReplyDefect for other keys."""
    if unknown := [key for key in keys if _plain(key) not in _MODIFIERS]:
        raise ReplyDefect(f"{unknown[0]} is no modifier that can be held during an action of the pointer")
    return "+".join(dict.fromkeys(_MODIFIERS[_plain(key)] for key in keys))


def _plain(key: str) -> str:
    return key.strip().lower().replace("_", "").replace("-", "").replace(" ", "") if len(key) > 1 else key.lower()


def _key(key: str) -> str:
    if len(key) == 1:
        return _literal(key)
    plain = _plain(key)
    if plain in _CHARACTERS:
        return _literal(_CHARACTERS[plain])
    return f"{{{_NAMES.get(plain, plain)}}}"


def _literal(character: str) -> str:
    return {"{": "{{}", "}": "{}}", " ": "{space}", "\n": "{enter}", "\t": "{tab}"}.get(character, character)


def literal(text: str) -> str:
    """The keys that type a text as it is; a line end is Enter, a tab is Tab. No text reads like a chord (`ctrl+s`)."""
    keys = "".join(map(_literal, text.replace("\r\n", "\n").replace("\r", "\n")))
    return f"{{{keys[0]}}}{keys[1:]}" if text[:1].isascii() and text[:1].isalpha() else keys
