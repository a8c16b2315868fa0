"""YAML text as values with their line numbers, and a list of all problems in it.

Only JSON's values are typed: `true`, `false`, `null`, numbers as JSON writes them. All else is text, so that `no`,
`00123` and `2024-01-01` are read as written. Anchors and aliases are refused.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias

import yaml

from deskhand.core.json import JsonValue

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True, slots=True)
class Located:
    """A value and the line (from 1) of it, or of the key it belongs to."""

    value: "LocatedValue"
    line: int

    def plain(self) -> JsonValue:
        """The value without its lines."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        return self.value


LocatedValue: TypeAlias = str | int | float | bool | list[Located] | dict[str, Located] | None


def kind_of(node: Located) -> str:
    """Type of a value, in a word for messages."""
    match node.value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a mapping"


def suggestion(word: str, known: Collection[str]) -> str:
    """`; did you mean …?` if a known word is similar, else the known words."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(sorted(set(known)))}" if known else ""


@dataclass(slots=True)
class Source:
    """A text being read: its name in messages, and its problems so far."""

    name: str
    found: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @property
    def problems(self) -> list[str]:
        """All problems so far as `name:line: message`, by line."""
        return [f"{self.name}:{line}: {message}" for line, message in sorted(self.found, key=lambda item: item[0])]

    def complain(self, line: int, message: str) -> None:
        self.found.append((line, message))

    def parse(self, text: str) -> Located | None:
        """The text's one document; None if it is empty or does not parse."""
        try:
            self._refuse_aliases(text)
            # The stubs forget that an empty text has no node.
            node: yaml.Node | None = yaml.compose(text, yaml.SafeLoader)
            return None if node is None or self.problems else self._located(node, _line(node))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.complain(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}")
        except yaml.YAMLError as error:
            self.complain(1, f"not YAML: {' '.join(str(error).split())}")
        except RecursionError:
            self.complain(1, "nested too deeply")
        return None

    def mapping(
        self, node: Located, what: str, allowed: Collection[str] | None = None, required: Collection[str] = ()
    ) -> dict[str, Located]:
        """The entries of a mapping; unknown and missing keys are reported, unknown ones left out."""
        if not isinstance(node.value, dict):
            self.complain(node.line, f"{what} must be a mapping, not {kind_of(node)}")
            return {}
        for key in required:
            if key not in node.value:
                self.complain(node.line, f"{what} lacks {key!r}")
        if allowed is None:
            return node.value
        for key, item in node.value.items():
            if key not in allowed:
                self.complain(item.line, f"{what} has an unknown key {key!r}{suggestion(key, allowed)}")
        return {key: item for key, item in node.value.items() if key in allowed}

    def items(self, node: Located, what: str) -> list[Located]:
        """The items of a list."""
        if isinstance(node.value, list):
            return node.value
        self.complain(node.line, f"{what} must be a list, not {kind_of(node)}")
        return []

    def text(self, node: Located | None, what: str) -> str:
        """A text; empty where there is none."""
        if node is None:
            return ""
        if isinstance(node.value, str):
            return node.value
        self.complain(node.line, f"{what} must be text, not {kind_of(node)}")
        return ""

    def texts(self, node: Located | None, what: str) -> tuple[str, ...]:
        """One text, or a list of them."""
        if node is None:
            return ()
        if isinstance(node.value, list):
            return tuple(self.text(item, f"{what} item") for item in node.value)
        text = self.text(node, what)
        return (text,) if text else ()

    def _refuse_aliases(self, text: str) -> None:
        for event in yaml.parse(text, yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                self.complain(_line(event), f"alias *{event.anchor}: write the value out")

    def _located(self, node: yaml.Node, line: int) -> Located:
        if isinstance(node, yaml.MappingNode):
            return Located(self._entries(node), line)
        if isinstance(node, yaml.SequenceNode):
            return Located([self._located(item, _line(item)) for item in node.value], line)
        text = _joined(str(node.value))
        if not isinstance(node, yaml.ScalarNode) or node.style is not None:
            return Located(text, line)
        try:
            return Located(_scalar(text), line)
        except ValueError:
            self.complain(line, "a number has more digits than are read")
            return Located(None, line)

    def _entries(self, node: yaml.MappingNode) -> dict[str, Located]:
        entries: dict[str, Located] = {}
        for key, item in node.value:
            line = _line(key)
            if not isinstance(key, yaml.ScalarNode):
                self.complain(line, "a key must be text")
                continue
            name = _joined(str(key.value))
            if name in entries:
                self.complain(line, f"{name!r} occurs a second time")
            else:
                entries[name] = self._located(item, line)
        return entries


def _joined(text: str) -> str:
    """JSON writes a character beyond U+FFFF as two escapes; YAML does not join them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _line(node: yaml.Node | yaml.Event) -> int:
    return node.start_mark.line + 1 if node.start_mark else 1


def _scalar(text: str) -> str | int | float | bool | None:
    """Raises: ValueError for a number of thousands of digits."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def scalar_or_flow(text: str, source: Source) -> Located | None:
    """A value from one line of text in an environment variable or option: JSON or YAML, else text."""
    return source.parse(text) or (None if source.problems else Located(text, 1))
