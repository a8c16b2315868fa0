"""SIGINT, SIGTERM and SIGHUP cancel the running work; cleanup is complete before the program ends."""

import asyncio
import math
import signal
import sys
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import TypeVar

import anyio

from deskhand.cli.invocation import invocation
from deskhand.cli.stop_signals import heeded_stops
from deskhand.cli.work import Stopped, Work

T = TypeVar("T")


def received_stops() -> AbstractContextManager[AsyncIterator[signal.Signals]]:
    """Take over the signals that are heeded, in the running event loop, and iterate over them as they come."""
    if sys.platform == "win32":
        return received_by_handlers(*heeded_stops())
    return anyio.open_signal_receiver(*heeded_stops())


@contextmanager
def received_by_handlers(*numbers: signal.Signals) -> Generator[AsyncIterator[signal.Signals]]:
    """Do the same for some signals where event loops take none: by Python's handlers, which run in the main thread."""
    sending, receiving = anyio.create_memory_object_stream[signal.Signals](math.inf)
    loop = asyncio.get_running_loop()

    def handle(number: int, _: FrameType | None) -> None:
        loop.call_soon_threadsafe(sending.send_nowait, signal.Signals(number))

    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        with sending, receiving:
            yield receiving
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def run_until_signal(work: Callable[[], Awaitable[T]], then: Callable[[Work[T]], None]) -> None:
    """Run `work`, cancelled by the first signal, and call `then` with it when it has ended.

    Further signals are ignored until `then` has returned, so that cleanup is complete.
    """
    running = Work(work)
    with received_stops() as signals:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_at_signal, signals, running)
            await running.run()
            then(running)
            group.cancel_scope.cancel()


async def _cancel_at_signal(signals: AsyncIterator[signal.Signals], running: Work[T]) -> None:
    async for _ in signals:
        running.cancel()


@contextmanager
def _restored_handlers() -> Generator[None]:
    """Restore the signal handlers: an event loop that listened for signals leaves Python's defaults behind."""
    before = {number: signal.getsignal(number) for number in heeded_stops()}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: not set by Python
                signal.signal(number, handler)


def run_and_conclude(work: Callable[[], Awaitable[T]], conclude: Callable[[Work[T]], int]) -> int:
    """Run `work` until it ends or is stopped, call `conclude` undisturbed by signals, and return its exit code.

    Raises: errors of `conclude`.
    """
    codes: list[int] = []
    errors: list[Exception] = []

    def then(finished: Work[T]) -> None:
        try:
            codes.append(conclude(finished))
        except Exception as error:  # noqa: BLE001 - raised below, where no task group wraps it
            errors.append(error)

    _run(work, then)
    if errors:
        raise errors[0]
    return codes[0]


def run_async(work: Callable[[], Awaitable[T]], *, loop: Callable[[], AbstractEventLoop] | None = None) -> T:
    """Run `work` and return its result; `loop` makes the event loop. Raises: KeyboardInterrupt if it was stopped."""
    finished: list[Work[T]] = []
    _run(work, finished.append, loop)
    try:
        return finished[0].result()
    except Stopped as stopped:
        raise KeyboardInterrupt from stopped


def _run(
    work: Callable[[], Awaitable[T]],
    then: Callable[[Work[T]], None],
    loop: Callable[[], AbstractEventLoop] | None = None,
) -> None:
    """In a server, another process stops the work; else signals do."""
    server = invocation().server
    if server is None:
        with _restored_handlers():
            anyio.run(run_until_signal, work, then, backend_options={"loop_factory": loop})
        return
    running = Work(work)
    server.run(running)
    then(running)
