"""Playbook made from a session that succeeded: the actions of its agents, addressed by role and name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, groupby
from pathlib import Path
from typing import Final, TypeAlias, cast

import yaml

from deskhand.core.command import Effect
from deskhand.core.errors import PlaybookInvalid, ReplyDefect, UsageError
from deskhand.core.events import (
    ActionFinished,
    CheckRun,
    DataSaved,
    Event,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    StepFinished,
    SubtaskArchived,
    SubtaskAssigned,
    WindowChosen,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.replies import AgentReply, AppAgentResponse, HostAgentResponse
from deskhand.models.language.extract import reply_object
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.steps import Playbook
from deskhand.pipeline.parsing import taken
from deskhand.report.playbook_data import ROW, rolled, used_rows, with_references
from deskhand.report.playbook_parameters import Parameters
from deskhand.report.playbook_step import Seen, SessionTexts, observed_in, step_of
from deskhand.store.journal import read_events

LOOKING: Final = {"find_controls", "texts", "annotation"}
"""Tools that only read; left out unless their result was saved."""
_SELECT: Final = "select_application_window"
_LAUNCH: Final = "launch_application"
_CHOOSING: Final = {_SELECT, _LAUNCH}
"""Tools that choose the window of a subtask."""
_ACROSS: Final = ("x", "start_x")
"""Arguments of a point in a window."""
_HANDING_OUT: Final = {"status", "agent", "subtask"}
Steps: TypeAlias = list[JsonObject]


@dataclass(frozen=True, slots=True)
class Export:
    """A playbook made from a session, as its text and read. `written`: its parameters for paths that the session wrote
    to. `pointed`: tools that acted at a point of a picture, and not on a control.
    """

    text: str
    playbook: Playbook
    written: frozenset[str]
    pointed: tuple[str, ...]


def playbook_of_session(session_dir: Path, name: str) -> str:
    """The session as the text of a playbook. Raises: as `exported`."""
    return exported(session_dir, name).text


def exported(session_dir: Path, name: str) -> Export:
    """The session as a playbook: the actions that worked, in order, and the end of each subtask.

    Paths, and texts and numbers that the request names, become parameters; data that the session read is read anew. A
    text typed into a password field becomes a parameter that must be given wherever it is used, and is hidden where it
    is only shown.
    Raises: UsageError if the session did not succeed, carried out more or less than one request, or has actions that no
    playbook can express.
    """
    events = list(read_events(session_dir))
    rounds = [event for event in events if isinstance(event, RoundFinished)]
    if len(rounds) != 1:
        raise UsageError(
            f"{session_dir}: it carried out {len(rounds)} requests; a playbook needs exactly one",
            fix="run the request again in a session of its own",
        )
    if rounds[0].outcome != "success":
        raise UsageError(
            f"{session_dir}: its outcome is {rounds[0].outcome}; a playbook needs a success",
            fix="run it again until it succeeds",
        )
    texts = SessionTexts.of(events)
    book = _Book(session_dir, texts)
    for event in events:
        book.take(event)
    book.end_step()
    book.read_anew([event for event in events if isinstance(event, DataSaved)])
    book.shorten()
    request = next((event.request for event in events if isinstance(event, RoundStarted)), "")
    parameters = Parameters(request, texts.own, book.taken)
    declared = book.lift(parameters)
    passwords: JsonObject = dict.fromkeys(texts.passwords.values(), "text")
    params = {"params": {**passwords, **declared}} if passwords or declared else {}
    whole = {"playbook": 1, "name": name, **params, **({"host": book.host} if book.host else {}), "agents": book.agents}
    told = "".join(f"# {line}\n" for line in ["The request it carried out:", *texts.hiding.hide(request).splitlines()])
    text = told + yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=120)
    try:
        playbook = parse_playbook(text, name)
    except PlaybookInvalid as error:
        raise _inexpressible(session_dir, f":\n{error.message}") from error
    pointed = tuple(str(step["tool"]) for step in book.steps if _has_point(step))
    return Export(text, playbook, frozenset(parameters.written), pointed)


def _has_point(step: JsonObject) -> bool:
    args = step.get("args")
    return isinstance(args, dict) and any(args.get(name) is not None for name in _ACROSS)


def _inexpressible(session_dir: Path, reason: str) -> UsageError:
    return UsageError(
        f"{session_dir}: its actions cannot be written as a playbook{reason}",
        fix="run it again, or write the playbook by hand",
    )


@dataclass(frozen=True, slots=True)
class _Done:
    """Result of an action. `disappointed`: its expectation was not met, and the session went on."""

    finished: ActionFinished
    disappointed: bool


@dataclass(slots=True)
class _Book:
    """The playbook so far, and the step that is being read."""

    session_dir: Path
    texts: SessionTexts
    host: Steps = field(default_factory=list[JsonObject])
    agents: dict[str, Steps] = field(default_factory=dict[str, Steps])
    section: str = ""
    handed_out: int = 0
    """Number of the host's steps up to the latest subtask."""
    reply: ReplyAccepted | None = None
    done: list[_Done] = field(default_factory=list["_Done"])
    disappointed: bool = False
    status: str = ""
    chosen: list[str] = field(default_factory=list[str])
    """Handles of the windows that the host chose or launched."""
    effect: str = ""
    """Effect of the latest action."""
    confirmed: set[str] = field(default_factory=set[str])
    """Sections whose last action was confirmed before they claimed to have finished."""

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
            case WindowChosen():
                self.chosen.append(event.handle)
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
        try:
            parsed: AgentReply = taken(HostAgentResponse if is_hosts else AppAgentResponse, _content(reply))
        except ReplyDefect as error:
            why = f": step {reply.step} was decided by a model that points at places of its pictures, not at controls"
            raise _inexpressible(self.session_dir, why) from error
        section = self.section or reply.agent
        steps = self.host if is_hosts else self.agents.setdefault(section, [])
        aims = any(one.finished.target for one in self.done)
        seen = observed_in(self.session_dir, reply.step) if aims else Seen()
        done = [*_steps(parsed, self.status, self.done, seen, self.texts)]
        if self.done:
            self.effect = self.done[-1].finished.effect
        elif not is_hosts and done and steps and self.effect == Effect.CONFIRMED:
            self.confirmed.add(section)
        steps += done

    @property
    def taken(self) -> frozenset[str]:
        """Names that no parameter may have."""
        saved = (str(step["save_as"]) for step in self._in_order() if "save_as" in step)
        return frozenset((ROW, *saved, *self.texts.passwords.values()))

    def _in_order(self) -> Iterator[JsonObject]:
        """The steps in the order in which they were carried out; they may be changed."""
        for step in self.host:
            yield step
            if step.get("status") == "ASSIGN":
                yield from self.agents[str(step["agent"])]
        if not self.host:
            yield from chain.from_iterable(self.agents.values())

    @property
    def steps(self) -> list[JsonObject]:
        """The steps in order, those of loops once."""
        found: list[JsonObject] = []
        for step in self._in_order():
            inner = step.get("steps")
            found += cast("list[JsonObject]", inner) if isinstance(inner, list) else [step]
        return found

    def read_anew(self, saved: Sequence[DataSaved]) -> None:
        """Let the steps use the data that earlier ones saved, in the place of texts that are equal."""
        steps, left = [*self._in_order()], list(saved)
        known: dict[str, JsonValue] = {}
        before: list[Mapping[str, JsonValue]] = []
        for step in steps:
            before.append(known)
            data = next((event for event in left if event.name == step.get("save_as")), None)
            if data is not None:
                left.remove(data)
                known = {**known, data.name: data.data}
        for step, done in zip(steps, with_references(steps, before), strict=True):
            step.update(done)
        for name, section in self.agents.items():
            self.agents[name] = rolled(section, known)
        rows = used_rows([*self._in_order()])
        for step in self._in_order():
            if len(rows.get(str(step.get("save_as")), ())) > 1:
                _expect_as_many_rows(step, known[str(step["save_as"])])

    def shorten(self) -> None:
        """Let a section end with its last action if that was confirmed, and not by an observation of its own."""
        for name in self.confirmed & {*self.agents}:
            *steps, end = self.agents[name]
            if steps and end.keys() <= {"status", "result"} and not steps[-1].keys() & {"status", "for_each"}:
                self.agents[name] = [*steps[:-1], {**steps[-1], **end}]

    def lift(self, parameters: Parameters) -> JsonObject:
        """Turn values into parameters, and return their declarations."""
        parameters.find(self.steps)
        for step in self._in_order():
            step.update(parameters.put_into(step))
        return parameters.declared()

    def _begin_section(self, assigned: SubtaskAssigned) -> None:
        name = re.sub(r"\W+", "_", assigned.application) or "application"
        names = chain([name], (f"{name}{number}" for number in count(2)))
        self.section = next(section for section in names if section not in self.agents)
        self.agents[self.section] = []
        if not any(step.get("tool") in _CHOOSING for step in self.host[self.handed_out :]):
            self.host.append({"on": {"name": self.texts.done(self.texts.names.wanted_title(assigned.window))}})
        elif self._has_launched_it():
            self.host.pop()
        self.host[-1] |= {"status": "ASSIGN", "agent": self.section, "subtask": self.texts.told(assigned.subtask)}
        self.handed_out = len(self.host)

    def _has_launched_it(self) -> bool:
        """True if the host's last steps launched an application and chose its window: the launch alone is enough."""
        tools = [step.get("tool") for step in self.host[self.handed_out :]]
        is_same = len(self.chosen) > 1 and self.chosen[-1] == self.chosen[-2]
        return is_same and tools[-2:] == [_LAUNCH, _SELECT] and self.host[-1].keys() <= {"tool", "on"}

    def _forget_section(self) -> None:
        """Drop a failed section; the application that was launched for it remains."""
        self.agents.pop(self.section, None)
        failed = [step for step in self.host if step.get("agent") == self.section]
        self.host = [step for step in self.host if step.get("agent") != self.section]
        done = [{key: step[key] for key in step if key not in _HANDING_OUT} for step in failed]
        self.host += [step for step in done if step.get("tool", _SELECT) != _SELECT]
        self.section, self.handed_out = "", len(self.host)


def _steps(
    reply: AgentReply, status: str, done: Sequence[_Done], seen: Seen, texts: SessionTexts
) -> Iterator[JsonObject]:
    """The steps of one reply: one for each action that worked; the last carries the status, if it says something.

    `status`: what the step came to, which may be another than the reply's own: a claim that did not stand is none.
    """
    worked = [
        (action, results)
        for action, results in zip(reply.ordered_actions(), map(_worked, _calls(done)), strict=False)
        if results and (action.function not in LOOKING or action.save_as)
    ]
    ends: JsonObject = {}
    if status in {"SCREENSHOT", "FINISH"}:
        ends = {"status": status}
        if reply.result and status == "FINISH":
            ends["result"] = texts.told(reply.result)
    for number, (action, results) in enumerate(worked, start=1):
        expects = not any(one.disappointed for one in results)
        step = step_of(action, [one.finished for one in results], seen, texts, expects=expects)
        yield {**step, **(ends if number == len(worked) else {})}
    if not worked and status == "FINISH":
        expect = {"expect": texts.expected(reply.expect)} if reply.expect else {}
        yield {**ends, **expect}


def _calls(done: Sequence[_Done]) -> Iterator[list[_Done]]:
    """The results of each action: one, or those of the parts of a compound tool."""
    for part_of, group in groupby(done, key=lambda one: one.finished.part_of):
        if part_of:
            yield list(group)
        else:
            yield from ([one] for one in group)


def _worked(results: Sequence[_Done]) -> list[_Done]:
    return [one for one in results if one.finished.status in {"success", "none"}]


def _expect_as_many_rows(step: JsonObject, data: JsonValue) -> None:
    """Let a step that read a table stop where the table has another number of rows: others are used one by one."""
    rows = data.get("rows") if isinstance(data, dict) else None
    if isinstance(rows, int):
        expect = step.get("expect")
        step["expect"] = {**(expect if isinstance(expect, dict) else {}), "rows": str(rows)}


def _content(reply: ReplyAccepted) -> JsonObject:
    """Return a reply's fields; those of a host that ended without a model after its last subtask are its status alone.

    Raises: ReplyDefect (it is no JSON object).
    """
    return reply_object(reply.raw) if reply.raw else {"status": reply.status, "result": reply.result}
