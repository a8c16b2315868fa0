"""JSON schema of a reply, reduced to the fields and their meaning for a model."""

from copy import deepcopy
from functools import cache
from typing import Final, cast

from pydantic import BaseModel

from deskhand.core.json import JsonObject, JsonValue

_KEYWORDS: Final = ("type", "description", "enum", "items", "anyOf", "minimum", "maximum")
_REFERENCE: Final = "#/$defs/"
_NOT_PLAIN: Final = frozenset({"$defs", "$ref", "title", "prefixItems"})


def lean_schema(model: type[BaseModel]) -> JsonObject:
    """Schema of a model by its own field names, references written out, without titles, defaults and aliases.

    A recursive type is an object without properties at its second level. Every object states whether it takes other
    properties: a server that enforces the schema would otherwise let a model write nothing into one that lists none.
    """
    return deepcopy(_whole(model))


def objects_in(value: JsonValue | None) -> list[tuple[str, JsonObject]]:
    """The objects among the properties of an object, with their names."""
    return [(name, part) for name, part in value.items() if isinstance(part, dict)] if isinstance(value, dict) else []


def plain_schema(schema: JsonObject) -> JsonObject:
    """Return a schema in the words that every model server takes.

    References are written out, arrays have one schema for their items, lists of choices have a type; there are no
    titles. A recursive type is an object at its second level.
    """
    definitions = schema.get("$defs")
    return _plain(schema, definitions if isinstance(definitions, dict) else {}, frozenset())


def _plain(part: JsonObject, definitions: JsonObject, above: frozenset[str]) -> JsonObject:
    plain = _referred(part.get("$ref"), definitions, above)
    for key, value in part.items():
        if key == "properties" and isinstance(value, dict):
            plain[key] = {name: _plainer(inner, definitions, above) for name, inner in value.items()}
        elif key not in _NOT_PLAIN:
            plain[key] = _plainer(value, definitions, above)
    if plain.get("type") == "array" and "items" not in plain:
        items = part.get("prefixItems")
        plain["items"] = _plainer(items[0], definitions, above) if isinstance(items, list) and items else {}
    if "enum" in plain:
        plain.setdefault("type", "string")
    return plain


def _referred(reference: JsonValue, definitions: JsonObject, above: frozenset[str]) -> JsonObject:
    if not isinstance(reference, str):
        return {}
    name = reference.removeprefix(_REFERENCE)
    found = definitions.get(name)
    if isinstance(found, dict) and name not in above:
        return _plain(found, definitions, above | {name})
    return {"type": "object"}


def _plainer(value: JsonValue, definitions: JsonObject, above: frozenset[str]) -> JsonValue:
    if isinstance(value, dict):
        return _plain(value, definitions, above)
    return [_plainer(item, definitions, above) for item in value] if isinstance(value, list) else value


@cache
def _whole(model: type[BaseModel]) -> JsonObject:
    """Computed once per model: every agent needs it, and pydantic takes 13 ms."""
    whole = cast("JsonObject", model.model_json_schema(by_alias=False))
    definitions = whole.get("$defs")
    return _lean(whole, definitions if isinstance(definitions, dict) else {}, frozenset())


def _lean(part: JsonObject, definitions: JsonObject, above: frozenset[str]) -> JsonObject:
    lean: JsonObject = {}
    reference = part.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix(_REFERENCE)
        found = definitions.get(name)
        if name in above or not isinstance(found, dict):
            lean = {"type": "object"}
        else:
            lean = _lean(found, definitions, above | {name})
            lean.pop("description", None)  # the field that uses a type describes it
    lean |= {key: _leaner(part[key], definitions, above) for key in _KEYWORDS if key in part}
    properties = part.get("properties")
    if isinstance(properties, dict):
        lean["properties"] = {name: _leaner(inner, definitions, above) for name, inner in properties.items()}
        lean["required"] = part.get("required", [])
    if lean.get("type") == "object" and "additionalProperties" not in lean:
        lean["additionalProperties"] = part.get("additionalProperties") is not False
    return _without_null(lean)


def _leaner(value: JsonValue, definitions: JsonObject, above: frozenset[str]) -> JsonValue:
    if isinstance(value, dict):
        return _lean(value, definitions, above)
    return [_leaner(item, definitions, above) for item in value] if isinstance(value, list) else value


def _without_null(part: JsonObject) -> JsonObject:
    """The schema without null: a model leaves an empty field out."""
    choices = part.get("anyOf")
    if not isinstance(choices, list):
        return part
    choices_left = [choice for choice in choices if choice != {"type": "null"}]
    rest: JsonObject = {key: value for key, value in part.items() if key != "anyOf"}
    if len(choices_left) == 1 and isinstance(only := choices_left[0], dict):
        return {**only, **rest}
    return {**rest, "anyOf": choices_left}
