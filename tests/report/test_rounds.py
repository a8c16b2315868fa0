"""A session of several rounds, told."""

from pathlib import Path

import pytest

from deskhand.core.events import (
    Event,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepStarted,
    TransitionTaken,
)
from deskhand.core.json import JsonObject
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise_events
from deskhand.report.timeline import build_timeline, visits
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal

HOST = "HostAgent"


def edge(source: str, to: str) -> TransitionTaken:
    return TransitionTaken(agent=HOST, machine="host", source=source, to=to, cause="llm", trigger="reply")


FIRST: list[Event] = [
    RoundStarted(round=1, request="Open <it>"),
    StepStarted(step=1, agent=HOST, round=1, state="CONTINUE"),
    edge("CONTINUE", "FINISH"),
    RoundFinished(round=1, outcome="success", reason="it is open", seconds=1.0),
]
SECOND: list[Event] = [
    RoundStarted(round=2, request="Close it"),
    edge("CONTINUE", "FAIL"),
    edge("FAIL", "FINISH"),
    RoundFinished(round=2, outcome="failed", reason="it is stuck", seconds=1.0),
]
STARTED = SessionStarted(session_id="s", version="1", request="Open <it>", model="m", desktop="d")
ENDED = SessionFinished(outcome="failed", reason="it is stuck", seconds=2.0)
TWO: list[Event] = [STARTED, *FIRST, *SECOND, ENDED]


@pytest.mark.requires("report.rounds")
def test_each_round_is_told_with_its_request_and_outcome(tmp_path: Path) -> None:
    summary = summarise_events(TWO, tmp_path)
    asked_nothing: JsonObject = {"model_calls": 0, "tokens": {"input": 0, "output": 0}, "cost_usd": 0.0}
    assert summary.to_json()["rounds"] == [
        {"round": 1, "request": "Open <it>", "outcome": "success", "reason": "it is open", **asked_nothing},
        {"round": 2, "request": "Close it", "outcome": "failed", "reason": "it is stuck", **asked_nothing},
    ]
    assert (summary.request, summary.outcome) == ("Open <it>", "failed")


@pytest.mark.requires("report.rounds")
def test_one_round_is_the_session_itself(tmp_path: Path) -> None:
    assert "rounds" not in summarise_events([STARTED, *FIRST, ENDED], tmp_path).to_json()


def test_a_round_that_was_cut_off_is_an_error(tmp_path: Path) -> None:
    assert [r.outcome for r in summarise_events(TWO[:-3], tmp_path).rounds] == ["success", "error"]


@pytest.mark.requires("report.rounds")
def test_a_new_round_does_not_go_on_from_the_last_one_s_end() -> None:
    assert [(v.round, v.state) for v in visits(build_timeline(TWO))] == [
        (1, "CONTINUE"),
        (1, "FINISH"),
        (2, "CONTINUE"),
        (2, "FAIL"),
        (2, "FINISH"),
    ]


@pytest.mark.requires("report.rounds")
def test_the_pages_list_the_rounds(tmp_path: Path) -> None:
    with Journal(tmp_path, SystemClock()) as journal:
        for event in TWO:
            journal.emit(event)
    page = render_report(tmp_path)
    for told in ('href="#round-2"', 'id="round-2"', "Open &lt;it&gt;", "Close it", '<li class="turn">Round 2</li>'):
        assert told in page
    assert "| 2 | Close it | failed | it is stuck |" in render_markdown(tmp_path)
