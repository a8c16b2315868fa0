"""`${x}` in a playbook: a parameter, or a path into the blackboard. No expressions (SPEC 4.7).

`${x}` alone keeps the value's type, inside text it is inserted (what is not text, as JSON). `$${` is a plain `${`.
"""

import json
import re
from collections.abc import Callable, Mapping

from deskhand.core.json import JsonValue
from deskhand.core.patterns import is_pattern, literal

Values = Mapping[str, JsonValue]

_HOLE = re.compile(r"\$(?P<escape>\$)?\{(?P<path>[^{}]*)\}|\$(?P<bare>\$)\{")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*")


class UnknownValue(Exception):
    """A `${…}` names nothing that is there."""


def references(value: JsonValue) -> list[str]:
    """Every path inside `${…}`, in order, also badly written ones."""
    if isinstance(value, str):
        return [hole["path"] for hole in _HOLE.finditer(value) if hole["path"] is not None and not hole["escape"]]
    if isinstance(value, list):
        return [path for item in value for path in references(item)]
    if isinstance(value, dict):
        return [path for item in value.values() for path in references(item)]
    return []


def is_path(text: str) -> bool:
    """Whether the inside of a `${…}` is well written: names joined by dots."""
    return _PATH.fullmatch(text) is not None


def lone_reference(text: str) -> str | None:
    """The path of a text that is nothing but one `${…}`."""
    hole = _HOLE.fullmatch(text)
    return hole["path"] if hole and hole["path"] is not None and not hole["escape"] else None


def look_up(path: str, values: Values) -> JsonValue:
    """The value at a path. Raises: UnknownValue."""
    first, *rest = path.split(".")
    if first not in values:
        raise UnknownValue(f"${{{path}}}: nothing is saved under {first!r} yet")
    value = values[first]
    for name in rest:
        if not isinstance(value, dict) or name not in value:
            known = f" (it has: {', '.join(value)})" if isinstance(value, dict) else ""
            raise UnknownValue(f"${{{path}}}: there is no {name!r}{known}")
        value = value[name]
    return value


def insert(text: str, values: Values) -> str:
    """A text with every `${…}` filled in. Raises: UnknownValue."""
    return _fill(text, values, str)


def insert_wanted(text: str, values: Values) -> str:
    """A wanted name or text, filled in: inside `/…/` values are taken literally. Raises: UnknownValue."""
    return _fill(text, values, re.escape) if is_pattern(text) else _wanted(text, insert(text, values))


def render(value: JsonValue, values: Values) -> JsonValue:
    """A value with every text in it filled in; a lone `${…}` keeps its type. Raises: UnknownValue."""
    if isinstance(value, str):
        path = lone_reference(value)
        return insert(value, values) if path is None else look_up(path, values)
    if isinstance(value, list):
        return [render(item, values) for item in value]
    if isinstance(value, dict):
        return {key: render(item, values) for key, item in value.items()}
    return value


def _wanted(template: str, filled: str) -> str:
    return filled if template == filled else literal(filled)


def _fill(text: str, values: Values, quoted: Callable[[str], str]) -> str:
    def fill(hole: re.Match[str]) -> str:
        if hole["escape"] or hole["bare"]:
            return hole[0][1:]
        value = look_up(hole["path"], values)
        return quoted(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    return _HOLE.sub(fill, text)
