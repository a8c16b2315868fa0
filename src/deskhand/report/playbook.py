"""Playbook made from a session that succeeded: the actions of its agents, addressed by role and name."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Final, TypeAlias, cast

import yaml

from deskhand.commands.secret_texts import TYPED, Hiding, arguments_of
from deskhand.core.errors import PlaybookInvalid, UsageError
from deskhand.core.events import (
    ActionFinished,
    CheckRun,
    Event,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    StepFinished,
    SubtaskArchived,
    SubtaskAssigned,
    TargetData,
)
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import literal_name
from deskhand.core.replies import AgentReply, AppAgentResponse, Expectation, HostAgentResponse, ReplyAction, Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.language.extract import reply_object
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.selectors import find_usable
from deskhand.pipeline.parsing import taken
from deskhand.store.journal import read_events
from deskhand.store.log_folder import LogFolder

_LOOKING: Final = {"find_controls", "texts", "annotation"}
"""Tools that only read; left out unless their result was saved."""
_SELECT: Final = "select_application_window"
_CHOOSING: Final = {_SELECT, "launch_application"}
"""Tools that choose the window of a subtask."""
_HANDING_OUT: Final = {"status", "agent", "subtask"}
Steps: TypeAlias = list[JsonObject]


def playbook_of_session(session_dir: Path, name: str) -> str:
    """The session as the text of a playbook: the actions that worked, in order, and the end of each subtask.

    One of several equal controls is identified by its number among them. A text typed into a password field becomes a
    parameter that must be given wherever it is used, and is hidden where it is only shown.
    Raises: UsageError if the session did not succeed, carried out more or less than one request, or has actions that no
    playbook can express.
    """
    events = list(read_events(session_dir))
    rounds = [event for event in events if isinstance(event, RoundFinished)]
    if len(rounds) != 1:
        raise UsageError(f"{session_dir}: it carried out {len(rounds)} requests; a playbook needs exactly one")
    if rounds[0].outcome != "success":
        raise UsageError(
            f"{session_dir}: its outcome is {rounds[0].outcome}; a playbook needs a success",
            fix="run it again until it succeeds",
        )
    words = _Words(Hiding(events))
    book = _Book(session_dir, words)
    for event in events:
        book.take(event)
    book.end_step()
    passwords: JsonObject = dict.fromkeys(words.passwords.values(), "text")
    params = {"params": passwords} if passwords else {}
    whole = {"playbook": 1, "name": name, **params, **({"host": book.host} if book.host else {}), "agents": book.agents}
    request = next((event.request for event in events if isinstance(event, RoundStarted)), "")
    told = "".join(f"# {line}\n" for line in ["The request it carried out:", *words.hiding.hide(request).splitlines()])
    text = told + yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=120)
    try:
        parse_playbook(text, name)
    except PlaybookInvalid as error:
        raise UsageError(
            f"{session_dir}: its actions cannot be written as a playbook:\n{error.message}",
            fix="run it again, or write the playbook by hand",
        ) from error
    return text


@dataclass(frozen=True, slots=True)
class _Done:
    """Result of an action. `disappointed`: its expectation was not met, and the session went on."""

    finished: ActionFinished
    disappointed: bool


@dataclass(slots=True)
class _Words:
    """Texts of the session in their form for a playbook. `passwords`: the parameters for secret ones."""

    hiding: Hiding
    passwords: dict[str, str] = field(default_factory=dict[str, str])

    def told(self, text: str) -> str:
        """Form of a text that is only shown."""
        return self.hiding.hide(text, plain=_plain)

    def done(self, text: str) -> str:
        """Form of a text that is used."""
        return self.hiding.hide(text, self.parameter, _plain)

    def parameter(self, password: str) -> str:
        """Parameter for a text that was, or may have been, typed into a password field."""
        fresh = f"password{len(self.passwords) + 1 if self.passwords else ''}"
        return f"${{{self.passwords.setdefault(password.replace('$${', '${'), fresh)}}}"

    def argument(self, value: JsonValue) -> JsonValue:
        """An argument: saved data as `${name}`, all else unchanged."""
        match value:
            case {"from": str(source)} if len(value) == 1:
                return f"${{{source}}}"
            case dict():
                return {name: self.argument(part) for name, part in value.items()}
            case list():
                return [self.argument(part) for part in value]
            case str():
                return self.done(value)
            case _:
                return value

    def expected(self, expect: Expectation) -> JsonObject:
        """An expectation, with a literal `${…}` escaped."""
        written: JsonObject = expect.model_dump(mode="json", exclude_defaults=True)
        return {name: value if name == "effect" else self._expected(value) for name, value in written.items()}

    def _expected(self, value: JsonValue) -> JsonValue:
        match value:
            case dict():
                return {name: self._expected(part) for name, part in value.items()}
            case list():
                return [self._expected(part) for part in value]
            case str():
                return self.hiding.hide(value, self.parameter)
            case _:
                return value


@dataclass(slots=True)
class _Book:
    """The playbook so far, and the step that is being read."""

    session_dir: Path
    words: _Words
    host: Steps = field(default_factory=list[JsonObject])
    agents: dict[str, Steps] = field(default_factory=dict[str, Steps])
    section: str = ""
    handed_out: int = 0
    """Number of the host's steps up to the latest subtask."""
    reply: ReplyAccepted | None = None
    done: list[_Done] = field(default_factory=list["_Done"])
    disappointed: bool = False
    status: str = ""

    def take(self, event: Event) -> None:
        match event:
            case ReplyAccepted():
                self.end_step()
                self.reply, self.done, self.status, self.disappointed = event, [], event.status, False
            case CheckRun():
                self.disappointed = self.disappointed or not event.ok
            case ActionFinished():
                self.done.append(_Done(event, self.disappointed))
                self.disappointed = False
            case StepFinished():
                self.status = event.status
            case SubtaskAssigned():
                self.end_step()
                self._begin_section(event)
            case SubtaskArchived() if event.outcome != "success":
                self.end_step()
                self._forget_section()
            case _:
                pass

    def end_step(self) -> None:
        """Write down the step that was being read."""
        reply, self.reply = self.reply, None
        if reply is None:
            return
        is_hosts = reply.agent == "HostAgent"
        parsed: AgentReply = taken(HostAgentResponse if is_hosts else AppAgentResponse, reply_object(reply.raw))
        steps = self.host if is_hosts else self.agents.setdefault(self.section or reply.agent, [])
        steps += _steps(parsed, self.status, self.done, _nodes(self.session_dir, reply.step), self.words)

    def _begin_section(self, assigned: SubtaskAssigned) -> None:
        name = re.sub(r"\W+", "_", assigned.application) or "application"
        names = chain([name], (f"{name}{number}" for number in count(2)))
        self.section = next(section for section in names if section not in self.agents)
        self.agents[self.section] = []
        if not any(step.get("tool") in _CHOOSING for step in self.host[self.handed_out :]):
            self.host.append({"on": {"name": self.words.done(literal_name(assigned.window))}})
        self.host[-1] |= {"status": "ASSIGN", "agent": self.section, "subtask": self.words.told(assigned.subtask)}
        self.handed_out = len(self.host)

    def _forget_section(self) -> None:
        """Drop a failed section; the application that was launched for it remains."""
        self.agents.pop(self.section, None)
        failed = [step for step in self.host if step.get("agent") == self.section]
        self.host = [step for step in self.host if step.get("agent") != self.section]
        done = [{key: step[key] for key in step if key not in _HANDING_OUT} for step in failed]
        self.host += [step for step in done if step.get("tool", _SELECT) != _SELECT]
        self.section, self.handed_out = "", len(self.host)


def _steps(
    reply: AgentReply, status: str, done: Sequence[_Done], nodes: Sequence[TargetInfo], words: _Words
) -> Iterator[JsonObject]:
    """The steps of one reply: one for each action that worked; the last carries the status, if it says something.

    `status`: what the step came to, which may be another than the reply's own: a claim that did not stand is none.
    """
    worked = [
        (action, one)
        for action, one in zip(reply.ordered_actions(), done, strict=False)
        if one.finished.status in {"success", "none"} and (action.function not in _LOOKING or action.save_as)
    ]
    ends: JsonObject = {}
    if status in {"SCREENSHOT", "FINISH"}:
        ends = {"status": status}
        if reply.result and status == "FINISH":
            ends["result"] = words.told(reply.result)
    for number, (action, one) in enumerate(worked, start=1):
        yield {**_step(action, one, nodes, words), **(ends if number == len(worked) else {})}
    if not worked and status == "FINISH":
        expect = {"expect": words.expected(reply.expect)} if reply.expect else {}
        yield {**ends, **expect}


def _step(action: ReplyAction, done: _Done, nodes: Sequence[TargetInfo], words: _Words) -> JsonObject:
    finished = done.finished
    step: JsonObject = {"tool": action.function}
    if finished.target is not None:
        step["on"] = _selector(finished.target, nodes, words)
    given = {name: value for name, value in action.args.items() if name not in {"id", "name"}}
    typed_here = TYPED & {*given} if finished.is_secret else set[str]()
    args = {name: words.argument(value) for name, value in given.items() if name not in typed_here}
    if typed_here:
        typed = {name: _plain(value) if isinstance(value, str) else value for name, value in finished.arguments.items()}
        hidden = arguments_of(finished.model_copy(update={"arguments": typed}), words.parameter)
        args |= {name: value for name, value in hidden.items() if name in typed_here}
    if args:
        step["args"] = args
    if action.save_as:
        step["save_as"] = action.save_as
    if action.expect is not None and not done.disappointed:
        step["expect"] = words.expected(action.expect)
    return step


def _selector(target: TargetData, nodes: Sequence[TargetInfo], words: _Words) -> JsonObject:
    """Selector of this target, unique among all controls observed with it."""
    name = literal_name(target.name)
    selector: JsonObject = {"role": target.role}
    if name:
        selector["name"] = words.done(name)
    alike = find_usable(Selector(role=target.role, name=name), nodes)
    here = [number for number, node in enumerate(alike, start=1) if node.rect.to_list() == target.rect]
    if len(alike) > 1 and len(here) == 1:
        selector["nth"] = here[0]
    return selector


def _nodes(session_dir: Path, step: int) -> list[TargetInfo]:
    """Controls observed in a step, in reading order; empty if no tree was saved."""
    path = LogFolder(session_dir).ui_tree(step)
    if not path.is_file():
        return []
    tree = cast("JsonObject", json.loads(path.read_text("utf-8")))
    return list(_below(tree))


def _below(node: JsonObject) -> Iterator[TargetInfo]:
    for child in cast("list[JsonObject]", node["children"]):
        yield TargetInfo(
            TargetKind.CONTROL,
            str(child["name"]),
            Role(str(child["role"])),
            Rect(*cast("list[int]", child["rect"])),
            states=frozenset(cast("list[str]", child["states"])),
        )
        yield from _below(child)


def _plain(text: str) -> str:
    """A text without `${…}` to fill in."""
    return text.replace("${", "$${")
