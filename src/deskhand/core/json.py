"""JSON as a type, and its values out of texts of unknown origin."""

import json
from typing import Final, TypeAlias

from pydantic import JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]
LEVELS: Final = 100
"""Of lists and objects in each other; what is nested deeper is beyond use."""

__all__ = ["LEVELS", "JsonObject", "JsonValue", "NestedTooDeeply", "read_json"]


class NestedTooDeeply(ValueError):
    """JSON of more levels than are read."""


def read_json(text: str) -> JsonValue:
    """The value that a text writes. Raises: NestedTooDeeply; ValueError (json.JSONDecodeError) where it is none."""
    try:
        value: JsonValue = json.loads(text)
    except RecursionError as error:
        raise NestedTooDeeply("it is nested too deeply") from error
    if _levels(value) > LEVELS:
        raise NestedTooDeeply("it is nested too deeply")
    return value


def _levels(value: JsonValue) -> int:
    """How many lists and objects are in each other; counted without recursion."""
    levels, layer = 0, [value]
    while containers := [part for part in layer if isinstance(part, (list, dict))]:
        levels += 1
        layer = [item for part in containers for item in (part.values() if isinstance(part, dict) else part)]
    return levels
