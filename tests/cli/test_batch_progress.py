"""Progress of the tasks of a batch, as a person reads it."""

import io

import pytest
from rich.console import Console as Rich

from deskhand.cli.batch_progress import BatchProgress
from deskhand.core.outcomes import Outcome
from deskhand.session.plan_file import Task

ONE, TWO, THREE = (Task(id=name, task=f"Do {name}") for name in ("one", "two", "three"))


def progress(now: list[float], *, terminal: bool = False) -> tuple[BatchProgress, io.StringIO]:
    stream = io.StringIO()
    console = Rich(file=stream, width=60, force_terminal=terminal, color_system=None, legacy_windows=False)
    return BatchProgress(3, 2, console=console, clock=lambda: now[0]), stream


@pytest.mark.requires("cli.workers")
def test_without_a_terminal_there_are_lines_and_an_estimate() -> None:
    now = [100.0]
    shown, stream = progress(now)
    with shown:
        shown.began(ONE)
        shown.began(TWO)
        shown.stepped(ONE, 3, 'invoke button "Add"')
        now[0] += 10
        shown.ended(ONE, Outcome.SUCCESS, "added\x1b[2J")
        shown.began(THREE)
        now[0] += 2
        shown.ended(TWO, Outcome.FAILED, "no such window")
    assert stream.getvalue().splitlines() == [
        "task one began: Do one",
        "task two began: Do two",
        "task one: success after 10.00 s, added\ufffd[2J",
        "1 of 3 ended, about 5 s left",
        "task three began: Do three",
        "task two: failed after 12.00 s, no such window",
        "2 of 3 ended, 1 without success, about 4 s left",
    ]


@pytest.mark.requires("cli.workers")
def test_on_a_terminal_a_table_shows_what_each_running_task_does() -> None:
    now = [100.0]
    shown, stream = progress(now, terminal=True)
    with shown:
        shown.began(ONE)
        shown.stepped(ONE, 3, 'invoke button "A very long name of a button that no line has room for"')
        shown.stepped(ONE, 4, "")
        now[0] += 10
    table = stream.getvalue()
    assert "one  10.00 s  step 4  invoke button" in table
    assert "…" in table
    assert "0 of 3 ended" in table


@pytest.mark.requires("cli.detail")
def test_quiet_prints_tasks_without_success_alone() -> None:
    shown, stream = progress([0.0], terminal=True)
    shown.quiet = True
    with shown:
        for task in (ONE, TWO):
            shown.began(task)
        shown.ended(ONE, Outcome.SUCCESS, "added")
        shown.ended(TWO, Outcome.FAILED, "no such window")
    assert stream.getvalue() == "task two: failed after 0 ms, no such window\n"
