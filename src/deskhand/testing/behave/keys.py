"""Keys as testers write them in features, such as `<Ctrl><Shift>s` and `Page_Up`, in the form that tools take."""

import re
from typing import Final

from deskhand.core.errors import UsageError

_SIDE: Final = re.compile(r"_[lr]$", re.IGNORECASE)
_OTHER_NAMES: Final = {
    "menu": "APPS",
    "print": "PRINTSCREEN",
    "iso_left_tab": "TAB",
    "kp_enter": "KPENTER",
    "primary": "CTRL",
    "logo": "SUPER",
    "hyper": "SUPER",
    "scroll_lock": "SCROLLLOCK",
}
"""X's names of keys, without the side, that mean another key or none to tools."""

_CHARACTERS: Final = {
    "space": " ",
    "minus": "-",
    "plus": "+",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "backslash": "\\",
    "equal": "=",
    "asterisk": "*",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotedbl": '"',
    "parenleft": "(",
    "parenright": ")",
    "bracketleft": "[",
    "bracketright": "]",
    "less": "<",
    "greater": ">",
    "question": "?",
    "exclam": "!",
    "percent": "%",
    "ampersand": "&",
    "numbersign": "#",
    "at": "@",
    "underscore": "_",
    "grave": "`",
    "dollar": "$",
    "bar": "|",
    "asciitilde": "~",
    "asciicircum": "^",
    "braceleft": "{",
    "braceright": "}",
}


def chord(combo: str) -> str:
    """Return keys held together, `<Ctrl><Shift>s` or `<Alt><F4>`, as tools take them: `{CTRL}{SHIFT}{s}`.

    Raises: UsageError if there is no key in it.
    """
    names = [name.strip() for name in re.split("[<>]", combo) if name.strip()]
    if not names:
        raise UsageError(f'"{combo}" has no key', fix="write keys as <Ctrl><S>")
    return "".join(map(key, names))


def key(name: str) -> str:
    """Return one key by X's or dogtail's name, `Enter` or `Page_Up`, or by its character, as tools take it."""
    plain = name.strip().casefold()
    if len(name.strip()) <= 1:
        return f"{{{name.strip() or ' '}}}"
    if plain in _CHARACTERS:
        return f"{{{_CHARACTERS[plain]}}}"
    without_side = _SIDE.sub("", plain)
    return f"{{{_OTHER_NAMES.get(without_side, without_side).upper()}}}"
