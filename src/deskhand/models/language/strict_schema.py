"""The strict form of a schema, which some servers need to enforce it."""

from typing import cast

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.schema import objects_in


def strict_form(schema: JsonObject) -> JsonObject | None:
    """Return the schema with every property required, and null instead of one that may be left out.

    None if the schema has an open object, or a part that takes any value: a strict schema has neither.
    """
    try:
        return _strict(schema)
    except _NotStrictError:
        return None


class _NotStrictError(ValueError):
    """A part takes any value."""


def _strict(part: JsonObject) -> JsonObject:
    """Raises: _NotStrictError."""
    if not part or part.get("additionalProperties"):
        raise _NotStrictError
    strict = dict(part)
    items, choices, required = part.get("items"), part.get("anyOf"), part.get("required")
    if isinstance(items, dict):
        strict["items"] = _strict(items)
    if isinstance(choices, list):
        strict["anyOf"] = [_strict(choice) for choice in choices if isinstance(choice, dict)]
    if properties := dict(objects_in(part.get("properties"))):
        needed = required if isinstance(required, list) else []
        inner = {name: _strict(each) for name, each in properties.items()}
        strict["properties"] = {name: each if name in needed else _or_null(each) for name, each in inner.items()}
        strict["required"] = list[JsonValue](inner)
    return strict


def _or_null(part: JsonObject) -> JsonObject:
    choices = part.get("anyOf")
    return {"anyOf": [*(cast("list[JsonValue]", choices) if choices else [part]), {"type": "null"}]}
