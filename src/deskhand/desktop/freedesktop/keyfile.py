"""Key files: groups of `key=value` lines, as entries and associations are written."""

import re
from pathlib import Path
from typing import Final

KeyFile = dict[str, dict[str, str]]
"""Groups with their keys, the first of each name; values are as they are written."""
_ESCAPES: Final = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\", ";": ";"}
_ESCAPE: Final = re.compile(r"\\([sntr\\;])")
_ITEM: Final = re.compile(r"(?:\\.|[^;\\])+")


def read_key_file(path: Path) -> KeyFile:
    """The groups of a file; lines that are none are skipped. Raises: OSError."""
    groups: KeyFile = {}
    group: dict[str, str] | None = None
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        line = line.strip()  # noqa: PLW2901 - the same line without its ends
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = groups.setdefault(line[1:-1], {})
        elif group is not None:
            key, equals, value = line.partition("=")
            if equals:
                group.setdefault(key.rstrip(), value.lstrip())
    return groups


def unescaped(value: str) -> str:
    r"""A string with its escapes (`\s \n \t \r \\ \;`) replaced; others are left as they are."""
    return _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], value)


def items(value: str) -> tuple[str, ...]:
    r"""The parts of a list, which `;` separates and `\;` does not."""
    return tuple(text for part in _ITEM.findall(value) if (text := unescaped(part.strip())))
