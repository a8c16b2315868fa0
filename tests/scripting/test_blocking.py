"""Calls without `await`: an interrupt ends them, and a closed desktop says that it is closed."""

import signal
import threading

import anyio
import anyio.lowlevel
import pytest
from anyio.from_thread import start_blocking_portal

from deskhand.core.errors import DesktopGone
from deskhand.scripting.blocking import call

pytestmark = pytest.mark.requires("python.sync")


def test_an_interrupt_cancels_the_call_and_is_raised_when_nothing_of_it_runs() -> None:
    done: list[str] = []

    async def work() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
            done.append("let go")

    async def next_call() -> str:
        return "next"

    with start_blocking_portal() as portal:
        with pytest.raises(KeyboardInterrupt):
            call(portal, work)
        assert done == ["let go"]
        assert call(portal, next_call) == "next"


def test_results_and_errors_come_back_and_after_the_block_the_desktop_is_gone() -> None:
    async def work() -> None:
        raise KeyError("the work's own")

    with start_blocking_portal() as portal, pytest.raises(KeyError):
        call(portal, work)
    with pytest.raises(DesktopGone, match="closed"):
        call(portal, work)
