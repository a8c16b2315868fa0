"""Tokens and money of a session, added up by step, subtask and round; the sums are those of its calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from deskhand.core.events import Event, ModelAnswered, RoundStarted, StepStarted, SubtaskArchived, SubtaskAssigned


@dataclass(slots=True)
class Spent:
    """What model calls took together. `cost_usd` None: the price of one is unknown, so that of all of them is."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cost_usd: float | None = 0.0

    def add(self, call: ModelAnswered) -> None:
        self.calls += 1
        self.input += call.input_tokens
        self.output += call.output_tokens
        self.cost_usd = None if self.cost_usd is None or call.cost_usd is None else self.cost_usd + call.cost_usd


@dataclass(slots=True)
class Spending:
    """By step and by round, under their numbers; by subtask, in the order in which they ended.

    A step has the calls of its own agent. A subtask has those of the agent that it was given to; what the host asked,
    and whoever judges, is in the round alone.
    """

    session: Spent = field(default_factory=Spent)
    rounds: dict[int, Spent] = field(default_factory=dict[int, Spent])
    subtasks: list[Spent] = field(default_factory=list[Spent])
    steps: dict[int, Spent] = field(default_factory=dict[int, Spent])


def spending(events: Iterable[Event]) -> Spending:
    """Adds up the calls of a session's events."""
    found = Spending()
    agents: dict[int, str] = {}
    open_subtasks: dict[str, Spent] = {}
    current = 0
    for event in events:
        match event:
            case RoundStarted():
                current = event.round
                found.rounds[current] = Spent()
                open_subtasks.clear()
            case StepStarted():
                agents[event.step] = event.agent
                found.steps[event.step] = Spent()
            case SubtaskAssigned():
                open_subtasks[event.agent] = Spent()
            case SubtaskArchived():
                found.subtasks.append(open_subtasks.pop(event.agent, Spent()))
            case ModelAnswered():
                found.session.add(event)
                found.rounds.setdefault(current, Spent()).add(event)
                open_subtasks.setdefault(event.agent, Spent()).add(event)
                if agents.get(event.step) == event.agent:
                    found.steps[event.step].add(event)
            case _:
                pass
    return found
