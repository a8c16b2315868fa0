"""A session rebuilt from its journal as it was at every moment (ADR 0119)."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from deskhand.agents import BasicAgent
from deskhand.core.events import (
    ConfirmationDecided,
    Event,
    SessionStarted,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
)
from deskhand.session.interrupted import AgentRecord, Interrupted
from deskhand.session.rebuild import interrupted
from stage import Events, Person, Stage, stage
from two_applications import Applications, model


@dataclass
class Watched(Events):
    """Events, and what the agents were like right before each of them."""

    watch: Callable[[], object] = lambda: None
    seen: list[object] = field(default_factory=list[object])

    def __post_init__(self) -> None:
        self.all: list[Event] = []

    def emit(self, event: Event) -> None:
        self.seen.append(self.watch())
        super().emit(event)


def live(it: Stage) -> dict[str, object]:
    """The session as it is in the process."""
    host, context = it.host, it.context
    return {
        "agents": [_agent(agent) for agent in (host, *host.appagent_dict.values())],
        "subtask": context.subtask,
        "fails": context.fails_of_round,
        "rejected": sorted(context.rejected_actions),
        "ended": [record.subtask for record in context.previous_subtasks],
        "data": it.services.blackboard.values(),
        "steps": context.session_step,
        "tokens": context.tokens,
    }


def _agent(agent: BasicAgent) -> dict[str, object]:
    return {
        "name": agent.name,
        "window": agent.root.handle if agent.root else "",
        "memory": [item.to_dict() for item in agent.memory.items],
        "steps": [replace(step, numbering=0) for step in agent.steps],
        "step": agent.step,
        "plan": agent.plan,
        "result": agent.result,
        "questions": agent.questions,
        "fails": agent.fails,
        "failed_steps": agent.failed_steps,
    }


def rebuilt(known: Interrupted) -> dict[str, object]:
    """The same of the session that its journal tells of."""
    return {
        "agents": [_rebuilt(agent) for agent in known.agents],
        "subtask": known.round.subtask if known.round else "",
        "fails": known.round.fails if known.round else 0,
        "rejected": sorted(known.round.rejected) if known.round else [],
        "ended": [record.subtask for record in known.previous_subtasks],
        "data": known.blackboard.values(),
        "steps": known.spending.steps,
        "tokens": known.spending.tokens,
    }


def _rebuilt(agent: AgentRecord) -> dict[str, object]:
    return {
        "name": agent.name,
        "window": agent.window.handle if agent.window else "",
        "memory": [item.to_dict() for item in agent.memory.items],
        "steps": list(agent.steps),
        "step": agent.step,
        "plan": agent.plan,
        "result": agent.result,
        "questions": agent.questions,
        "fails": agent.fails,
        "failed_steps": agent.failed_steps,
    }


async def watched(folder: Path, person: Person) -> tuple[Stage, Watched]:
    apps = Applications(folder / "effects.log")
    it = stage(apps.desktop, model(folder), log_path=folder, person=person)
    events = Watched(watch=lambda: live(it))
    it.events = it.context.events = events
    await it.run("Write it and send it")
    return it, events


STARTED = SessionStarted(session_id="s1", version="1", request="Write it", model="m", desktop="fake")
AFTERWARDS = (StepStarted, SubtaskAssigned, SubtaskArchived, ConfirmationDecided)
"""Events that are written after the change that they tell of."""


@pytest.mark.requires("resume.rebuilt")
@pytest.mark.parametrize("decides", [True, False], ids=["approved", "rejected"])
async def test_after_each_event_the_journal_tells_what_the_process_knew(tmp_path: Path, *, decides: bool) -> None:
    it, events = await watched(tmp_path, Person(decides=[decides]))
    compared = 0
    for cut in range(2, len(events.all)):
        known = interrupted([STARTED, *events.all[:cut]], tmp_path, it.services.blackboard.history_keys)
        assert known is not None
        then, now = events.seen[cut], rebuilt(known)
        if known.broken is not None or isinstance(events.all[cut], AFTERWARDS):
            continue  # what a step does is known when it is remembered
        assert now == then, f"after {events.all[cut - 1]!r}"
        compared += 1
    assert compared > 30
