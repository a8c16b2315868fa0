"""Recorded sessions, as a run leaves them in the folder of sessions."""

from collections.abc import Sequence
from pathlib import Path

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    Event,
    ModelAnswered,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepFinished,
    StepStarted,
    TargetData,
    VerdictGiven,
)
from deskhand.session.clock import SystemClock
from deskhand.session.session_folders import sessions_folder
from deskhand.store.journal import Journal

DAY_S = 86_400.0
BUTTON = TargetData(id="7", role="button", name="Save")


def events_of(session_id: str, *, at: float, outcome: str = "success", steps: int = 2) -> list[Event]:
    """A session that clicks Save once a step, in one second each; `outcome` empty: it was killed in its last step."""
    events: list[Event] = [
        SessionStarted(
            session_id=session_id, version="0.1.0", request="Save it", model="test:m", desktop="virtual", at=at
        ),
        RoundStarted(round=1, request="Save it", at=at),
    ]
    for step in range(1, steps + 1):
        then = at + step
        call = {"step": step, "agent": "AppAgent", "call_id": f"c{step}", "tool": "click_input", "target": BUTTON}
        events += [
            StepStarted(step=step, agent="AppAgent", round=1, state="CONTINUE", at=then),
            ModelAnswered(step=step, agent="AppAgent", model="test:m", attempt=1, seconds=0.5, cost_usd=0.01, at=then),
            VerdictGiven.model_validate({**call, "decision": "allow", "rule": "default", "at": then}),
            ActionIntended.model_validate({**call, "at": then}),
        ]
        if step == steps and not outcome:
            return events
        events += [
            ActionFinished.model_validate({**call, "status": "success", "effect": "confirmed", "at": then}),
            StepFinished(step=step, agent="AppAgent", status="CONTINUE", ok=True, seconds=1.0, at=then),
        ]
    end = at + steps + 1
    return [
        *events,
        RoundFinished(round=1, outcome=outcome, reason="saved", seconds=steps + 1.0, at=end),
        SessionFinished(outcome=outcome, reason="saved", seconds=steps + 1.0, at=end),
    ]


def write(folder: Path, events: Sequence[Event]) -> Path:
    with Journal(folder, SystemClock()) as journal:
        for event in events:
            journal.emit(event)
    return folder


def record(session_id: str, *, at: float = 1_795_000_000.0, outcome: str = "success", steps: int = 2) -> Path:
    """Write a session among those of this user, and return its folder."""
    return write(sessions_folder() / session_id, events_of(session_id, at=at, outcome=outcome, steps=steps))
