"""The arguments of a foreign tool, as far as they are checked here.

A foreign schema can be endless, refer to itself, or contain a pattern that never ends. So it is not evaluated: only the
plain type and choices of each argument are checked, and the server checks the rest.
"""

import re
from collections.abc import Mapping
from typing import Final, cast

from pydantic import ConfigDict, model_validator

from deskhand.commands.catalogue import Arguments
from deskhand.core.errors import ToolServerInvalid
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import one_line

MOST_ARGUMENTS: Final = 32
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_MOST_CHOICES: Final = 20
_LONGEST: Final = 200
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class ForeignArguments(Arguments):
    """The arguments of a foreign tool, after the check."""

    model_config = ConfigDict(extra="allow", frozen=True)


def lean(schema: JsonObject) -> JsonObject:
    """Reduce a schema to its checked parts. Raises: ToolServerInvalid if it describes no object, or has too many
    arguments.
    """
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    if schema.get("type") != "object" or not isinstance(properties, dict) or not isinstance(required, list):
        raise ToolServerInvalid("its schema is none of an object")
    if len(properties) > MOST_ARGUMENTS:
        raise ToolServerInvalid(f"it takes more than {MOST_ARGUMENTS} arguments")
    if wrong := [name for name in properties if not _NAME.fullmatch(name)]:
        raise ToolServerInvalid(f"{one_line(wrong[0], 40)!r} is no name of an argument")
    if any(name not in properties for name in required):
        raise ToolServerInvalid("it demands an argument that it does not describe")
    parts: JsonObject = {name: _part(part) for name, part in properties.items()}
    return {"type": "object", "properties": parts, "required": [str(name) for name in required]}


def _part(part: JsonValue) -> JsonValue:
    if not isinstance(part, dict):
        return {}
    checked: JsonObject = {}
    if kinds := _kinds(part.get("type")):
        checked["type"] = kinds[0] if len(kinds) == 1 else [*kinds]
    if choices := _choices(part.get("enum")):
        checked["enum"] = [*choices]
    if isinstance(description := part.get("description"), str):
        checked["description"] = one_line(description, _LONGEST)
    return checked


def _kinds(kinds: JsonValue) -> list[str]:
    """The plain types of an argument; empty if one of them is unknown."""
    several = kinds if isinstance(kinds, list) else [kinds]
    known = [kind for kind in several if isinstance(kind, str) and kind in _TYPES]
    return known if len(known) == len(several) else []


def _choices(choices: JsonValue) -> list[str]:
    """The choices of an argument; empty if they are not a few short texts."""
    if not isinstance(choices, list) or len(choices) > _MOST_CHOICES:
        return []
    texts = [choice for choice in choices if isinstance(choice, str) and len(choice) <= _LONGEST]
    return texts if len(texts) == len(choices) else []


def arguments_of(schema: JsonObject) -> type[ForeignArguments]:
    """The arguments class for a schema made by `lean`."""
    properties = schema["properties"]
    parts = properties if isinstance(properties, dict) else {}
    required = schema["required"]
    needed = required if isinstance(required, list) else []

    class Checked(ForeignArguments):
        @model_validator(mode="before")
        @classmethod
        def _check(cls, value: object) -> object:
            if problem := _first_problem(cast("JsonObject", value), parts, needed):
                raise ValueError(problem)
            return value

    return Checked


def _first_problem(given: JsonObject, parts: JsonObject, needed: list[JsonValue]) -> str:
    """The first defect of the arguments; empty if there is none."""
    if unknown := [name for name in given if name not in parts]:
        return f"there is no argument {unknown[0]!r}; there are: {', '.join(parts) or 'none'}"
    if missing := [name for name in needed if name not in given]:
        return f"the argument {missing[0]!r} is missing"
    found = ((name, _problem(value, parts[name])) for name, value in given.items())
    return next((f"{name}: {problem}" for name, problem in found if problem), "")


def _problem(value: object, part: JsonValue) -> str:
    if not isinstance(part, dict):
        return ""
    kinds = part.get("type")
    wanted = kinds if isinstance(kinds, list) else [kinds] if kinds else []
    if wanted and not any(_is(value, str(kind)) for kind in wanted):
        return f"should be {' or '.join(map(str, wanted))}"
    choices = part.get("enum")
    if isinstance(choices, list) and value not in choices:
        return f"should be one of {', '.join(map(str, choices))}"
    return ""


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, float) and value.is_integer())
