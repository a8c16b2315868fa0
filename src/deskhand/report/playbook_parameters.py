"""Values of a recorded session that become parameters of its playbook.

These are the paths that its actions got, the texts and numbers that its request names, and a playbook session's own
parameters. The recorded value is the default.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from deskhand.commands.key_syntax import with_texts
from deskhand.commands.secret_texts import SHORTEST
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import is_pattern
from deskhand.core.roles import Role
from deskhand.core.target import ITEMS
from deskhand.models.placeholders import references
from deskhand.models.steps import ParameterType

KEYS: Final = "keys"
GIVEN: Final = ("text", "item", "value", KEYS)
"""Arguments with a text or number that goes to the application."""
_PATHS: Final = ("path", "file")
_SAVES: Final = frozenset({"save_document", "export_pdf"})
_LOOKING: Final = frozenset({"find_controls", "texts", "verify", "wait_for"})
"""Tools whose texts are compared with those that are visible."""
_SHOWS_DATA: Final = ITEMS | {Role.HEADING, Role.LABEL, Role.PARAGRAPH, Role.STATUS, Role.TEXT, Role.TEXTBOX}
"""Roles whose names are content, and no captions."""
_HOLES: Final = re.compile(r"(\$+\{[^{}]*\})")
_LONGEST_NAME: Final = 30
_BRACES: Final = str.maketrans({"{": "{{}", "}": "{}}"})


@dataclass(slots=True)
class Parameters:
    """The parameters found so far with their recorded values.

    `own`: those of a playbook session, as given. `taken`: names of saved data and of passwords.
    `written`: the parameters of paths that the session wrote to.
    """

    request: str
    own: Mapping[str, str]
    taken: frozenset[str]
    values: dict[str, str | int | float] = field(default_factory=dict[str, "str | int | float"])
    types: dict[str, ParameterType] = field(default_factory=dict[str, ParameterType])
    written: set[str] = field(default_factory=set[str])

    def declared(self) -> JsonObject:
        """The parameters as a playbook declares them."""
        return {name: {"type": self.types[name].value, "default": value} for name, value in self.values.items()}

    def find(self, steps: Sequence[JsonObject]) -> None:
        """Add the values of these steps; paths first, as one may be typed before it is known to be a path."""
        for step in steps:
            self._find_paths(step)
        for step in steps:
            if step.get("tool") not in _LOOKING:
                for value, control in values_given(step):
                    self._add_given(value, _mapping(control))

    def _find_paths(self, step: JsonObject) -> None:
        tool, args, expect = step.get("tool", ""), _mapping(step.get("args")), _mapping(step.get("expect"))
        writes = tool in _SAVES or bool(args.get("create") or args.get("overwrite"))
        for name in _PATHS:
            self._add_path(args.get(name), writes=writes)
        self._add_path(expect.get("file"), writes=bool(tool))

    def _add_path(self, value: JsonValue, *, writes: bool) -> None:
        if isinstance(value, str) and value.startswith("/") and not references(value):
            name = self._add(_unescaped(value), ParameterType.PATH, "output" if writes else "file")
            if writes:
                self.written.add(name)

    def _add_given(self, value: str | float, control: JsonObject) -> None:
        if isinstance(value, str) and references(value):
            return
        value = _unescaped(value) if isinstance(value, str) else value
        if value == "" or not (self._own_name(value) or _is_named(str(value), self.request)):
            return
        kind = ParameterType.TEXT if isinstance(value, str) else ParameterType.NUMBER
        self._add(value, kind, _identifier(str(control.get("name", ""))) or kind.value)

    def _add(self, value: str | float, kind: ParameterType, called: str) -> str:
        """The name of the parameter with this value."""
        for name, known in self.values.items():
            if value == known and type(value) is type(known):
                return name
        called = self._own_name(value) or called
        names = (called if number == 1 else f"{called}{number}" for number in count(1))
        name = next(each for each in names if each not in self.taken and each not in self.values)
        self.values[name], self.types[name] = value, kind
        return name

    def _own_name(self, value: str | float) -> str:
        return next((name for name, own in self.own.items() if own == str(value)), "")

    def put_into(self, step: JsonObject) -> JsonObject:
        """A step with the parameters in the place of their values."""
        return {key: self._with_parameters(key, part) for key, part in step.items()}

    def _with_parameters(self, key: str, part: JsonValue) -> JsonValue:
        match key:
            case "args":
                return {name: self._argument(name, value) for name, value in _mapping(part).items()}
            case "expect":
                return {name: self._expected(name, value) for name, value in _mapping(part).items()}
            case "on":
                return self._selector(part)
            case "result" | "subtask":
                return self._words(self._paths(str(part)))
            case "steps":
                return [self.put_into(_mapping(step)) for step in part] if isinstance(part, list) else part
            case _:
                return part

    def _argument(self, name: str, value: JsonValue) -> JsonValue:
        match value:
            case str() if name == KEYS:
                return self._words(self._paths(value), in_keys=True)
            case str():
                return (self._whole(value) if name in GIVEN else "") or self._paths(value)
            case int() | float() if name in GIVEN:
                return self._whole(value) or value
            case list():
                return [self._argument(name, each) for each in value]
            case dict():
                return {
                    key: self._selector(part) if key == "on" else self._argument(key, part)
                    for key, part in value.items()
                }
            case _:
                return value

    def _expected(self, name: str, value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return self._selector(value)
        return self._paths(value) if name == "file" else self._words(value) if name == "window" else value

    def _selector(self, selector: JsonValue) -> JsonValue:
        """A selector whose content, unlike a caption, may be one of the values."""
        if not isinstance(selector, dict):
            return selector
        found = {key: self._selector(part) for key, part in selector.items()}
        shows_data = ("name", "value") if selector.get("role") in _SHOWS_DATA else ("value",)
        for key in shows_data:
            if isinstance(text := found.get(key), str):
                found[key] = self._whole(text) or self._words(text)
        return found

    def _whole(self, value: str | float) -> str:
        """The parameter with exactly this value."""
        plain = _unescaped(value) if isinstance(value, str) and not references(value) else value
        if isinstance(value, bool):
            return ""
        for name, known in self.values.items():
            if known == plain and isinstance(known, str) == isinstance(plain, str):
                return f"${{{name}}}"
        return ""

    def _paths(self, text: str) -> str:
        """A text with the paths in it as parameters, the longest first."""
        paths = {str(self.values[name]): name for name, kind in self.types.items() if kind is ParameterType.PATH}
        for path in sorted(paths, key=len, reverse=True):
            text = _replaced(text, rf"{re.escape(path)}(?![\w/])", paths[path])
        return text

    def _words(self, text: str, *, in_keys: bool = False) -> str:
        """A text with the values that are whole words of it as parameters."""
        values = {str(value): name for name, value in self.values.items() if len(str(value)) >= SHORTEST}
        for value in sorted(values, key=len, reverse=True):
            written = value.translate(_BRACES) if in_keys else value
            if self.types[values[value]] is ParameterType.PATH or (is_pattern(text) and re.escape(value) != value):
                continue
            text = _replaced(text, _as_words(written), values[value])
        return text


def values_given(step: JsonObject) -> Iterator[tuple[str | float, JsonValue]]:
    """Each text and number that a step gives to the application, with the selector of its control."""
    args = _mapping(step.get("args"))
    for name in GIVEN:
        value = args.get(name)
        if name == KEYS and isinstance(value, str):
            yield from ((text, step.get("on")) for text in _typed(value))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield value, step.get("on")
    filled = args.get("values")
    for each in filled if isinstance(filled, list) else ():
        value = _mapping(each).get("value")
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            yield value, _mapping(each).get("on")


def _typed(keys: str) -> Sequence[str]:
    """The texts among keys; of single characters most are commands."""
    found: list[str] = []
    if not references(keys):
        try:
            with_texts(keys, lambda text: found.append(text) or text)
        except ReplyDefect:
            return []
    return [text for text in found if len(text) >= SHORTEST]


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _unescaped(text: str) -> str:
    return text.replace("$${", "${")


def _is_named(value: str, request: str) -> bool:
    return re.search(_as_words(value), request, re.IGNORECASE) is not None


def _as_words(value: str) -> str:
    """A pattern for a value as whole words; a number is no part of another one."""
    return rf"(?<![\w{{])(?<!\d[.,]){re.escape(value)}(?![\w}}]|[.,]\d)"


def _replaced(text: str, pattern: str, name: str) -> str:
    """A text with a parameter for each match outside of `${…}`."""
    parts = _HOLES.split(text)
    parts[::2] = [re.sub(pattern, lambda _: f"${{{name}}}", part) for part in parts[::2]]
    return "".join(parts)


def _identifier(caption: str) -> str:
    """A caption as the name of a parameter: `First name:` as `first_name`; empty if no letter is left."""
    letters = unicodedata.normalize("NFKD", caption).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"\W+", "_", letters).strip("_")[:_LONGEST_NAME].strip("_")
    return name if re.match(r"[a-z_]", name) else ""
