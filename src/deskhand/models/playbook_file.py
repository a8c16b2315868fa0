"""Strict reader of playbook files; it reports all problems at once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from deskhand.config.yaml_values import Located, Source, suggestion
from deskhand.core.command import Effect
from deskhand.core.errors import PlaybookInvalid, UsageError
from deskhand.core.json import JsonValue
from deskhand.core.patterns import compile_pattern, is_pattern
from deskhand.core.replies import OF_RESULT, Expectation, Selector
from deskhand.core.roles import Role
from deskhand.core.statuses import AppAgentStatus, HostAgentStatus, normalise_status
from deskhand.models.placeholder_values import COMPARISON
from deskhand.models.placeholders import lone_reference
from deskhand.models.playbook_check import check_assignments, check_loops, check_references, names_columns
from deskhand.models.steps import HOST, Condition, Loop, Parameter, ParameterType, Playbook, Step

VERSION = 1
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COUNT = re.compile(r"(==|!=|>=|<=|>|<|=)?\s*[0-9]{1,9}")
_STEP_KEYS = (
    "tool",
    "app",
    "on",
    "or",
    "args",
    "save_as",
    "expect",
    "status",
    "agent",
    "subtask",
    "result",
    "when",
    "unless",
)
_LOOP_KEYS = ("for_each", "header")
_FOR_EACH = re.compile(r"(?P<variable>\w+) in \$\{(?P<path>[^{}]*)\}")
_OF_AN_ACTION = ("on", "or", "args", "save_as")
_UNDECIDED = {"ERROR", "PENDING"}
_LAST = {"FINISH", "FAIL"}


def load_playbook(path: Path) -> Playbook:
    """Read a playbook. Raises: UsageError (unreadable), PlaybookInvalid (with every problem's file and line)."""
    return parse_playbook(_text(path), str(path))


def load_session_playbook(path: Path) -> Playbook:
    """Load the playbook of a whole session. Raises: PlaybookInvalid, UsageError if it has no steps for the host."""
    book = load_playbook(path)
    if not book.host:
        raise UsageError(
            f"{path}: the playbook has no steps for the host, which picks the windows",
            fix="add host: with a step of status ASSIGN that names the agent, and a step of status FINISH",
        )
    return book


def parse_playbook(text: str, source: str) -> Playbook:
    """A playbook from its text; `source` is its name in messages. Raises: PlaybookInvalid."""
    draft = _drafted(text, source)
    if draft.playbook is None or draft.problems:
        raise PlaybookInvalid("\n".join(draft.problems), fix=f"correct the listed lines of {source}")
    return replace(draft.playbook, text=text)


@dataclass(frozen=True, slots=True)
class Draft:
    """A playbook as far as it can be read, and all its problems as `source:line: message` by line."""

    playbook: Playbook | None
    problems: list[str]


def read_draft(path: Path) -> Draft:
    """Read a file that may be a playbook. Raises: UsageError (unreadable), PlaybookInvalid (not text)."""
    return _drafted(_text(path), str(path))


def _text(path: Path) -> str:
    """The text with its own line ends. Raises: UsageError (unreadable), PlaybookInvalid (not text)."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot read the playbook {path}: {error.strerror or error}", fix="give the path of a readable file"
        ) from error
    except UnicodeDecodeError as error:
        raise PlaybookInvalid(f"{path}:1: not UTF-8 text", fix="save the playbook as UTF-8") from error


def _drafted(text: str, source: str) -> Draft:
    reader = _Reader(Source(source))
    root = reader.source.parse(text)
    playbook = None
    if root is not None:
        playbook = reader.playbook(root)
    elif not reader.source.problems:
        reader.source.complain(1, "the playbook is empty")
    return Draft(playbook, reader.source.problems)


def parse_selector(node: Located, source: Source, what: str) -> Selector:
    """A selector from a mapping; its problems are added to `source`."""
    entries = source.mapping(node, what, Selector.model_fields)
    if isinstance(node.value, dict) and not entries:
        source.complain(node.line, f"{what} is empty; give a role, a name or a value")
    nth = entries.get("nth")
    within = entries.get("within")
    role = _checked_role(entries.get("role"), source)
    return Selector(
        role=role,
        name=checked_pattern(entries.get("name"), source, "name"),
        value=checked_pattern(entries.get("value"), source, "value"),
        within=None if within is None else _within(within, source),
        nth=None if nth is None else _nth(nth, source),
    )


def checked_pattern(node: Located | None, source: Source, what: str) -> str:
    """A wanted text; an invalid regular expression in it is reported."""
    text = source.text(node, what)
    if node is not None and is_pattern(text):
        try:
            compile_pattern(re.sub(r"\$\{[^{}]*\}", "x", text))
        except ValueError as error:
            source.complain(node.line, f"{what}: {error}")
            return ""
    return text


def _checked_role(node: Located | None, source: Source) -> str:
    role = checked_pattern(node, source, "role")
    roles = [item.value for item in Role]
    if node is not None and role and not is_pattern(role) and role not in roles:
        source.complain(node.line, f"unknown role {role!r}{suggestion(role, roles)}")
        return ""
    return role


def _within(node: Located, source: Source) -> Selector | list[str]:
    if isinstance(node.value, list):
        return [checked_pattern(item, source, "within item") for item in node.value]
    selector = parse_selector(node, source, "within")
    if selector.nth is not None:
        source.complain(node.line, "within: an ancestor cannot have nth")
    return selector


def _nth(node: Located, source: Source) -> int | Literal["first", "last"] | None:
    match node.value:
        case "first":
            return "first"
        case "last":
            return "last"
        case int() if not isinstance(node.value, bool) and node.value >= 1:
            return node.value
        case _:
            source.complain(node.line, f"nth must be first, last or a number from 1, not {node.plain()!r}")
            return None


@dataclass(slots=True)
class _Reader:
    """Reader of one playbook; problems are collected in `source`."""

    source: Source
    parameters: dict[str, Parameter] | None = None

    def playbook(self, root: Located) -> Playbook:
        entries = self.source.mapping(
            root, "the playbook", ("playbook", "name", "params", "host", "agents"), ("playbook", "name", "agents")
        )
        version = entries.get("playbook")
        if version is not None and version.plain() != VERSION:
            self.source.complain(version.line, f"playbook format {version.plain()!r} is unknown; this reads {VERSION}")
        parameters = self._parameters(entries.get("params"))
        host = self._section(entries["host"], HOST) if "host" in entries else ()
        agents: dict[str, tuple[Step, ...]] = {}
        if "agents" in entries:
            for name, node in self.source.mapping(entries["agents"], "agents").items():
                agents[name] = self._section(node, name)
        name = self.source.text(entries.get("name"), "name")
        playbook = Playbook(self.source.name, name, parameters, host, agents)
        check_assignments(playbook, self.source, entries)
        check_loops(playbook, self.source)
        check_references(playbook, self.source)
        return playbook

    def _parameters(self, node: Located | None) -> dict[str, Parameter]:
        if node is None:
            return {}
        found: dict[str, Parameter] = {}
        for name, item in self.source.mapping(node, "params").items():
            if not _WORD.fullmatch(name):
                self.source.complain(item.line, f"parameter {name!r} is not a plain word")
            parameter = self._parameter(name, item)
            if parameter is not None:
                found[name] = parameter
        return found

    def _parameter(self, name: str, node: Located) -> Parameter | None:
        default: JsonValue = None
        kind = node
        if isinstance(node.value, dict):
            entries = self.source.mapping(node, f"parameter {name!r}", ("type", "default"), ("type",))
            if "type" not in entries:
                return None
            kind = entries["type"]
            default = entries["default"].plain() if "default" in entries else None
        word = self.source.text(kind, f"the type of {name!r}")
        types = [item.value for item in ParameterType]
        if not word:
            return None
        if word not in types:
            self.source.complain(kind.line, f"unknown parameter type {word!r}{suggestion(word, types)}")
            return None
        return Parameter(name, ParameterType(word), default)

    def _section(self, node: Located, section: str) -> tuple[Step, ...]:
        nodes = self.source.items(node, section)
        steps = [step for number, item in enumerate(nodes, 1) for step in self._entry(item, section, f"step {number}")]
        if isinstance(node.value, list) and not steps:
            self.source.complain(node.line, f"{section} has no steps")
        for step in steps[:-1]:
            if step.status in _LAST and not step.conditional and step.loop is None:
                self.source.complain(step.line, f"no step of {section} after this {step.status} is ever reached")
        return tuple(steps)

    def _entry(self, node: Located, section: str, what: str) -> list[Step]:
        """A step, or the steps of a loop."""
        if not isinstance(node.value, dict) or "for_each" not in node.value:
            return [self._step(node, section, what)]
        looped = f"{section} {what}"
        if "steps" in node.value:
            entries = self.source.mapping(node, looped, (*_LOOP_KEYS, "steps"))
            inner = self.source.items(entries["steps"], f"the steps of {looped}")
            if isinstance(entries["steps"].value, list) and not inner:
                self.source.complain(entries["steps"].line, f"{looped} has no steps")
            steps = [self._step(item, section, f"{what}.{number}") for number, item in enumerate(inner, 1)]
        else:
            entries = self.source.mapping(node, looped, (*_LOOP_KEYS, *_STEP_KEYS))
            body = {key: item for key, item in entries.items() if key not in _LOOP_KEYS}
            steps = [self._step(Located(body, node.line), section, what)]
        loop = self._loop(node.line, entries, steps, looped)
        return [replace(step, loop=loop) for step in steps]

    def _loop(self, line: int, entries: Mapping[str, Located], steps: list[Step], what: str) -> Loop:
        text = self.source.text(entries["for_each"], "for_each")
        written = _FOR_EACH.fullmatch(" ".join(text.split()))
        if written is None:
            if text:
                self.source.complain(
                    entries["for_each"].line, f"{what}: for_each is written as: row in ${{sales.cells}}"
                )
            return Loop(line, "", "")
        variable, path = written["variable"], written["path"]
        header = entries.get("header")
        if header is None:
            return Loop(line, variable, path, any(names_columns(step, variable) for step in steps))
        if not isinstance(header.value, bool):
            self.source.complain(header.line, f"{what}: header must be true or false")
        return Loop(line, variable, path, header.value is True)

    def _step(self, node: Located, section: str, what: str) -> Step:
        what = f"{section} {what}"
        entries = self.source.mapping(node, what, _STEP_KEYS)
        status = self._status(entries.get("status"), section)
        tool = self.source.text(entries.get("tool"), "tool")
        if not tool and status == "ASSIGN" and "on" in entries:
            tool = "select_application_window"
        args = self._args(entries.get("args"))
        if (app := entries.get("app")) is not None:
            if section != HOST or "tool" in entries or "on" in entries:
                self.source.complain(
                    app.line, f"{what} has 'app', which goes with a host's step without 'tool' and 'on'"
                )
            tool, args = "launch_application", {**(args or {}), "application": self.source.text(app, "app")}
        step = Step(
            line=node.line,
            tool=tool,
            status=status,
            on=self._on(entries.get("on")),
            second=self._second(entries.get("or"), entries, section, what),
            args=args,
            save_as=self._save_as(entries.get("save_as")),
            expect=self._expectation(entries.get("expect")),
            agent=self.source.text(entries.get("agent"), "agent"),
            subtask=self.source.text(entries.get("subtask"), "subtask"),
            result=self.source.text(entries.get("result"), "result"),
            when=self._condition(entries.get("when"), "when"),
            unless=self._condition(entries.get("unless"), "unless"),
        )
        if isinstance(node.value, dict):
            self._check_shape(step, entries, what)
        return step

    def _check_shape(self, step: Step, entries: Mapping[str, Located], what: str) -> None:
        """Check the combination of keys of one step."""
        if not step.tool:
            if step.status not in _LAST:
                self.source.complain(step.line, f"{what} has no tool; only FINISH and FAIL go without one")
            for key in _OF_AN_ACTION:
                if key in entries:
                    self.source.complain(entries[key].line, f"{what} has {key!r} but no tool")
            if step.expect and step.expect.of_result:
                message = f"{what} has no action: nothing has {', '.join(OF_RESULT)}"
                self.source.complain(entries["expect"].line, message)
        for key in ("agent", "subtask"):
            if step.status == "ASSIGN" and not entries.get(key):
                self.source.complain(step.line, f"{what} has status ASSIGN and lacks {key!r}")
            elif step.status != "ASSIGN" and key in entries:
                self.source.complain(entries[key].line, f"{what} has {key!r}, which goes with status ASSIGN")
        if "result" in entries and step.status not in _LAST:
            self.source.complain(entries["result"].line, f"{what} has 'result', which goes with FINISH and FAIL")

    def _status(self, node: Located | None, section: str) -> str:
        statuses = [item.value for item in (HostAgentStatus if section == HOST else AppAgentStatus)]
        allowed = [item for item in statuses if item not in _UNDECIDED]
        text = self.source.text(node, "status")
        status = normalise_status(text) if text else "CONTINUE"
        if node is not None and status not in allowed:
            self.source.complain(node.line, f"unknown status {text!r}; {section} may use {', '.join(allowed)}")
            return next(iter(get_close_matches(status, allowed, 1)), "CONTINUE")  # so that further problems are found
        return status

    def _on(self, node: Located | None) -> Selector | str | None:
        if node is None:
            return None
        if not isinstance(node.value, str):
            return parse_selector(node, self.source, "on")
        name = lone_reference(node.value)
        if name is None:
            self.source.complain(node.line, "on must be a mapping, or ${x} of a selector parameter")
        return name

    def _second(self, node: Located | None, entries: Mapping[str, Located], section: str, what: str) -> Selector | None:
        if node is None:
            return None
        if "on" not in entries or section == HOST:
            self.source.complain(node.line, f"{what} has 'or', which goes with 'on' in a step of an agent")
        return parse_selector(node, self.source, "or")

    def _condition(self, node: Located | None, what: str) -> Condition | None:
        """`${x}`, or a mapping of shows, value and is."""
        if node is None:
            return None
        if isinstance(node.value, str):
            return Condition(node.line, value=self._looked_at(node, what))
        entries = self.source.mapping(node, what, ("shows", "value", "is"))
        if isinstance(node.value, dict) and "shows" not in entries and "value" not in entries:
            self.source.complain(node.line, f"{what} needs 'shows' or 'value'")
        wanted = entries.get("is")
        if wanted is not None and "value" not in entries:
            self.source.complain(wanted.line, f"{what}: 'is' compares a value; add 'value'")
        return Condition(
            node.line,
            parse_selector(entries["shows"], self.source, "shows") if "shows" in entries else None,
            self._looked_at(entries["value"], f"{what}: value") if "value" in entries else "",
            "" if wanted is None else self._wanted(wanted, what),
        )

    def _looked_at(self, node: Located, what: str) -> str:
        path = lone_reference(node.value) if isinstance(node.value, str) else None
        if path is None:
            self.source.complain(node.line, f"{what} must be ${{x}}, of a parameter or of saved data")
        return path or ""

    def _wanted(self, node: Located, what: str) -> str:
        if isinstance(node.value, int | float):
            return str(node.value).lower() if isinstance(node.value, bool) else f"=={node.value}"
        text = checked_pattern(node, self.source, f"{what}: is")
        if text[:1] in {"<", ">", "=", "!"} and not COMPARISON.fullmatch(text.strip()):
            self.source.complain(node.line, f"{what}: {text!r} is not a comparison with a number; write it like >=2")
        return text

    def _args(self, node: Located | None) -> Mapping[str, JsonValue] | None:
        if node is None:
            return None
        return {key: item.plain() for key, item in self.source.mapping(node, "args").items()}

    def _save_as(self, node: Located | None) -> str:
        name = self.source.text(node, "save_as")
        if node is not None and name and not _WORD.fullmatch(name):
            self.source.complain(node.line, f"save_as {name!r} is not a plain word")
        return name

    def _expectation(self, node: Located | None) -> Expectation | None:
        if node is None:
            return None
        entries = self.source.mapping(node, "expect", Expectation.model_fields)
        selectors = {key: parse_selector(entries[key], self.source, key) for key in ("gone", "shows") if key in entries}
        effect = self.source.text(entries.get("effect"), "effect")
        effects = [item.value for item in Effect]
        if effect and effect not in effects:
            self.source.complain(entries["effect"].line, f"unknown effect {effect!r}{suggestion(effect, effects)}")
        return Expectation(
            effect=effect if effect in effects else "",
            rows=self._count(entries.get("rows"), "rows"),
            columns=self._count(entries.get("columns"), "columns"),
            exit_code=self._count(entries.get("exit_code"), "exit_code"),
            file=self.source.text(entries.get("file"), "file"),
            window=checked_pattern(entries.get("window"), self.source, "window"),
            gone=selectors.get("gone"),
            shows=selectors.get("shows"),
            like=self._reference(entries.get("like")),
        )

    def _reference(self, node: Located | None) -> str:
        """The path of a reference, which is relative to the playbook's own folder."""
        path = self.source.text(node, "like")
        return str(Path(self.source.name).absolute().parent / path) if path else ""

    def _count(self, node: Located | None, what: str) -> str:
        if node is None:
            return ""
        text = str(node.value) if isinstance(node.value, int | str) and not isinstance(node.value, bool) else ""
        if not _COUNT.fullmatch(text.strip()):
            self.source.complain(node.line, f'{what} must be a number or a comparison such as ">=2"')
            return ""
        return text.strip()
