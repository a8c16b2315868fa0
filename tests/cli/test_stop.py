"""`deskhand stop`: which one, and what is said."""

import os
import signal
from collections.abc import Iterator

import anyio
import pytest

from cli.driver import Console
from deskhand.session.running_sessions import announced

pytestmark = pytest.mark.requires("guard.stop")


class Hit:
    """Whether a signal came; it does nothing else."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, *_: object) -> None:
        self.times += 1


@pytest.fixture
def hit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hit]:
    """What `deskhand stop` does to this very process, which then does not end."""
    it = Hit()
    monkeypatch.setattr("deskhand.cli.stop.run_async", anyio.run)
    monkeypatch.setattr("deskhand.cli.stop._DEADLINE_S", 0.05)
    before = signal.signal(signal.SIGTERM, it)
    yield it
    signal.signal(signal.SIGTERM, before)


def test_where_nothing_runs_that_is_said(console: Console) -> None:
    done = console("stop", "--json")
    assert (done.code, done.item("error", "type")) == (2, "UsageError")
    assert console("stop", "--all", "--json").json == {"stopped": [], "left": []}


def test_the_only_one_is_meant(console: Console, hit: Hit) -> None:
    with announced("session", "20261120-x1", "virtual"):
        done = console("stop")
    assert (done.code, hit.times) == (1, 1)
    assert f"20261120-x1: session on virtual (process {os.getpid()}) has not ended" in done.err


@pytest.mark.parametrize("wanted", ["a1", "20261120-a1", "--all"])
def test_one_of_several_is_named_by_a_part_of_its_id(console: Console, hit: Hit, wanted: str) -> None:
    with announced("session", "20261120-a1", "virtual"), announced("session", "20261120-b2", ":3"):
        assert "several are running" in console("stop").err
        assert hit.times == 0
        left = console("stop", wanted, "--json").json["left"]
    assert left == (["20261120-a1", "20261120-b2"] if wanted == "--all" else ["20261120-a1"])


def test_what_is_not_there_is_told_with_what_is(console: Console, hit: Hit) -> None:
    with announced("deskhand mcp", "77", "shop"):
        done = console("stop", "nosuch", "--json")
    assert (done.code, hit.times) == (2, 0)
    assert "77: deskhand mcp on shop" in str(done.item("error", "fix"))
