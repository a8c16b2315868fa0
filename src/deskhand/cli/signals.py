"""SIGINT, SIGTERM and SIGHUP cancel the running work; cleanup is complete before the program ends."""

import signal
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import anyio

from deskhand.cli.invocation import invocation
from deskhand.cli.stop_signals import heeded_stops
from deskhand.cli.work import Stopped, Work

T = TypeVar("T")


async def run_until_signal(work: Callable[[], Awaitable[T]], then: Callable[[Work[T]], None]) -> None:
    """Run `work`, cancelled by the first signal, and call `then` with it when it has ended.

    Further signals are ignored until `then` has returned, so that cleanup is complete.
    """
    running = Work(work)
    with anyio.open_signal_receiver(*heeded_stops()) as signals:
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
