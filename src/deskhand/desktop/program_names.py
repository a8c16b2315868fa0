"""Names by which programs of Windows are recognised."""

import re
from typing import Final

_SUFFIXES: Final = (".exe", ".lnk", ".msi")
_IN_TEXT: Final = re.compile(
    rf"(?<![\w./\\-])[\w-][\w.-]*(?:{'|'.join(map(re.escape, _SUFFIXES))})(?![\w/\\-])", re.IGNORECASE
)


def is_windows_program(name: str) -> bool:
    """True for the name or path of a program, shortcut or installer of Windows."""
    return name.lower().endswith(_SUFFIXES)


def windows_programs_in(text: str) -> frozenset[str]:
    """Return the names of such programs in a text, in small letters; a part of a path is none."""
    return frozenset(name.lower() for name in _IN_TEXT.findall(text))
