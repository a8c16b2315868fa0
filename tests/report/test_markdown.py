"""The Markdown report is short, and text from outside stays text."""

from pathlib import Path

import pytest

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ErrorData,
    PauseBegan,
    PauseEnded,
    SessionStarted,
    StepStarted,
    TransitionTaken,
)
from deskhand.report.html import render_report
from deskhand.report.markdown import one_line, render_markdown
from deskhand.store.journal import Journal
from report.demo_session import write_demo_session
from store.clocks import StillClock


def test_the_demo_in_markdown(tmp_path: Path) -> None:
    write_demo_session(tmp_path)
    lines = render_markdown(tmp_path).splitlines()
    assert lines[0].startswith("# SUCCESS: Extract the sales table")
    assert "14 steps, 14 model calls, 8.46 s, cost $0. Session `2026-01-05T08-00-00-4f2a`." in lines
    assert "| ok | cells | 20 cells equal the table of the document |" in lines
    assert "| Read the sales table | writer | FINISH | success |" in lines
    read = r"| 2 | AppAgent\(writer\) | CONTINUE | read\_table table Sales | success | "
    expected = read + "5 rows and 4 columns, read twice with the same result | FINISH | 310 ms |"
    assert expected in lines
    assert not [line for line in lines if "Pauses" in line]


@pytest.mark.requires("state.own-states")
def test_the_states_a_session_took_are_drawn_also_one_that_plugged_in(tmp_path: Path) -> None:
    def took(machine: str, source: str, to: str, cause: str = "llm") -> TransitionTaken:
        return TransitionTaken(agent="a", machine=machine, source=source, to=to, cause=cause, trigger="reply")

    with Journal(tmp_path, StillClock()) as journal:
        for edge in (
            took("app", "CONTINUE", "REVIEW"),
            took("app", "REVIEW", "REVIEW"),
            took("app", "REVIEW", "REVIEW"),
            took("app", "REVIEW", "host:CONTINUE", "system"),
            took("my machine", "ODD-ONE", "FINISH"),
        ):
            journal.emit(edge)
    page = render_markdown(tmp_path)
    assert page.partition("stateDiagram-v2\n")[2].partition("```")[0].splitlines() == [
        "    app_CONTINUE --> app_REVIEW: llm",
        "    app_REVIEW --> app_REVIEW: llm ×2",
        "    app_REVIEW --> host_CONTINUE: system",
        "    my_machine_ODD_ONE --> my_machine_FINISH: llm",
    ]


def acted(evidence: str, error: ErrorData | None = None) -> ActionFinished:
    return ActionFinished(
        step=1,
        agent="a",
        call_id=evidence,
        tool="go",
        status="failure",
        effect="refused",
        evidence=evidence,
        error=error,
    )


@pytest.mark.requires("report.evidence")
def test_each_action_has_its_evidence_cut_short_or_why_there_is_none(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(StepStarted(step=1, agent="a", round=1, state="CONTINUE"))
        journal.emit(acted("it read\n| a | before"))
        journal.emit(acted("x" * 1000))
        journal.emit(acted("", ErrorData(type="ElementStale", message="it is gone")))
    (row,) = [line for line in render_markdown(tmp_path).splitlines() if line.startswith("| 1 |")]
    assert rf"| it read \| a \| before<br>{'x' * 297}…<br>it is gone |" in row


@pytest.mark.requires("guard.told")
def test_pauses_are_told_with_their_reason_their_end_and_their_time(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(StepStarted(step=1, agent="a", round=1, state="CONTINUE"))
        journal.emit(PauseBegan(reason="the user moved the pointer", step=1))
        journal.emit(PauseEnded(how="quiet", seconds=4.5, step=1))
        journal.emit(PauseBegan(reason="the user pressed a key", step=1))
        journal.emit(PauseEnded(how="timeout", seconds=300.0, step=1))
        journal.emit(PauseBegan(reason="the user clicked", step=1))
    told = render_markdown(tmp_path)
    assert "## Pauses, in which nothing was sent\n" in told
    assert "| 1 | the user moved the pointer | went on | 4.50 s |" in told
    assert "| 1 | the user pressed a key | the user was still active | 5 min 0 s |" in told
    assert "| 1 | the user clicked | unknown |  |" in told
    page = render_report(tmp_path)
    assert "<dt>Waited for a person</dt><dd>5 min 4 s</dd>" in page
    assert 'Waited in step 1, nothing was sent: <span class="words">the user moved the pointer</span>' in page
    assert 'The user was still active <span class="quiet">after 5 min 0 s</span>' in page


def test_text_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(
            SessionStarted(session_id="s", version="1", request="a\n# b <script> | c", model="m", desktop="d", at=1.0)
        )
        journal.emit(StepStarted(step=1, agent="x|y", round=1, state="CONTINUE", at=1.0))
        journal.emit(ActionIntended(step=1, agent="x|y", call_id="1", tool="go", arguments={}, at=1.0))
    text = render_markdown(tmp_path)
    assert text.startswith("# ERROR: a \\# b \\<script\\> \\| c\n")
    assert r"| 1 | x\|y | CONTINUE | go | unknown |  | did not end | 0 ms |" in text


def test_every_mark_of_markdown_is_escaped() -> None:
    assert one_line("`*_[](#)\n|") == r"\`\*\_\[\]\(\#\) \|"
