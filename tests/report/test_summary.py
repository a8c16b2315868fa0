"""The summary says what the journal says, in the keys that scripts rely on (contract 6)."""

from pathlib import Path

import pytest

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    CheckRun,
    ErrorData,
    Event,
    ModelAnswered,
    OutputWritten,
    SessionFinished,
    SessionStarted,
    StepStarted,
    SubtaskArchived,
    TargetData,
    TransitionTaken,
)
from deskhand.core.json import JsonObject
from deskhand.report.summary import summarise, summarise_events
from deskhand.store.journal import Journal
from report.demo_session import write_demo_session
from store.clocks import StillClock

STARTED = SessionStarted(session_id="s1", version="0.1.0", request="Chart it", model="m", desktop=":7", at=100.0)
FOLDER = Path("/out/log")


def edge(machine: str, source: str, to: str, cause: str) -> TransitionTaken:
    return TransitionTaken(agent="a", machine=machine, source=source, to=to, cause=cause, trigger="reply", at=103.0)


def answer(cost: float | None) -> ModelAnswered:
    return ModelAnswered(
        step=1, agent="a", model="m", attempt=1, seconds=1.0, input_tokens=100, output_tokens=7, cost_usd=cost, at=102.0
    )


EVENTS: list[Event] = [
    STARTED,
    StepStarted(step=1, agent="HostAgent", round=1, state="CONTINUE", at=101.0),
    answer(0.25),
    answer(0.5),
    edge("host", "CONTINUE", "ASSIGN", "llm"),
    edge("host", "ASSIGN", "app:CONTINUE", "system"),
    StepStarted(step=2, agent="AppAgent", round=1, state="CONTINUE", at=104.0),
    SubtaskArchived(agent="AppAgent", subtask="Read", application="writer", status="FINISH", outcome="success"),
    OutputWritten(path="/out/sales.ods"),
    OutputWritten(path="/out/sales.ods"),
    CheckRun(step=1, name="chart", ok=False, detail="no chart"),
    SessionFinished(
        outcome="failed",
        reason="a check failed",
        seconds=7.5,
        error=ErrorData(type="CheckFailed", message="no chart", fix="look", candidates=["x"]),
        at=108.0,
    ),
]


def test_a_hand_written_session_has_exactly_this_summary() -> None:
    summary = summarise_events(EVENTS, FOLDER, report=Path("/out/report.html"))
    assert summary.to_json() == {
        "outcome": "failed",
        "reason": "a check failed",
        "request": "Chart it",
        "session_id": "s1",
        "session_dir": "/out/log",
        "documents": [],
        "outputs": ["/out/sales.ods"],
        "report": "/out/report.html",
        "steps": 2,
        "model_calls": 2,
        "tokens": {"input": 200, "output": 14},
        "cost_usd": 0.75,
        "wall_s": 7.5,
        "transitions": [
            {"machine": "host", "from": "CONTINUE", "to": "ASSIGN", "cause": "llm"},
            {"machine": "host", "from": "ASSIGN", "to": "app:CONTINUE", "cause": "system"},
        ],
        "subtasks": [{"subtask": "Read", "application": "writer", "status": "FINISH", "outcome": "success"}],
        "checks": [{"name": "chart", "ok": False, "detail": "no chart"}],
        "error": {"type": "CheckFailed", "message": "no chart", "fix": "look"},
    }


def test_one_unknown_price_makes_the_cost_unknown() -> None:
    assert summarise_events([STARTED, answer(0.25), answer(None)], FOLDER).cost_usd is None


def test_a_session_without_model_calls_cost_nothing() -> None:
    summary = summarise_events([STARTED], FOLDER)
    assert (summary.cost_usd, summary.model_calls) == (0.0, 0)


@pytest.mark.parametrize("before", [[], EVENTS], ids=["never finished", "started again after it had finished"])
def test_a_session_that_was_killed_is_an_error_that_says_so(before: list[Event]) -> None:
    intent = ActionIntended(step=1, agent="a", call_id="1", tool="click_input", arguments={}, at=130.0)
    summary = summarise_events([*before, STARTED, intent], FOLDER)
    assert summary.outcome == "error"
    assert "never recorded its end" in summary.reason
    assert "unknown: click_input" in summary.reason
    assert summary.wall_s == 30.0
    assert summary.error is not None
    assert summary.error.fix


def test_an_empty_journal_still_has_a_summary() -> None:
    summary = summarise_events([], FOLDER)
    assert (summary.outcome, summary.request, summary.wall_s) == ("error", "", 0.0)


@pytest.mark.requires("journal.only-source")
def test_the_summary_is_read_from_the_journal(tmp_path: Path) -> None:
    events = write_demo_session(tmp_path)
    assert summarise(tmp_path) == summarise_events(events, tmp_path)
    assert summarise(tmp_path).outcome == "success"


@pytest.mark.requires("policy.typed-passwords")
def test_the_summary_tells_no_password(tmp_path: Path) -> None:
    target = TargetData(id="3", role="password", name="Password")
    arguments: JsonObject = {"text": "hunter2"}
    done = {"step": 1, "agent": "a", "call_id": "c", "tool": "set_edit_text", "arguments": arguments}
    subtask = {"agent": "a", "subtask": "Type hunter2", "application": "shop", "status": "FINISH"}
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(STARTED.model_copy(update={"request": "Log in with hunter2"}))
        journal.emit(ActionFinished.model_validate({**done, "target": target, "status": "success"}))
        journal.emit(SubtaskArchived.model_validate({**subtask, "outcome": "success"}))
        journal.emit(SessionFinished(outcome="success", reason="typed hunter2", seconds=1.0))
    told = summarise(tmp_path)
    assert (told.request, told.reason, told.subtasks[0].subtask) == ("Log in with •••", "typed •••", "Type •••")
    assert (told.session_id, told.outcome) == ("s1", "success")
