"""Schemas of arguments as clients get them. A client pays for all of them in each of its prompts, so they are short."""

from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.schema import plain_schema

_NULL: Final[JsonObject] = {"type": "null"}
_EMPTY: Final[tuple[JsonValue, ...]] = (None, "", False, 0, [])


def served_schema(schema: JsonObject) -> JsonObject:
    """Return a schema in plain words, without empty defaults, and without null where it only means the default.

    Objects do not state that they take no other properties: the server refuses those, and names the right ones.
    """
    return _lean(plain_schema(schema))


def _lean(part: JsonObject) -> JsonObject:
    lean: JsonObject = {}
    for key, value in part.items():
        if key == "properties" and isinstance(value, dict):
            lean[key] = {name: _property(each) for name, each in value.items()}
        elif key != "additionalProperties" or value is not False:
            lean[key] = _leaner(value)
    return lean


def _leaner(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return _lean(value)
    return [_leaner(item) for item in value] if isinstance(value, list) else value


def _property(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    lean = _lean(value)
    if "default" not in lean or lean["default"] not in _EMPTY:
        return lean
    default = lean.pop("default")
    choices = lean.get("anyOf")
    if default is not None or not isinstance(choices, list):
        return lean
    others = [choice for choice in choices if choice != _NULL]
    if len(others) == 1 and isinstance(only := others[0], dict):
        return {**only, **{key: each for key, each in lean.items() if key != "anyOf"}}
    return {**lean, "anyOf": others}
