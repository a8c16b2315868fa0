"""Which processes are found by what they inherited."""

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.desktop.linux.processes import MARK, end_marked, has_environment, marked

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


@pytest.mark.requires("desktop.nothing-left")
@pytest.mark.parametrize(
    ("state", "flags", "code", "environment", "has_one"),
    [
        ("S", 0, 4096, (8192, 9216), True),
        ("S", 0, 4096, (8192, 8192), False),  # started with none
        ("R", 0, 0, (0, 0), True),  # becoming another program: nothing is laid out yet
        ("R", 0, 0, (8192, 8192), True),  # becoming another program: its beginning is known, its end is not
        ("Z", 0, 0, (0, 0), False),
        ("S", 0x00200000, 0, (0, 0), False),  # of the kernel
    ],
)
def test_what_is_becoming_another_program_is_told_from_what_has_no_environment(
    state: str, flags: int, code: int, environment: tuple[int, int], *, has_one: bool
) -> None:
    before, between, after = [1, 1, 1, 0, -1], [0] * 16, [0] * 23
    fields = (state, *before, flags, *between, code, *after, *environment, 0)
    assert has_environment(f"123 (a ) name) {' '.join(map(str, fields))}\n".encode()) is has_one
