"""Comparison of two sessions: the first step that differs, and what differed underneath."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.events import DocumentLeft, Event, RanOn, SessionStarted
from deskhand.core.json import JsonObject, JsonValue
from deskhand.report.overview import effect_of
from deskhand.report.playbook import LOOKING
from deskhand.report.summary import ending
from deskhand.report.timeline import Action, Step, build_timeline


class Aspect(StrEnum):
    """Aspects of a step in the order of its phases. `steps`, `actions`: one session has fewer; `end`: the outcome."""

    AGENT = "agent"
    OBSERVATION = "observation"
    DECISION = "decision"
    TARGET = "target"
    EFFECT = "effect"
    STATUS = "status"
    STEPS = "steps"
    ACTIONS = "actions"
    END = "end"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of the `step`th steps, counted from 1, or of the ends: the same aspect of both sessions."""

    step: int
    aspect: Aspect
    first: JsonValue
    second: JsonValue

    def to_json(self) -> JsonObject:
        return {"step": self.step, "aspect": self.aspect.value, "a": self.first, "b": self.second}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`step`: the first difference; `acted`: the first one that is not of an observation alone, None if there is none.

    `underneath`: facts on which the sessions ran, by name, where they are not the same; None: not recorded. `replay`:
    one session repeats the other, and only the actions that worked are compared, by the steps of the first session.
    """

    step: Difference | None
    acted: Difference | None
    underneath: dict[str, tuple[str | None, str | None]]
    steps: tuple[int, int]
    replay: bool = False

    @property
    def same(self) -> bool:
        return self.step is None


def compare(first: Path, second: Path) -> Comparison:
    """Compare the sessions of two folders, without their secret texts. Raises: StoreError."""
    events = (redacted_events(first), redacted_events(second))
    steps = (build_timeline(events[0]).steps, build_timeline(events[1]).steps)
    replay = _is_replay(*events)
    if replay:
        done = (_Done.of(steps[0], first), _Done.of(steps[1], second))
        found = [*_differences_of_actions(*done), *_ends(*events, len(steps[0]))]
        facts = (done[0].facts(events[0]), done[1].facts(events[1]))
    else:
        found = [*_differences(*steps), *_ends(*events, len(steps[0]))]
        facts = (_facts(events[0]), _facts(events[1]))
    return Comparison(
        step=found[0] if found else None,
        acted=next((one for one in found if one.aspect is not Aspect.OBSERVATION), None),
        underneath=_underneath(*facts),
        steps=(len(steps[0]), len(steps[1])),
        replay=replay,
    )


def _is_replay(first: Sequence[Event], second: Sequence[Event]) -> bool:
    one, other = (next((e for e in events if isinstance(e, SessionStarted)), None) for events in (first, second))
    if one is None or other is None:
        return False
    names = [(one.session_id, other.options), (other.session_id, one.options)]
    return any(options is not None and options.replays == name for name, options in names)


@dataclass(frozen=True, slots=True)
class _Done:
    """The actions of a session that worked and did not only look, with their steps; `folder`: given with `--out`."""

    actions: tuple[tuple[int, Action], ...]
    folder: Path

    @classmethod
    def of(cls, steps: Sequence[Step], session_dir: Path) -> "_Done":
        session_dir = session_dir.absolute()
        folder = session_dir.parent if session_dir.name == "log" else session_dir
        actions = ((step.number, action) for step in steps for action in step.actions.values())
        return cls(tuple((number, action) for number, action in actions if _is_done(action)), folder)

    def relative(self, text: str) -> str:
        """A text without this session's own folder, in which the other one has its own."""
        return text.replace(str(self.folder), "…")

    def facts(self, events: Sequence[Event]) -> dict[str, str]:
        return {name: self.relative(value) for name, value in _facts(events).items() if name != "model"}

    def aspects(self, action: Action) -> dict[Aspect, JsonValue]:
        arguments = json.loads(self.relative(json.dumps(action.telling_arguments)))
        return {
            Aspect.DECISION: {"tool": action.tool, "arguments": arguments},
            Aspect.TARGET: _target(action),
            Aspect.EFFECT: effect_of(action),
        }


def _is_done(action: Action) -> bool:
    done = action.finished
    return action.tool not in LOOKING and done is not None and done.status in {"success", "none"}


def _differences_of_actions(first: _Done, second: _Done) -> Iterator[Difference]:
    for (number, one), (_, other) in zip(first.actions, second.actions, strict=False):
        theirs = second.aspects(other)
        for aspect, value in first.aspects(one).items():
            if value != theirs[aspect]:
                yield Difference(number, aspect, value, theirs[aspect])
    counts = len(first.actions), len(second.actions)
    if counts[0] != counts[1]:
        last = first.actions[min(counts[1], counts[0] - 1)][0] if first.actions else 0
        yield Difference(last, Aspect.ACTIONS, *counts)


def _differences(first: Sequence[Step], second: Sequence[Step]) -> Iterator[Difference]:
    for number, (one, other) in enumerate(zip_longest(first, second), start=1):
        if one is None or other is None:
            yield Difference(number, Aspect.STEPS, len(first), len(second))
            return
        theirs = _aspects(other)
        for aspect, value in _aspects(one).items():
            if value != theirs[aspect]:
                yield Difference(number, aspect, value, theirs[aspect])


def _ends(first: Sequence[Event], second: Sequence[Event], steps: int) -> Iterator[Difference]:
    ends = (ending([*first]).outcome, ending([*second]).outcome)
    if ends[0] != ends[1]:
        yield Difference(steps, Aspect.END, *ends)


def _aspects(step: Step) -> dict[Aspect, JsonValue]:
    seen = step.observation
    actions = list(step.actions.values())
    return {
        Aspect.AGENT: [step.started.agent, step.started.state],
        Aspect.OBSERVATION: {"window": seen.window, "controls": seen.controls} if seen else None,
        Aspect.DECISION: [{"tool": action.tool, "arguments": action.telling_arguments} for action in actions],
        Aspect.TARGET: [_target(action) for action in actions],
        Aspect.EFFECT: [effect_of(action) for action in actions],
        Aspect.STATUS: step.finished.status if step.finished else None,
    }


def _target(action: Action) -> JsonValue:
    target = action.target
    return {"role": target.role, "name": target.name} if target else None


def _facts(events: Sequence[Event]) -> dict[str, str]:
    """Facts on which a session ran."""
    facts: dict[str, str] = {}
    for event in events:
        if isinstance(event, SessionStarted):
            facts |= {"deskhand": event.version, "model": event.model, "desktop": event.desktop, "mode": event.mode}
            facts |= {"request": event.request}
            facts |= {f"parameter {name}": value for name, value in event.parameters.items()}
        elif isinstance(event, RanOn):
            facts |= event.facts
        elif isinstance(event, DocumentLeft) and event.digest:
            facts[f"document {Path(event.path).name} at the end"] = event.digest
    return facts


def _underneath(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    names = dict.fromkeys((*first, *second))
    return {name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)}
