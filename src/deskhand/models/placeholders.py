"""`${x}` in a playbook: a parameter, a path into the blackboard, or a cell of a loop's row. No expressions.

A path continues with `.name` or `[name]` into a mapping, with `[0]` into a list; `[0]` of a mapping is its first value.

`${x}` alone keeps the value's type; inside text it is inserted (other values than text as JSON). `$${` is a plain `${`.
"""

import json
import re
from collections.abc import Callable, Mapping

from deskhand.core.json import JsonValue
from deskhand.core.patterns import is_pattern, literal, literal_name

Values = Mapping[str, JsonValue]

_HOLE = re.compile(r"\$(?P<escape>\$)?\{(?P<path>[^{}]*)\}|\$(?P<bare>\$)\{")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+|\[[^\[\]{}'\"]+\])*")
_PART = re.compile(r"\.(?P<name>\w+)|\[(?P<item>[^\[\]]+)\]")


class UnknownValue(Exception):
    """A `${…}` names a missing value."""


def references(value: JsonValue) -> list[str]:
    """Every path inside `${…}`, in order, including malformed ones."""
    if isinstance(value, str):
        return [hole["path"] for hole in _HOLE.finditer(value) if hole["path"] is not None and not hole["escape"]]
    if isinstance(value, list):
        return [path for item in value for path in references(item)]
    if isinstance(value, dict):
        return [path for item in value.values() for path in references(item)]
    return []


def is_path(text: str) -> bool:
    """True if the inside of a `${…}` is well-formed: a name, then `.name` or `[item]`."""
    return _PATH.fullmatch(text) is not None


def lone_reference(text: str) -> str | None:
    """The path of a text that consists of one `${…}`."""
    hole = _HOLE.fullmatch(text)
    return hole["path"] if hole and hole["path"] is not None and not hole["escape"] else None


def root_of(path: str) -> str:
    """The first name of a path."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def parts_of(path: str) -> list[str]:
    """The parts after the name, in order; an index is its digits."""
    return [part["name"] or part["item"].strip() for part in _PART.finditer(path[len(root_of(path)) :])]


def look_up(path: str, values: Values) -> JsonValue:
    """The value at a path. Raises: UnknownValue."""
    first = root_of(path)
    if first not in values:
        raise UnknownValue(f"${{{path}}}: nothing is saved under {first!r} yet")
    value = values[first]
    for part in parts_of(path):
        value = _part(value, part, path)
    return value


def _part(value: JsonValue, part: str, path: str) -> JsonValue:
    if isinstance(value, dict):
        if part in value:
            return value[part]
        if part.isdecimal() and int(part) < len(value):
            return list(value.values())[int(part)]
        raise UnknownValue(f"${{{path}}}: there is no {part!r} (it has: {', '.join(value)})")
    if isinstance(value, list) and part.isdecimal():
        if int(part) < len(value):
            return value[int(part)]
        raise UnknownValue(f"${{{path}}}: there is no [{part}] (it has {len(value)}, counted from 0)")
    raise UnknownValue(f"${{{path}}}: there is no {part!r}")


def insert(text: str, values: Values) -> str:
    """A text with every `${…}` filled in. Raises: UnknownValue."""
    return _fill(text, values, str)


def insert_wanted(text: str, values: Values) -> str:
    """A wanted text with every `${…}` filled in: inside `/…/` values are literal. Raises: UnknownValue."""
    return _wanted(text, values, literal)


def insert_wanted_name(name: str, values: Values) -> str:
    """As `insert_wanted`, for a text that is compared as a name."""
    return _wanted(name, values, literal_name)


def render(value: JsonValue, values: Values) -> JsonValue:
    """A value with all its texts filled in; a lone `${…}` keeps its type. Raises: UnknownValue."""
    if isinstance(value, str):
        path = lone_reference(value)
        return insert(value, values) if path is None else look_up(path, values)
    if isinstance(value, list):
        return [render(item, values) for item in value]
    if isinstance(value, dict):
        return {key: render(item, values) for key, item in value.items()}
    return value


def _wanted(template: str, values: Values, exactly: Callable[[str], str]) -> str:
    if is_pattern(template):
        return _fill(template, values, re.escape)
    filled = insert(template, values)
    return filled if template == filled else exactly(filled)


def _fill(text: str, values: Values, quoted: Callable[[str], str]) -> str:
    def fill(hole: re.Match[str]) -> str:
        if hole["escape"] or hole["bare"]:
            return hole[0][1:]
        value = look_up(hole["path"], values)
        return quoted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    return _HOLE.sub(fill, text)
