"""SIGINT, SIGTERM and SIGHUP cancel the running work; cleanup is complete before the program ends."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

import anyio

from deskhand.cli.stop_signals import heeded_stops

T = TypeVar("T")


class Stopped(Exception):
    """A signal cancelled the work."""


class Work(Generic[T]):
    """Work that a signal cancels; afterwards holds its result or error."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._scope = anyio.CancelScope()
        self._results: list[T] = []
        self._error: Exception | None = Stopped()

    async def run(self) -> None:
        """Return when the work has ended. Raises nothing."""
        with self._scope:
            try:
                self._results.append(await self._work())
                self._error = None
            except Exception as error:  # noqa: BLE001 - `result` raises it
                self._error = error

    def cancel(self) -> None:
        self._scope.cancel()

    def result(self) -> T:
        """Result of the work. Raises: Stopped, or the error of the work."""
        if self._error is not None:
            raise self._error
        return self._results[0]


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
    """Run `work` until it ends or a signal stops it, call `tell` undisturbed by signals, and return its exit code.

    Raises: errors of `tell`.
    """
    codes: list[int] = []
    errors: list[Exception] = []

    def then(finished: Work[T]) -> None:
        try:
            codes.append(conclude(finished))
        except Exception as error:  # noqa: BLE001 - raised below, where no task group wraps it
            errors.append(error)

    with _restored_handlers():
        anyio.run(run_until_signal, work, then)
    if errors:
        raise errors[0]
    return codes[0]


def run_async(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` and return its result. Raises: KeyboardInterrupt if a signal stopped it."""
    finished: list[Work[T]] = []
    with _restored_handlers():
        anyio.run(run_until_signal, work, finished.append)
    try:
        return finished[0].result()
    except Stopped as stopped:
        raise KeyboardInterrupt from stopped
