"""A playbook's text with healed steps written anew; every other character stays as it is."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from deskhand.config.yaml_values import Source
from deskhand.core.json import JsonObject, JsonValue
from deskhand.models.steps import HOST

_PLAIN: Final = re.compile(r"[A-Za-z_][\w .-]*[\w.]|[A-Za-z_]")
_WORDS: Final = frozenset({"true", "false", "null"})
_LOOP: Final = ("for_each", "header")
_SELECT: Final = "select_application_window"
_AIM: Final = ("tool", "app", "on", "args")


@dataclass(frozen=True, slots=True)
class HealedStep:
    """A step to write anew: `before` are steps to insert, `now` its new tool, target and arguments; empty: as it was.

    `section` and `number`, from 1, name the step. `now` without `args`, or with equal ones, leaves them as written.
    """

    section: str
    number: int
    before: tuple[JsonObject, ...] = ()
    now: JsonObject | None = None


def healed_text(text: str, steps: Sequence[HealedStep]) -> str:
    """The text of a playbook with these steps changed. The text has to be that of a valid playbook."""
    root: yaml.Node | None = yaml.compose(text, yaml.SafeLoader)  # the stubs forget that an empty text has no node
    edits = [edit for step in steps for edit in _edits(text, _place_of(root, step), step)]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Node:
    """A step in the text: its mapping, and the list that it is an item of. `is_loop`: it is a whole loop as well."""

    mapping: yaml.MappingNode
    parent: yaml.SequenceNode
    is_loop: bool = False


def _place_of(root: yaml.Node | None, step: HealedStep) -> _Node:
    section = _value(root, HOST) if step.section == HOST else _value(_value(root, "agents"), step.section)
    return list(_nodes(section))[step.number - 1]


def _nodes(section: yaml.Node | None) -> Iterator[_Node]:
    """The steps of a section in order, those of loops among them."""
    if not isinstance(section, yaml.SequenceNode):
        return
    for item in section.value:
        inner = _value(item, "steps") if _value(item, "for_each") is not None else None
        if isinstance(inner, yaml.SequenceNode):
            yield from (_Node(each, inner) for each in inner.value)
        else:
            yield _Node(item, section, is_loop=_value(item, "for_each") is not None)


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pair = _pair(node, key)
    return pair[1] if pair else None


def _pair(node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((pair for pair in node.value if pair[0].value == key), None)


def _edits(text: str, node: _Node, step: HealedStep) -> Iterator[tuple[int, int, str]]:
    """Changes as begin, end and new text."""
    now = step.now
    if node.is_loop and step.before:
        yield _whole(node, _loop_around(_plain(text, node), step))
    elif now is not None:
        on = _pair(node.mapping, "on")
        old = _plain(text, node)
        is_same = _tool(old) == now.get("tool") and now.get("args", {}) == old.get("args", {})
        if is_same and on is not None and "on" in now:
            yield text.index(":", on[0].end_mark.index) + 1, _end(on[1]), f" {flow(now['on'])}"
        else:
            yield _whole(node, _aimed(old, now))
    if step.before and not node.is_loop:
        yield _insertion(text, node, step.before)


def _tool(step: JsonObject) -> JsonValue:
    """The tool of a step as written; a host's step with a target alone chooses a window."""
    return step.get("tool") or ("" if "app" in step else _SELECT)


def _plain(text: str, node: _Node) -> JsonObject:
    """The step as data."""
    first, last = node.mapping.start_mark, _end(node.mapping)
    located = Source("").parse(" " * first.column + text[first.index : last])
    value = located.plain() if located is not None else {}
    return value if isinstance(value, dict) else {}


def _aimed(old: JsonObject, now: JsonObject) -> JsonObject:
    """The step with another tool, target and arguments in front; a loop around it stays first."""
    loop = {key: value for key, value in old.items() if key in _LOOP}
    rest = {key: value for key, value in old.items() if key not in _LOOP and key not in _AIM}
    return {**loop, **{key: now[key] for key in _AIM if key in now}, **rest}


def _loop_around(old: JsonObject, step: HealedStep) -> JsonObject:
    loop = {key: value for key, value in old.items() if key in _LOOP}
    body: JsonObject = {key: value for key, value in old.items() if key not in _LOOP}
    last = _aimed(body, step.now) if step.now is not None else body
    return {**loop, "steps": [*step.before, last]}


def _whole(node: _Node, new: JsonObject) -> tuple[int, int, str]:
    return node.mapping.start_mark.index, _end(node.mapping), flow(new)


def _insertion(text: str, node: _Node, before: Sequence[JsonObject]) -> tuple[int, int, str]:
    """Items in front of a step's own."""
    at = node.mapping.start_mark.index
    if node.parent.flow_style:
        return at, at, "".join(f"{flow(step)}, " for step in before)
    dash = text.rindex("-", 0, at)
    indent = " " * (dash - text.rfind("\n", 0, dash) - 1)
    newline = "\r\n" if "\r\n" in text else "\n"
    return dash, dash, "".join(f"- {flow(step)}{newline}{indent}" for step in before)


def _end(node: yaml.Node) -> int:
    """The end of a node's own text; that of a block ends for the parser where the next one begins."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _end(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _end(node.value[-1])
    return node.end_mark.index


def flow(value: JsonValue) -> str:
    """A value on one line, as this project's reader of YAML reads it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.isascii() and value not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


def _key(key: str) -> str:
    return flow(key)
