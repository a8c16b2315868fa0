"""The JSON schema of a reply as a model is best given it: what there is and what it means, and nothing else."""

from collections.abc import Collection
from copy import deepcopy
from functools import cache
from typing import Final, cast

from pydantic import BaseModel

from deskhand.core.json import JsonObject, JsonValue

_KEPT: Final = ("type", "description", "enum", "items", "anyOf", "minimum", "maximum")
_REFERENCE: Final = "#/$defs/"


def lean_schema(model: type[BaseModel], *, leave_out: Collection[str] = ()) -> JsonObject:
    """The schema of a model by its own field names, references written out, without titles, defaults and aliases.

    A type that holds itself is an object without properties where it comes again. `leave_out`: fields that are not
    offered. Every object says whether it takes other properties: a server that holds replies to the schema would
    otherwise let a model write nothing into one that lists none.
    """
    lean = deepcopy(_whole(model))
    properties = lean.get("properties")
    if isinstance(properties, dict):
        lean["properties"] = {name: part for name, part in properties.items() if name not in leave_out}
    return lean


@cache
def _whole(model: type[BaseModel]) -> JsonObject:
    """Of each model once: every agent wants it, and pydantic takes 13 ms."""
    whole = cast("JsonObject", model.model_json_schema(by_alias=False))
    definitions = whole.get("$defs")
    return _lean(whole, definitions if isinstance(definitions, dict) else {}, frozenset())


def _lean(part: JsonObject, definitions: JsonObject, above: frozenset[str]) -> JsonObject:
    told: JsonObject = {}
    reference = part.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix(_REFERENCE)
        found = definitions.get(name)
        if name in above or not isinstance(found, dict):
            told = {"type": "object"}
        else:
            told = _lean(found, definitions, above | {name})
            told.pop("description", None)  # what a type is for says the field that has it
    told |= {key: _leaner(part[key], definitions, above) for key in _KEPT if key in part}
    properties = part.get("properties")
    if isinstance(properties, dict):
        told["properties"] = {name: _leaner(inner, definitions, above) for name, inner in properties.items()}
        told["required"] = part.get("required", [])
    if told.get("type") == "object" and "additionalProperties" not in told:
        told["additionalProperties"] = part.get("additionalProperties") is not False
    return _without_null(told)


def _leaner(value: JsonValue, definitions: JsonObject, above: frozenset[str]) -> JsonValue:
    if isinstance(value, dict):
        return _lean(value, definitions, above)
    return [_leaner(item, definitions, above) for item in value] if isinstance(value, list) else value


def _without_null(part: JsonObject) -> JsonObject:
    """Who has nothing to say leaves a field out, so that null needs no mention."""
    choices = part.get("anyOf")
    if not isinstance(choices, list):
        return part
    kept = [choice for choice in choices if choice != {"type": "null"}]
    rest: JsonObject = {key: value for key, value in part.items() if key != "anyOf"}
    if len(kept) == 1 and isinstance(only := kept[0], dict):
        return {**only, **rest}
    return {**rest, "anyOf": kept}
