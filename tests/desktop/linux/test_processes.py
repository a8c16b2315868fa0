"""Which processes are found by what they inherited."""

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.desktop.linux.runtime.process_table import renderers_of, work_of
from deskhand.desktop.mark import MARK
from deskhand.desktop.processes import end_marked, has_environment, marked

LOOKS = 200


@pytest.fixture
def restless(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A process that becomes another program all the time, and what marks it."""
    script, mark = tmp_path / "again.sh", uuid.uuid4().hex
    script.write_text('exec sh "$0"\n')
    with subprocess.Popen(["sh", script], env={MARK: mark, "PATH": "/usr/bin:/bin"}) as process:
        yield process.pid, mark
        end_marked(mark)


@pytest.mark.long
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


@pytest.mark.requires("desktop.at-rest")
@pytest.mark.parametrize(
    ("spent", "state", "known"),
    [("7000 20 3", "S", True), ("7000 20 3", "R", False), ("0 0 0", "S", False), ("", "S", False)],
)
def test_nobody_knows_the_work_of_a_process_of_which_the_kernel_does_not_count_it(
    tmp_path: Path, spent: str, state: str, *, known: bool
) -> None:
    for thread in ("7", "8"):
        task = tmp_path / "7" / "task" / thread
        task.mkdir(parents=True)
        (task / "stat").write_text(f"{thread} (a) name) {state if thread == '8' else 'S'} 1 7 7 0\n")
        if spent:
            (task / "schedstat").write_text(f"{spent}\n" if thread == "8" else "5000 10 2\n")
    assert bool(work_of(7, str(tmp_path))) is known


@pytest.mark.requires("desktop.settle-pages")
def test_the_renderers_of_a_browser_are_those_that_its_threads_and_their_own_started(tmp_path: Path) -> None:
    def process(pid: int, cmdline: bytes, **threads: str) -> None:
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "cmdline").write_bytes(cmdline)
        for thread, started in threads.items():
            task = tmp_path / str(pid) / "task" / thread
            task.mkdir(parents=True)
            (task / "children").write_text(started)

    process(7, b"/usr/bin/browser\0--app=x --type=renderer y\0", t7="8 ", t70="9 20 ")
    process(8, b"/usr/bin/browser --type=zygote --no-sandbox ", t8="10 11 ")
    process(9, b"/usr/bin/browser\0--type=gpu-process\0", t9="")
    process(10, b"/usr/bin/browser --type=renderer --lang=en ", t10="")
    process(11, b"/usr/bin/browser\0--type=renderer\0--lang=en\0", t11="")
    process(12, b"/usr/bin/browser\0--type=renderer\0", t12="")  # of another one
    assert renderers_of(7, str(tmp_path)) == {10, 11}  # 20 is gone already
    assert renderers_of(9, str(tmp_path)) == renderers_of(20, str(tmp_path)) == frozenset()
