"""A session that is killed at any write of its journal has each effect once, whoever continues it (ADR 0119).

With DESKHAND_TRIALS=full at every write; otherwise at twelve places, three of them followed by a second kill. Likewise
where the power is cut, and where its user stops it, at a few places.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Final, TypedDict

import pytest

from support import FULL
from two_applications import EFFECTS

PROGRAM: Final = Path(__file__).with_name("killed_session.py")
WRITES: Final = 200
"""Fewer than the session's journal has."""
SENDS: Final = "action_intended@7:after"
"""Right after the intent to press Send."""
PRESSES: Final = {"Save", "Send"}
"""Buttons: once their intent is written, nothing tells whether they were pressed until their effect is seen."""


class Told(TypedDict):
    """The line that the program prints about one point."""

    points: str
    killed: bool
    before: list[str]
    effects: list[str]
    kinds: list[str]
    outcome: str
    reason: str


def points() -> list[str]:
    """The places to be killed at, some of them twice."""
    if FULL:
        return [f"{number}:{when}" for number in range(2, WRITES) for when in ("before", "after")]
    random = Random(119)  # noqa: S311 - a sample
    once = [f"{random.randrange(2, WRITES)}:{random.choice(['before', 'after'])}" for _ in range(8)]
    twice = [f"{random.randrange(40, 150)}:before+{random.randrange(1, 12)}:after" for _ in range(3)]
    return [*once, *twice, SENDS]


def cuts() -> list[str]:
    """The places where the machine loses its power."""
    if FULL:
        return [
            f"{number}:{when}:{loss}"
            for number in range(3, WRITES)
            for when, loss in (("before", "lost"), ("after", "torn"))
        ]
    random = Random(126)  # noqa: S311 - a sample
    return [f"{random.randrange(40, WRITES)}:after:{random.choice(['lost', 'torn'])}" for _ in range(4)]


@pytest.mark.requires("resume.once")
def test_a_session_that_is_killed_anywhere_has_each_effect_once(tmp_path: Path) -> None:
    assert FULL or SENDS in once_each(swept(tmp_path, points()))


@pytest.mark.requires("resume.once", "journal.power")
def test_a_session_whose_last_commits_a_power_cut_lost_has_each_effect_once(tmp_path: Path) -> None:
    """Its applications live on, as one on another machine does."""
    once_each(swept(tmp_path, cuts()))


@pytest.mark.requires("resume.once", "resume.stopped")
def test_a_session_that_its_user_stopped_is_resumed_with_each_effect_once(tmp_path: Path) -> None:
    places = points() if FULL else [*points()[:4], SENDS]
    once_each(swept(tmp_path, [f"{place}:stopped" for place in places]), ends=2)


def once_each(points: list[Told], *, ends: int = 1) -> set[str]:
    """Check the sessions; return those that stopped at an action whose effect could not be seen.

    `ends`: how often each recorded its end.
    """
    unseen = set[str]()
    for told in points:
        done = told["effects"]
        assert told["killed"], told
        assert "session_resumed" in told["kinds"]
        assert (told["kinds"].count("session_started"), told["kinds"].count("session_finished")) == (1, ends)
        if told["outcome"] == "success":
            assert done == EFFECTS, told
            continue
        missing = EFFECTS[len(done)]
        unseen.add(told["points"])
        assert done == EFFECTS[: len(done)], told  # nothing came twice, and nothing after the unknown action
        assert missing in PRESSES, told
        assert f'invoke on button "{missing}" was sent in step' in told["reason"]
        assert "Whether it happened is unknown" in told["reason"]
    return unseen


def swept(folder: Path, where: list[str]) -> list[Told]:
    tests = PROGRAM.parent.parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tests)])}
    run = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder), *where], env=environment, capture_output=True, text=True, check=True
    )
    found: list[Told] = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(where)
    return found
