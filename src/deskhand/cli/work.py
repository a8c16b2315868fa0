"""Work that is cancelled by a signal, or by the process that asked for it."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class Stopped(Exception):
    """The work was cancelled."""


class Work(Generic[T]):
    """Work that can be cancelled; afterwards holds its result or error."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._scope: anyio.CancelScope | None = None
        self._cancelled = False
        self._results: list[T] = []
        self.error: Exception | None = Stopped()
        """The reason if there is no result."""

    async def run(self) -> None:
        """Return when the work has ended. Raises nothing."""
        with anyio.CancelScope() as self._scope:
            if self._cancelled:
                self._scope.cancel()
            try:
                self._results.append(await self._work())
                self.error = None
            except Exception as error:  # noqa: BLE001 - `result` raises it
                self.error = error

    def cancel(self) -> None:
        """Cancel it, also before it runs."""
        self._cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    def result(self) -> T:
        """Result of the work. Raises: Stopped, or the error of the work."""
        if self.error is not None:
            raise self.error
        return self._results[0]
