"""Signals cancel what runs, and what is being torn down is torn down."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import anyio
import pytest

from cli.driver import SESSION_KEYS, environment, finish, start
from deskhand.cli.signals import run_and_conclude, run_async, run_until_signal
from deskhand.cli.work import Stopped, Work
from support import wait_for, writing_to

_STARTS_S: Final = 60.0


async def one() -> int:
    return 1


def test_work_that_ends_by_itself_gives_its_result() -> None:
    assert run_async(one) == 1


def test_signals_go_afterwards_where_they_went_before() -> None:
    """Else one that comes while an error is told would kill the program, and take its exit code away."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def ours(*_: object) -> None: ...

    before = {number: signal.signal(number, ours) for number in numbers}
    try:
        run_async(one)
        run_and_conclude(one, lambda work: work.result())
        assert [signal.getsignal(number) for number in numbers] == [ours, ours, ours]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_what_the_work_raises_is_raised() -> None:
    async def broken() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        run_async(broken)


@pytest.mark.requires("cli.signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_work_and_a_second_one_does_not_disturb_the_end(number: signal.Signals) -> None:
    steps: list[str] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), number)
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                os.kill(os.getpid(), number)
                await anyio.lowlevel.checkpoint()
                steps.append("torn down")

    def then(ended: Work[None]) -> None:
        os.kill(os.getpid(), number)
        with pytest.raises(Stopped):
            ended.result()
        steps.append("told")

    anyio.run(run_until_signal, work, then)
    assert steps == ["torn down", "told"]


@pytest.mark.requires("cli.signals")
def test_a_hangup_that_nohup_ignores_stops_nothing() -> None:
    async def work() -> str:
        os.kill(os.getpid(), signal.SIGHUP)
        await anyio.lowlevel.checkpoint()
        return "done"

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_async(work) == "done"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def _reading(pipe: Path, program: str) -> subprocess.Popen[str]:
    """A Python program that becomes `deskhand run` with a playbook that is a pipe."""
    argv = [sys.executable, "-c", program, "run", "x", "--playbook", str(pipe), "--json"]
    return subprocess.Popen(argv, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.requires("cli.signals")
@pytest.mark.long
def test_a_signal_that_comes_while_nothing_can_be_raised_stops_all_the_same(tmp_path: Path) -> None:
    """An exception in a finaliser is dropped: there the signal is caught, and the program goes on to wait."""
    pipe = tmp_path / "playbook.yaml"
    os.mkfifo(pipe)
    program = (
        "import os, signal\n"
        "from deskhand.cli import app\n"
        "class Finalised:\n"
        "    def __del__(self): os.kill(os.getpid(), signal.SIGTERM)\n"
        "original = app._run\n"
        "def run(*arguments):\n"
        "    Finalised()\n"
        "    return original(*arguments)\n"
        "app._run, app._PATIENCE_S = run, 1\n"
        "app.main()\n"
    )
    held = os.open(pipe, os.O_RDWR)  # it may be stopped before it reads, or while it does
    process = _reading(pipe, program)
    done = finish(process)
    os.close(held)
    assert (done.code, done.item("outcome")) == (6, "cancelled"), done.err
    assert "Exception ignored" in done.err


def _waits(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "S"


@pytest.mark.requires("cli.signals")
@pytest.mark.long
def test_a_signal_right_before_a_wait_begins_ends_that_wait(tmp_path: Path) -> None:
    """Another thread gets it here: Python has taken note of it, and what the main thread waits in goes on."""
    pipe = tmp_path / "playbook.yaml"
    os.mkfifo(pipe)
    program = (
        "import os, signal, threading\n"
        "from deskhand.cli import app\n"
        "started, (end, _) = threading.Event(), os.pipe()\n"
        "def take():\n"
        "    started.set()\n"
        "    os.read(end, 1)\n"
        "threading.Thread(target=take, daemon=True).start()\n"
        "started.wait()\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
        "app.main()\n"
    )
    process = _reading(pipe, program)
    with writing_to(pipe, _STARTS_S):
        wait_for(lambda: _waits(process.pid))
        process.send_signal(signal.SIGTERM)
        done = finish(process)
    assert (done.code, done.item("outcome")) == (6, "cancelled"), done.err


@pytest.mark.requires("cli.signals", "cli.one-json-object")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.long
def test_a_signal_before_there_is_a_session_is_told_too(tmp_path: Path, number: signal.Signals) -> None:
    playbook = tmp_path / "playbook.yaml"
    os.mkfifo(playbook)
    process = start("run", "x", "--playbook", playbook, "--json")
    with writing_to(playbook, _STARTS_S):  # now it has opened it
        # A signal between that and the beginning of its wait is one that Python notices with the next only.
        wait_for(lambda: _waits(process.pid))
        process.send_signal(number)
        process.send_signal(number)
        done = finish(process)
    assert done.code == 6, done.err
    assert set(done.json) == SESSION_KEYS
    assert done.item("outcome") == "cancelled"
