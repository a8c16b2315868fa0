"""Fields and JSON schema of a reply: in the schema, each tool is a branch with its own arguments (contract 3.2)."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from pydantic import BaseModel

from deskhand.core.command import OURS, ToolSpec
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.schema import lean_schema, objects_in, plain_schema

_CALL: Final = ("function", "control_label", "control_text", "args")
_BESIDE: Final = ("save_as", "expect")
_FIRST: Final = ("observation", "thought", "plan", "action", "actions", *_BESIDE, "status", "result")
"""A grammar takes the fields in this order only: the thought comes before the action, and the status after it."""

_TARGET: Final = ("id", "name")
"""Arguments of a tool that a reply gives as `control_label` and `control_text`."""

_KEYWORDS: Final = ("type", "enum", "items", "anyOf", "required", "minimum", "maximum", "minItems", "maxItems")
_TEXT: Final[JsonObject] = {"type": "string"}
_NULL: Final[JsonObject] = {"type": "null"}
_OPEN: Final[JsonObject] = {"type": "object", "additionalProperties": True}
_LONGEST: Final = 1500
"""Characters. A larger schema of a foreign tool is left out: its arguments are open."""


@lru_cache(maxsize=32)
def reply_fields(reply_type: type[BaseModel], *, several: bool = False) -> dict[str, JsonObject]:
    """Return the fields of a reply with their descriptions, in the order to write them.

    `action` has the fields of a call. With `several`, `actions` is a list of objects, each with an `action` and what
    belongs to it, if the type has one.
    """
    fields = dict(objects_in(lean_schema(reply_type).get("properties")))
    actions = fields.pop("actions", None)
    if "function" in fields:
        call: JsonObject = {name: fields.pop(name) for name in _CALL}
        action = {**_object(call, ["function"]), "description": "the tool to call; leave out to call none"}
        if several and actions:
            beside = {name: fields.pop(name) for name in _BESIDE}
            fields["actions"] = {**actions, "items": _object({"action": action, **beside}, ["action"])}
        else:
            fields["action"] = action
    return {name: fields[name] for name in sorted(fields, key=_place)}


def reply_schema(
    reply_type: type[BaseModel],
    tools: Iterable[ToolSpec] = (),
    statuses: Sequence[str] = (),
    *,
    several: bool = False,
) -> JsonObject:
    """Return the schema of a reply, without the descriptions, which are in the prompt.

    Every object is closed, except arguments of foreign tools that are open themselves or too large to describe.
    """
    fields = {name: _bare(part) for name, part in reply_fields(reply_type, several=several).items()}
    calls = [_call(tool) for tool in tools]
    if not calls:
        fields = {name: part for name, part in fields.items() if name not in {"action", "actions", *_BESIDE}}
    elif "action" in fields:
        fields["action"] = _any_of(calls)
    elif "actions" in fields:
        item = dict(objects_in(fields["actions"].get("items")))
        each = {**dict(objects_in(item["properties"])), "action": _any_of(calls)}
        fields["actions"] = {**fields["actions"], "items": _object(each, ["action"])}
    if statuses and "status" in fields:
        fields["status"] = {**_TEXT, "enum": list[JsonValue](sorted(statuses))}
    return _object(fields, lean_schema(reply_type).get("required", []))


def in_form(content: JsonObject, fields: Collection[str]) -> JsonObject:
    """Return a flat reply in the form of these fields, and in their order."""
    call: JsonObject = {name: content[name] for name in _CALL if name in content}
    one: JsonObject = {"action": call, **{name: content[name] for name in _BESIDE if name in content}}
    given: JsonObject = {**content, "action": call, "actions": [one]} if call else content
    return {name: given[name] for name in fields if name in given}


def _place(field: str) -> int:
    return _FIRST.index(field) if field in _FIRST else len(_FIRST)


def _call(tool: ToolSpec) -> JsonObject:
    """Return the branch of a tool."""
    call: JsonObject = {"function": {**_TEXT, "enum": [tool.name]}}
    parameters = plain_schema(tool.parameters)
    needed, args = _needed(parameters), _arguments(tool, parameters)
    required = ["function"]
    if tool.takes_target:
        call |= {"control_label": _TEXT, "control_text": _TEXT}
        required += ["control_label"] if "id" in needed else []
    if args == _OPEN or args["properties"]:
        call["args"] = args
    if args.get("required"):
        required.append("args")
    return _object(call, required)


def _arguments(tool: ToolSpec, parameters: JsonObject) -> JsonObject:
    """Return the schema of the arguments but the target; open for a foreign tool that is open or too large."""
    elsewhere = {*tool.rare, *(_TARGET if tool.takes_target else ())}
    args = {
        name: _argument(part, may_be_saved=name not in tool.decided)
        for name, part in objects_in(parameters.get("properties"))
        if name not in elsewhere
    }
    described = _object(args, [name for name in _needed(parameters) if name in args])
    is_short = _is_closed(parameters) and len(json.dumps(described)) <= _LONGEST
    return described if tool.namespace == OURS or is_short else _OPEN


def _needed(parameters: JsonObject) -> list[str]:
    needed = parameters.get("required")
    return [str(name) for name in needed] if isinstance(needed, list) else []


def _is_closed(parameters: JsonObject) -> bool:
    return parameters.get("additionalProperties", False) is False and not {"allOf", "oneOf", "not"} & {*parameters}


def _argument(part: JsonObject, *, may_be_saved: bool) -> JsonObject:
    """Return an argument: its schema without null, or saved data as `{"from": "name.part"}`."""
    bare = _bare(part)
    if isinstance(choices := bare.get("anyOf"), list):
        left = [choice for choice in choices if isinstance(choice, dict) and choice != _NULL]
        bare = left[0] if len(left) == 1 else _any_of(left)
    return _or_saved(bare) if may_be_saved else bare


def _or_saved(part: JsonObject) -> JsonObject:
    items, choices, kind = part.get("items"), part.get("anyOf"), part.get("type")
    if isinstance(items, dict):
        part = {**part, "items": _or_saved(items)}
    saved = _object({"from": _TEXT}, ["from"])
    if isinstance(choices, list):
        return {**part, "anyOf": [*choices, saved]}
    return _any_of([part, saved]) if kind == "array" or (kind == "string" and "enum" not in part) else part


def _bare(part: JsonObject) -> JsonObject:
    """Return a schema without descriptions and defaults. An empty text is no choice: Gemini takes none in an enum."""
    bare: JsonObject = {key: _barer(part[key]) for key in _KEYWORDS if key in part}
    choices, values = bare.get("anyOf"), bare.get("enum")
    if isinstance(values, list):
        bare["enum"] = [value for value in values if value != ""]
    if isinstance(choices, list):  # a recursive type ends in an open object
        bare["anyOf"] = [choice for choice in choices if not (len(choices) > 1 and choice == _OPEN)]
    if "properties" in part or bare.get("type") == "object":
        inner: JsonObject = {name: _bare(each) for name, each in objects_in(part.get("properties"))}
        bare |= _object(inner, bare.get("required", [])) if inner else _OPEN
    return bare


def _barer(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_bare(item) if isinstance(item, dict) else item for item in value]
    return _bare(value) if isinstance(value, dict) else value


def _any_of(parts: Iterable[JsonObject]) -> JsonObject:
    return {"anyOf": list[JsonValue](parts)}


def _object(properties: Mapping[str, JsonValue], required: JsonValue | Collection[str]) -> JsonObject:
    needed = list[JsonValue](required) if isinstance(required, list) else []
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}
