"""JSON as a type, and JSON values parsed from texts of unknown origin."""

import json
from typing import Final, TypeAlias

from pydantic import JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]
LEVELS: Final = 100
"""Levels of nested lists and objects; deeper nesting is refused."""

__all__ = ["LEVELS", "JsonObject", "JsonValue", "NestedTooDeeply", "read_json"]


class NestedTooDeeply(ValueError):
    """JSON with more nested levels than `LEVELS`."""


def read_json(text: str) -> JsonValue:
    """Parse a JSON value. Raises: NestedTooDeeply; ValueError (json.JSONDecodeError) if it is invalid."""
    try:
        value: JsonValue = json.loads(text)
    except RecursionError as error:
        raise NestedTooDeeply("it is nested too deeply") from error
    if _levels(value) > LEVELS:
        raise NestedTooDeeply("it is nested too deeply")
    return value


def _levels(value: JsonValue) -> int:
    """Depth of nested lists and objects, counted without recursion."""
    levels, layer = 0, [value]
    while containers := [part for part in layer if isinstance(part, (list, dict))]:
        levels += 1
        layer = [item for part in containers for item in (part.values() if isinstance(part, dict) else part)]
    return levels
