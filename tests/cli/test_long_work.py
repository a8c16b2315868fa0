"""The row of work that takes long."""

import io
import threading
from pathlib import Path

import pytest
from rich.console import Console as Rich

from deskhand.cli.long_work import AFTER_S, LongWork
from deskhand.knowledge.learning import learn_path
from deskhand.knowledge.store import KnowledgeStore
from support import wait_for

pytestmark = pytest.mark.requires("cli.long-work")


def work(*, terminal: bool = True, after_s: float = 0.0) -> tuple[LongWork, io.StringIO]:
    stream = io.StringIO()
    console = Rich(file=stream, width=80, force_terminal=terminal, color_system=None, legacy_windows=False)
    times = iter([0.0])
    return LongWork("learning", console, after_s=after_s, clock=lambda: next(times, 7.0)), stream


def test_it_is_shown_after_its_time_and_gone_at_the_end() -> None:
    long, stream = work()
    with long:
        long.seen(3, 12)
        assert wait_for(lambda: "3 of 12, 7 s" in stream.getvalue())
    assert stream.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_work_that_ends_sooner_shows_nothing() -> None:
    long, stream = work(after_s=60.0)
    with long:
        pass
    assert stream.getvalue() == ""
    assert AFTER_S == 2.0


def test_without_a_terminal_there_is_nothing() -> None:
    long, stream = work(terminal=False)
    before = threading.active_count()
    with long:
        assert threading.active_count() == before
    assert stream.getvalue() == ""


def test_without_a_number_it_has_its_seconds_and_with_one_a_bar() -> None:
    long, _ = work()
    assert long.row().plain == "learning … 7 s"
    long.seen(5, 10)
    assert long.row().plain == "learning ██████████░░░░░░░░░░ 5 of 10, 7 s"


def test_learning_reports_each_file(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nPress the button.\n")
    seen: list[tuple[int, int]] = []
    with KnowledgeStore(tmp_path / "knowledge.sqlite") as store:
        learn_path(store, tmp_path, at=1.0, seen=lambda done, every: seen.append((done, every)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
