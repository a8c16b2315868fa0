"""Signals cancel what runs, and what is being torn down is torn down."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from cli.driver import SESSION_KEYS, finish, start
from deskhand.cli.stopping import Stopped, Work, run_async, run_until_signal


async def one() -> int:
    return 1


def test_work_that_ends_by_itself_gives_its_result() -> None:
    assert run_async(one) == 1


def test_what_the_work_raises_is_raised() -> None:
    async def broken() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        run_async(broken)


@pytest.mark.requires("cli.signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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


@pytest.mark.requires("cli.signals", "cli.one-json-object")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_there_is_a_session_is_told_too(tmp_path: Path, number: signal.Signals) -> None:
    playbook = tmp_path / "playbook.yaml"
    os.mkfifo(playbook)
    process = start("run", "x", "--playbook", playbook, "--json")
    with playbook.open("wb"):  # now it reads, and waits for more
        process.send_signal(number)
        process.send_signal(number)
        done = finish(process)
    assert done.code == 6, done.err
    assert set(done.json) == SESSION_KEYS
    assert done.item("outcome") == "cancelled"
