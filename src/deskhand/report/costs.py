"""Tokens and costs of a session, added up by step, subtask and round."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from deskhand.core.events import (
    Event,
    ModelAnswered,
    ModelAsked,
    RoundStarted,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
)


@dataclass(slots=True)
class Spent:
    """Usage of several model calls. `cost_usd` None: the price of one is unknown, and so is the sum."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cost_usd: float | None = 0.0

    def add(self, call: ModelAnswered | None) -> None:
        """Add a call; None: one that was abandoned before its end, so that its usage is unknown."""
        self.calls += 1
        if call is None:
            self.cost_usd = None
            return
        self.input += call.input_tokens
        self.output += call.output_tokens
        self.cost_usd = None if self.cost_usd is None or call.cost_usd is None else self.cost_usd + call.cost_usd


@dataclass(slots=True)
class Spending:
    """Usage by step and by round, under their numbers; by subtask, in the order in which they ended.

    A step has the calls of its own agent. A subtask has those of its agent; calls of the host and of the evaluation are
    only in the round. A call that was running when the session was stopped counts too.
    """

    session: Spent = field(default_factory=Spent)
    rounds: dict[int, Spent] = field(default_factory=dict[int, Spent])
    subtasks: list[Spent] = field(default_factory=list[Spent])
    steps: dict[int, Spent] = field(default_factory=dict[int, Spent])


def spending(events: Iterable[Event]) -> Spending:
    """Add up the calls of a session's events."""
    sums = _Sums()
    for event in events:
        sums.take(event)
    sums.give_up()
    return sums.found


@dataclass(slots=True)
class _Sums:
    """Sums so far. `under_way`: the call without an answer yet."""

    found: Spending = field(default_factory=Spending)
    agents: dict[int, str] = field(default_factory=dict[int, str])
    open_subtasks: dict[str, Spent] = field(default_factory=dict[str, Spent])
    round: int = 0
    under_way: ModelAsked | None = None

    def take(self, event: Event) -> None:
        match event:
            case RoundStarted():
                self.round = event.round
                self.found.rounds[event.round] = Spent()
                self.open_subtasks.clear()
            case StepStarted():
                self.agents[event.step] = event.agent
                self.found.steps[event.step] = Spent()
            case SubtaskAssigned():
                self.open_subtasks[event.agent] = Spent()
            case SubtaskArchived():
                self.give_up()
                self.found.subtasks.append(self.open_subtasks.pop(event.agent, Spent()))
            case ModelAsked():
                self.under_way = event
            case ModelAnswered():
                self.under_way = None
                self._add(event, event.step, event.agent)
            case _:
                pass

    def give_up(self) -> None:
        """Count a call that was abandoned."""
        if self.under_way is not None:
            self._add(None, self.under_way.step, self.under_way.agent)
            self.under_way = None

    def _add(self, call: ModelAnswered | None, step: int, agent: str) -> None:
        self.found.session.add(call)
        self.found.rounds.setdefault(self.round, Spent()).add(call)
        self.open_subtasks.setdefault(agent, Spent()).add(call)
        if self.agents.get(step) == agent:
            self.found.steps[step].add(call)
