"""Which processes are found by what they inherited."""

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.desktop.linux.processes import MARK, end_marked, marked

LOOKS = 200


@pytest.fixture
def restless(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A process that becomes another program all the time, and what marks it."""
    script, mark = tmp_path / "again.sh", uuid.uuid4().hex
    script.write_text('exec sh "$0"\n')
    with subprocess.Popen(["sh", script], env={MARK: mark, "PATH": "/usr/bin:/bin"}) as process:
        yield process.pid, mark
        end_marked(mark)


@pytest.mark.requires("desktop.nothing-left")
def test_a_process_that_is_becoming_another_program_is_not_overlooked(restless: tuple[int, str]) -> None:
    pid, mark = restless
    seen = [marked(mark) for _ in range(LOOKS)]
    assert seen.count({pid}) == LOOKS, f"overlooked in {seen.count(set())} of {LOOKS} looks"
