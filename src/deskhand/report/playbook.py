"""A session that succeeded as a playbook: what its agents did, addressed by role and name (SPEC 4.7)."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias, cast

import yaml

from deskhand.commands.hiding import TYPED, Hiding, arguments_of
from deskhand.core.errors import UsageError
from deskhand.core.events import (
    ActionFinished,
    Event,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TargetData,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import is_pattern
from deskhand.core.replies import AgentReply, AppAgentResponse, Expectation, HostAgentResponse, ReplyAction
from deskhand.store.folder import LogFolder
from deskhand.store.journal import read_events

_LOOKING: Final = {"find_controls", "texts", "annotation"}
"""What only looks; it is left out where nothing was kept of it."""
Steps: TypeAlias = list[JsonObject]


def playbook_of_session(session_dir: Path, name: str) -> str:
    """The session as the text of a playbook: the actions that worked, in order, and how each subtask ended.

    Of several controls alike, one is told by its number among them. What was typed where a password goes becomes a
    parameter that has to be given wherever something is done with it, and is hidden where it is only told.
    Raises: UsageError where the session did not succeed, or carried out anything but one request.
    """
    events = list(read_events(session_dir))
    rounds = [event for event in events if isinstance(event, RoundFinished)]
    if len(rounds) != 1:
        raise UsageError(f"{session_dir}: it carried out {len(rounds)} requests, and a playbook is made of one")
    if rounds[0].outcome != "success":
        raise UsageError(
            f"{session_dir}: its outcome is {rounds[0].outcome}, and a playbook is made of a success",
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
    return told + yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=120)


@dataclass(slots=True)
class _Words:
    """Texts of the session as a playbook has them. `passwords`: the parameters for those that are secret."""

    hiding: Hiding
    passwords: dict[str, str] = field(default_factory=dict[str, str])

    def told(self, text: str) -> str:
        """What is only told."""
        return self.hiding.hide(text, plain=_plain)

    def done(self, text: str) -> str:
        """What something is done with."""
        return self.hiding.hide(text, self.parameter, _plain)

    def parameter(self, password: str) -> str:
        """The parameter for a text that was, or may have been, typed where a password goes."""
        fresh = f"password{len(self.passwords) + 1 if self.passwords else ''}"
        return f"${{{self.passwords.setdefault(password.replace('$${', '${'), fresh)}}}"

    def argument(self, value: JsonValue) -> JsonValue:
        """An argument: saved data by `${name}`, all else as it is."""
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
        """An expectation, in which `${…}` stands for itself."""
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
    reply: ReplyAccepted | None = None
    done: list[ActionFinished] = field(default_factory=list[ActionFinished])

    def take(self, event: Event) -> None:
        match event:
            case ReplyAccepted():
                self.end_step()
                self.reply, self.done = event, []
            case ActionFinished():
                self.done.append(event)
            case SubtaskAssigned():
                self.end_step()
                self._begin_section(event)
            case SubtaskArchived() if event.outcome != "success":
                self.end_step()
                self._forget_section()
            case _:
                pass

    def end_step(self) -> None:
        """Writes the step down that was being read."""
        reply, self.reply = self.reply, None
        if reply is None:
            return
        is_hosts = reply.agent == "HostAgent"
        parsed: AgentReply = (HostAgentResponse if is_hosts else AppAgentResponse).model_validate_json(reply.raw)
        steps = self.host if is_hosts else self.agents.setdefault(self.section or reply.agent, [])
        steps += _steps(parsed, self.done, _nodes(self.session_dir, reply.step), self.words)

    def _begin_section(self, assigned: SubtaskAssigned) -> None:
        name = re.sub(r"\W+", "_", assigned.application) or "application"
        number = sum(section.rstrip("0123456789") == name for section in self.agents)
        self.section = f"{name}{number + 1}" if number else name
        self.agents[self.section] = []
        if not self.host or self.host[-1].get("status") == "ASSIGN":
            self.host.append({})
        self.host[-1] |= {"status": "ASSIGN", "agent": self.section, "subtask": self.words.told(assigned.subtask)}

    def _forget_section(self) -> None:
        """What failed is not done again."""
        self.agents.pop(self.section, None)
        self.host = [step for step in self.host if step.get("agent") != self.section]
        self.section = ""


def _steps(
    reply: AgentReply, done: Sequence[ActionFinished], nodes: Sequence[JsonObject], words: _Words
) -> Iterator[JsonObject]:
    """The steps of one reply: one for each action that worked; the last carries the status, if it says something."""
    worked = [
        (action, finished)
        for action, finished in zip(reply.ordered_actions(), done, strict=False)
        if finished.status in {"success", "none"} and (action.function not in _LOOKING or action.save_as)
    ]
    ends: JsonObject = {}
    if reply.status in {"SCREENSHOT", "FINISH"}:
        ends = {"status": reply.status}
        if reply.result and reply.status == "FINISH":
            ends["result"] = words.told(reply.result)
    for number, (action, finished) in enumerate(worked, start=1):
        yield {**_step(action, finished, nodes, words), **(ends if number == len(worked) else {})}
    if not worked and reply.status == "FINISH":
        expect = {"expect": words.expected(reply.expect)} if reply.expect else {}
        yield {**ends, **expect}


def _step(action: ReplyAction, finished: ActionFinished, nodes: Sequence[JsonObject], words: _Words) -> JsonObject:
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
    if action.expect is not None:
        step["expect"] = words.expected(action.expect)
    return step


def _selector(target: TargetData, nodes: Sequence[JsonObject], words: _Words) -> JsonObject:
    """What means this target among all that were seen with it."""
    selector: JsonObject = {"role": target.role}
    if target.name:
        selector["name"] = words.done(f"/^{re.escape(target.name)}$/" if is_pattern(target.name) else target.name)
    alike = [node for node in nodes if node["role"] == target.role and (not target.name or node["name"] == target.name)]
    if len(alike) > 1:
        places = [node["rect"] for node in alike]
        if target.rect in places:
            selector["nth"] = places.index(list[JsonValue](target.rect)) + 1
    return selector


def _nodes(session_dir: Path, step: int) -> list[JsonObject]:
    """The controls that were seen in a step, in reading order; none where no tree was kept."""
    path = LogFolder(session_dir).ui_tree(step)
    if not path.is_file():
        return []
    tree = cast("JsonObject", json.loads(path.read_text("utf-8")))
    return list(_below(tree))


def _below(node: JsonObject) -> Iterator[JsonObject]:
    for child in cast("list[JsonObject]", node["children"]):
        yield child
        yield from _below(child)


def _plain(text: str) -> str:
    """A text that holds no `${…}` to be filled in."""
    return text.replace("${", "$${")
