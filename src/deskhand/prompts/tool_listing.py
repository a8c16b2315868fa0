"""Descriptions of the tools, the reply and its statuses in a prompt, in few words."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from deskhand.core.command import ToolSpec
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.schema import objects_in

_OF_THE_REPLY: Final = ("id", "name")
"""Arguments that a reply gives in fields of its own."""
_SAID_OF_ALL: Final = "`id` is the label"
"""The beginning of a description that a prompt gives once for all tools."""


def tool_line(spec: ToolSpec) -> str:
    """Return a tool as a call: `click_input(control, button: "left"|"right" = "left"): Clicks a control.`"""
    properties = spec.parameters.get("properties")
    required = spec.parameters.get("required")
    needed = required if isinstance(required, list) else []
    elsewhere = {*spec.rare, *(_OF_THE_REPLY if spec.takes_target else ())}
    parts = ((name, _with_items(part, spec.parameters)) for name, part in objects_in(properties))
    told = [_argument(name, part, needed) for name, part in parts if name not in elsewhere]
    if spec.takes_target:
        told.insert(0, "control" if "id" in needed else "control?")
    hint = spec.parameters.get("description")
    more = f" {' '.join(hint.split())}" if isinstance(hint, str) and not hint.startswith(_SAID_OF_ALL) else ""
    return f"{spec.name}({', '.join(told)}): {spec.description}{more}"


def _with_items(part: JsonObject, parameters: JsonObject) -> JsonObject:
    """Return an argument with the schema of its items in place of a reference to it."""
    items, definitions = part.get("items"), dict(objects_in(parameters.get("$defs")))
    reference = items.get("$ref") if isinstance(items, dict) else None
    found = definitions.get(str(reference).rpartition("/")[2])
    return {**part, "items": found} if found else part


def reply_form(fields: Mapping[str, JsonObject]) -> str:
    """Return a reply in outline, a field a line: JSON with descriptions as the texts, and those of others in `<>`."""
    return "{" + ",\n".join(f'"{name}": {_outline(part)}' for name, part in fields.items()) + "}"


def _outline(part: JsonObject) -> str:
    items, told = part.get("items"), str(part.get("description", ""))
    if isinstance(items, dict):
        return (
            f"[{_outline(items)}, <{told}>]"
            if "properties" in items
            else f"[{_outline({**items, 'description': told})}]"
        )
    inside = [(key, inner) for key, inner in objects_in(part.get("properties")) if "description" in inner]
    if inside:
        return "{" + ", ".join(f'"{key}": {_outline(inner)}' for key, inner in inside) + "}"
    kind = _type(part)
    if "enum" in part:
        told = f"{kind}: {told}"
    return json.dumps(told, ensure_ascii=False) if "enum" in part or kind == "string" else f"<{told}>"


def status_lines(statuses: Sequence[str], meanings: Mapping[str, str]) -> str:
    """Return each status with its meaning, in an order that does not depend on the state."""
    return "\n".join(
        f"- {status}: {meanings[status]}" if meanings.get(status) else f"- {status}" for status in sorted(statuses)
    )


def _argument(name: str, part: JsonObject, required: Collection[JsonValue]) -> str:
    """Return an argument; one without a type is a text, and the type of a default goes without saying."""
    kind, default = _type(part), part.get("default")
    is_optional, has_default = name not in required, default not in ("", None)
    told = name if kind == "string" or (has_default and kind == part.get("type")) else f"{name}: {kind}"
    if not is_optional:
        return told
    return f"{told} = {json.dumps(default)}" if has_default else f"{told}?"


def _named(item: JsonObject) -> str:
    """Return the name of an item of a tuple, or its type."""
    title = item.get("title")
    return title if isinstance(title, str) else _type(item)


def _type(part: JsonObject) -> str:
    values, choices, items = part.get("enum"), part.get("anyOf"), part.get("items")
    if isinstance(values, list):
        return "|".join(str(value) for value in values if value)
    if isinstance(choices, list):
        return "|".join(_type(c) for c in choices if isinstance(c, dict) and c.get("type") != "null")
    if part.get("type") == "array":
        several = part.get("prefixItems")
        if isinstance(several, list):
            return f"[{', '.join(_named(item) for item in several if isinstance(item, dict))}]"
        return f"list of {_type(items) if isinstance(items, dict) else 'anything'}"
    inside = [name for name, _ in objects_in(part.get("properties"))]
    if part.get("type") == "object":
        return f"object of {', '.join(inside)}" if inside else "object"
    return str(part.get("type", "anything"))
