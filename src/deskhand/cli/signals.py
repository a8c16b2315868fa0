"""SIGINT and SIGTERM cancel what runs, and everything is torn down before the program ends (SPEC 6)."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class Stopped(Exception):
    """A signal cancelled the work."""


class Work(Generic[T]):
    """A piece of work that a signal cancels; afterwards, its `result` or what it raised."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._scope = anyio.CancelScope()
        self._results: list[T] = []
        self._error: Exception | None = Stopped()

    async def run(self) -> None:
        """Returns when the work has ended, however it ended. Raises nothing of it."""
        with self._scope:
            try:
                self._results.append(await self._work())
                self._error = None
            except Exception as error:  # noqa: BLE001 - kept for `result`, which raises it
                self._error = error

    def cancel(self) -> None:
        self._scope.cancel()

    def result(self) -> T:
        """What the work returned. Raises: Stopped, or what the work raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]


async def run_until_signal(work: Callable[[], Awaitable[T]], then: Callable[[Work[T]], None]) -> None:
    """Runs `work`, cancelled by the first signal, and calls `then` with it once it has ended.

    Until `then` has returned, further signals change nothing: what is being torn down is torn down.
    """
    running = Work(work)
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_at_signal, signals, running)
            await running.run()
            then(running)
            group.cancel_scope.cancel()


async def _cancel_at_signal(signals: AsyncIterator[signal.Signals], running: Work[T]) -> None:
    async for _ in signals:
        running.cancel()


@contextmanager
def _handlers_kept() -> Generator[None]:
    """An event loop that listened for signals leaves Python's own handlers behind, not those that were there."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # one that Python did not set
                signal.signal(number, handler)


def run_and_tell(work: Callable[[], Awaitable[T]], tell: Callable[[Work[T]], int]) -> int:
    """Runs something until it ends or a signal stops it, tells of it undisturbed, and returns what `tell` returns.

    Raises: what telling raised.
    """
    codes: list[int] = []
    untold: list[Exception] = []

    def then(ended: Work[T]) -> None:
        try:
            codes.append(tell(ended))
        except Exception as error:  # noqa: BLE001 - raised below, where no task group wraps it
            untold.append(error)

    with _handlers_kept():
        anyio.run(run_until_signal, work, then)
    if untold:
        raise untold[0]
    return codes[0]


def run_async(work: Callable[[], Awaitable[T]]) -> T:
    """Runs `work` to its end and returns its result. Raises: KeyboardInterrupt where a signal stopped it."""
    ended: list[Work[T]] = []
    with _handlers_kept():
        anyio.run(run_until_signal, work, ended.append)
    try:
        return ended[0].result()
    except Stopped as stopped:
        raise KeyboardInterrupt from stopped
