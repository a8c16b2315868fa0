"""Whatever models say, people do and desktops suffer: every session ends as it should, and its journal says so."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    ConfirmationDecided,
    Event,
    ProblemMet,
    RoundFinished,
    RoundStarted,
    StepFinished,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TransitionTaken,
    VerdictGiven,
)
from deskhand.core.outcomes import Outcome
from deskhand.states import packaged_table
from deskhand.store.journal import unfinished_intents
from session.random_programs import PROGRAMS, Played, Program, play
from support import FULL

pytestmark = pytest.mark.long

STEPS = 25_000 if FULL else 300
"""Of each of the four kinds of sessions."""
AT_A_TIME = 20
KINDS: Mapping[str, Mapping[str, object]] = {
    "with a host": {},
    "without a host": {"hostless": True},
    "following a plan": {"mode": "follower"},
    "nothing asked": {"ask_question": False, "safe_guard": False},
}


@pytest.mark.requires("round.random", "state.confirm", "round.finalised-once", "round.outcome", "journal.write-ahead")
@pytest.mark.parametrize("kind", KINDS)
def test_every_session_ends_as_it_should(kind: str, tmp_path: Path) -> None:
    played: Counter[str] = Counter()

    def hold(program: Program) -> None:
        it = play(replace(program, settings={**program.settings, **KINDS[kind]}), tmp_path)
        played["steps"] += len(it.stage.events.of(StepStarted))
        played[it.ending.outcome.value if it.ending else "cancelled"] += 1
        check(it)

    for number in count():
        if played["steps"] >= STEPS:
            break
        seed(number)(SETTINGS(given(PROGRAMS)(hold)))()
    print(f"{kind}: {dict(played)}")  # noqa: T201 - how much was played


SETTINGS = settings(
    max_examples=AT_A_TIME,
    derandomize=False,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""The seed decides what is played."""


def check(played: Played) -> None:
    """Raises AssertionError where something does not hold."""
    events = played.stage.events.all
    assert_ended(played)
    assert_steps_finished(played, events)
    assert_edges_legal(events)
    assert_archived_once(played, events)
    assert_nothing_ran_unasked(events)
    assert_decisions_told(played, events)
    assert_success_deserved(played, events)


def assert_ended(played: Played) -> None:
    """Rounds start and finish in turn, with an outcome, and the session's follows from theirs."""
    rounds = [event for event in played.stage.events.all if isinstance(event, RoundStarted | RoundFinished)]
    assert [type(event) for event in rounds] == [RoundStarted, RoundFinished] * (len(rounds) // 2)
    outcomes = [Outcome(event.outcome) for event in rounds if isinstance(event, RoundFinished)]
    if played.ending is None:
        assert outcomes[-1:] in ([Outcome.CANCELLED], [])
        return
    first = next((outcome for outcome in outcomes if outcome is not Outcome.SUCCESS), None)
    assert played.ending.outcome in {first or Outcome.SUCCESS, Outcome.STEP_LIMIT}
    assert played.ending.exit_code == played.ending.outcome.exit_code


def assert_steps_finished(played: Played, events: list[Event]) -> None:
    """Steps are numbered in order and finished; an action has its result. Only a cancelled session leaves one open."""
    started = [event.step for event in events if isinstance(event, StepStarted)]
    finished = [event.step for event in events if isinstance(event, StepFinished)]
    assert started == list(range(1, len(started) + 1))
    assert len(started) <= played.stage.services.settings.max_step
    open_intents = unfinished_intents(events)
    if played.ending is None:
        assert started[: len(finished)] == finished
        assert len(started) - len(finished) <= 1
        assert len(open_intents) <= 1
    else:
        assert started == finished
        assert open_intents == []
    results = Counter(event.call_id for event in events if isinstance(event, ActionFinished))
    assert all(count == 1 for count in results.values())


def assert_edges_legal(events: list[Event]) -> None:
    """Every transition is a row, and starts where the one before it led."""
    rows = {(e.machine, e.source, e.to, e.cause.value, e.trigger) for e in packaged_table()}
    at: dict[str, str] = {}
    for event in events:
        if isinstance(event, RoundStarted):
            at.clear()
        elif isinstance(event, TransitionTaken):
            assert (event.machine, event.source, event.to, event.cause, event.trigger) in rows
            assert at.get("now", event.source) == event.source
            at["now"] = event.to.rpartition(":")[2]


def assert_archived_once(played: Played, events: list[Event]) -> None:
    """Each subtask that was assigned, or is the request itself, is archived once, before the round finishes."""
    for in_round in rounds_of(events):
        turns = [event for event in in_round if isinstance(event, SubtaskAssigned | SubtaskArchived)]
        if any(isinstance(event, SubtaskAssigned) for event in turns):
            assert [type(event) for event in turns] == [SubtaskAssigned, SubtaskArchived] * (len(turns) // 2)
        elif turns:
            assert [event.agent for event in turns] == ["AppAgent"]
    archived = [e.outcome for e in events if isinstance(e, SubtaskArchived)]
    assert archived == [record.outcome for record in played.stage.context.previous_subtasks]


def rounds_of(events: list[Event]) -> Iterator[list[Event]]:
    current: list[Event] = []
    for event in events:
        if isinstance(event, RoundStarted):
            current = []
        current.append(event)
        if isinstance(event, RoundFinished):
            yield current


def assert_nothing_ran_unasked(events: list[Event]) -> None:
    """What is held runs after an approval (or with the guard off) and never else; nothing at all runs meanwhile."""
    allowed: set[str] = set()
    held: set[str] = set()
    lost: set[str] = set()
    waiting = False
    for event in events:
        if isinstance(event, VerdictGiven) and event.decision == "allow":
            allowed.add(event.call_id)
        elif isinstance(event, ActionsHeld):
            held, waiting = set(event.call_ids), True
        elif isinstance(event, ConfirmationDecided):
            waiting = False
            (allowed if event.decision in {"approved", "off"} else lost).update(held)
        elif isinstance(event, RoundFinished):
            lost |= held if waiting else set()
            waiting = False
        elif isinstance(event, ActionIntended):
            assert not waiting
            assert event.call_id in allowed
            assert event.call_id not in lost


def assert_decisions_told(played: Played, events: list[Event]) -> None:
    """The journal says of each confirmation what the person decided, and approves of nothing else."""
    told = [e.decision for e in events if isinstance(e, ConfirmationDecided) and e.decision in {"approved", "rejected"}]
    assert told == ["approved" if decision else "rejected" for decision in played.decided if decision is not None]


def assert_success_deserved(played: Played, events: list[Event]) -> None:
    """A round is a success only where its last subtask is, and every rejection was made good."""
    for in_round in rounds_of(events):
        finished = in_round[-1]
        archived = [event for event in in_round if isinstance(event, SubtaskArchived)]
        assert isinstance(finished, RoundFinished)
        if finished.outcome == Outcome.SUCCESS and archived:
            last_word = {e.agent: e.outcome for e in archived if e.outcome in {"rejected", "success"}}
            assert archived[-1].outcome == Outcome.SUCCESS
            assert "rejected" not in last_word.values()
    assert "Forbidden" not in played.pressed
    assert not [event for event in events if isinstance(event, ProblemMet) and event.where.startswith("state ")]
