"""The rest of a program before a wait for quiet, on a clock that is set, with process files of our own."""

from pathlib import Path

import pytest

from deskhand.desktop.linux.idle.rest import Rest
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.notifier import Pulse

pytestmark = pytest.mark.requires("desktop.settle-rest")

PID = 7


class Program:
    """A process whose main thread has worked so long, and what is known of its rest."""

    def __init__(self, processes: Path) -> None:
        self.now_s, self.worked_s = 100.0, 1.0
        self.task = processes / f"{PID}/task/{PID}"
        self.task.mkdir(parents=True)
        self.activity = Activity(Pulse(), lambda: self.now_s)
        self.rest = Rest(self.activity, processes)
        self.lives()

    def lives(self, seconds: float = 0.0, *, works: float = 0.0, state: str = "S") -> None:
        self.now_s += seconds
        self.worked_s += works
        (self.task / "stat").write_text(f"{PID} (program) {state} 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n")
        (self.task / "schedstat").write_text(f"{int(self.worked_s * 1e9)} 0 1")

    def is_read(self, seconds: float) -> None:
        with self.rest.reading(PID):
            self.lives(seconds, works=seconds)

    @property
    def rested_s(self) -> float:
        return round(self.now_s - self.rest.since_s(PID), 3)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_a_program_that_only_answered_has_been_at_rest_since_it_was_first_read(program: Program) -> None:
    program.is_read(0.1)
    program.lives(0.12)
    program.is_read(0.02)
    program.lives(0.01)
    assert program.rested_s == 0.25


def test_work_between_two_reads_ends_its_rest(program: Program) -> None:
    program.is_read(0.1)
    program.lives(0.12, works=0.05)
    program.is_read(0.02)
    program.lives(0.01)
    assert program.rested_s == 0.03


def test_an_action_ends_its_rest(program: Program) -> None:
    program.is_read(0.1)
    program.activity.acted()
    program.lives(0.02)
    assert program.rested_s == 0.02


@pytest.mark.parametrize("state", ["T", "Z"])
def test_a_program_that_is_stopped_or_ended_is_not_at_rest(program: Program, state: str) -> None:
    program.is_read(0.1)
    program.lives(0.1, state=state)
    assert program.rested_s == 0


def test_nothing_is_known_of_a_program_that_was_not_read(program: Program) -> None:
    program.is_read(0.1)
    program.lives(0.1)
    assert program.rest.since_s(8) == program.rest.since_s(None) == program.now_s
