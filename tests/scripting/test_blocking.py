"""Calls without `await`: an interrupt ends them, and a closed desktop says that it is closed."""

import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from anyio.from_thread import start_blocking_portal

from deskhand.core.errors import DesktopGone, UsageError
from deskhand.scripting.blocking import Opened, call, in_thread

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


def test_what_a_program_left_open_is_closed_when_it_ends() -> None:
    code = """
from contextlib import asynccontextmanager
from deskhand.scripting.blocking import Opened

@asynccontextmanager
async def desktop():
    try:
        yield "open"
    finally:
        print("closed")

left_open = Opened(desktop(), lambda _, opened: opened)
print(left_open.__enter__())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("open\nclosed\n", "", 0)


def test_an_error_while_it_opens_leaves_no_thread() -> None:
    @asynccontextmanager
    async def broken() -> AsyncGenerator[None]:
        raise KeyError("the context's own")
        yield

    with pytest.raises(KeyError), Opened(broken(), lambda _, opened: opened):
        pass
    assert not [thread for thread in threading.enumerate() if thread.name == "deskhand"]


def test_a_condition_may_use_the_desktop_while_the_event_loop_waits_for_it() -> None:
    async def inner() -> str:
        return "there"

    with start_blocking_portal() as portal:
        assert call(portal, in_thread(lambda: call(portal, inner))) == "there"


def test_an_asynchronous_condition_is_refused_and_does_not_hold() -> None:
    async def is_late() -> bool:
        return True

    def condition() -> Awaitable[bool]:
        return is_late()

    with start_blocking_portal() as portal, pytest.raises(UsageError, match="asynchronous"):
        _ = call(portal, in_thread(condition))


def test_a_condition_that_is_interrupted_does_nothing_more() -> None:
    goes_on, ended = threading.Event(), threading.Event()
    errors: list[Exception] = []
    done: list[str] = []

    async def act() -> None:
        done.append("acted")

    with start_blocking_portal() as portal:

        def condition() -> None:
            call(portal, act)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            assert goes_on.wait(60)
            try:
                call(portal, act)
            except DesktopGone as error:
                errors.append(error)
            ended.set()

        with pytest.raises(KeyboardInterrupt):
            call(portal, in_thread(condition))
        goes_on.set()
        assert ended.wait(60)
    assert (done, len(errors)) == (["acted"], 1)
