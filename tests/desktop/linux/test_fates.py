"""How the program of a window ended is known where it was started here, and is never guessed."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.runtime.launcher import LocalPrograms
from deskhand.desktop.linux.runtime.program_exits import ProgramExits
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus
from support import wait_until_ended

RUNS, ENDED, UNKNOWN = (ProgramStatus(state) for state in (ProgramState.RUNS, ProgramState.ENDED, ProgramState.UNKNOWN))


def window_of(pid: int) -> TargetInfo:
    return TargetInfo(TargetKind.WINDOW, "Shop", Role.WINDOW, handle="x11:0x1", pid=pid)


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    return "asyncio"


def died(how: str) -> ProgramStatus:
    return ProgramStatus(ProgramState.DIED, how)


@pytest.mark.requires("desktop.program-status")
@pytest.mark.parametrize(
    ("script", "ended"),
    [
        ("read go < {fifo}", ENDED),
        ("read go < {fifo}; exit 3", died("exit code 3")),
        ("read go < {fifo}; kill -SEGV $$", died("signal 11")),
    ],
)
async def test_the_end_of_a_program_that_was_started_here_is_known(
    tmp_path: Path, script: str, ended: ProgramStatus
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    programs = LocalPrograms(os.environ)
    program_exits = ProgramExits(programs, Pulse())
    with anyio.fail_after(20):
        pid = await programs.spawn(("sh", "-c", script.format(fifo=fifo)))
        program_exits.note([window_of(pid)])
        assert await program_exits.status(window_of(pid)) == RUNS
        await anyio.Path(fifo).write_text("go\n")
        wait_until_ended([pid])
        assert await program_exits.status(window_of(pid)) == ended


@pytest.mark.requires("desktop.program-status")
async def test_of_a_window_of_a_child_the_start_script_tells_how_it_ended(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    programs = LocalPrograms(os.environ)
    program_exits = ProgramExits(programs, Pulse())
    with anyio.fail_after(20):
        leader = await programs.spawn(("sh", "-c", f"sleep 60 & echo $! > {fifo}; wait $!"))
        child = int(await anyio.Path(fifo).read_text())
        program_exits.note([window_of(child)])
        os.kill(child, signal.SIGKILL)
        wait_until_ended([leader])
        assert await program_exits.status(window_of(child)) == died("exit code 137")


@pytest.fixture
def strange() -> Iterator[subprocess.Popen[bytes]]:
    """A program that somebody else started."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process


@pytest.mark.requires("desktop.program-status")
async def test_the_end_of_a_program_that_somebody_else_started_is_not_known(
    strange: "subprocess.Popen[bytes]",
) -> None:
    program_exits = ProgramExits(LocalPrograms(os.environ), Pulse())
    with anyio.fail_after(20):
        program_exits.note([window_of(strange.pid)])
        assert await program_exits.status(window_of(strange.pid)) == RUNS
        strange.terminate()
        wait_until_ended([strange.pid])
        assert await program_exits.status(window_of(strange.pid)) == UNKNOWN
    assert await program_exits.status(window_of(2**30)) == UNKNOWN
