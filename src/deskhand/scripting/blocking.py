"""Calls of `deskhand.sync` into the event loop of its desktop, which runs in another thread."""

import threading
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from deskhand.core.errors import DesktopGone

T = TypeVar("T")


def call(portal: BlockingPortal, work: Callable[[], Awaitable[T]]) -> T:
    """Carry out the work there and return its result. An interrupt, as by Ctrl+C, cancels it and is raised at its end.

    Raises: DesktopGone after the end of the block.
    """
    task = _Task(work)
    try:
        return portal.call(task.run)
    except RuntimeError as error:
        if task.ended.is_set():
            raise
        raise DesktopGone("the desktop was closed with its block", fix="work with it inside of the block") from error
    except BaseException:
        if not task.ended.is_set():
            portal.call(task.cancel)
        raise


class _Task(Generic[T]):
    """The work in the event loop. It may be cancelled before it starts."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._scope: anyio.CancelScope | None = None
        self._is_cancelled = False
        self._done: anyio.Event | None = None
        self.ended = threading.Event()

    async def run(self) -> T:
        self._done = anyio.Event()
        try:
            with anyio.CancelScope() as self._scope:
                if self._is_cancelled:
                    self._scope.cancel()
                return await self._work()
        finally:
            self.ended.set()
            self._done.set()
        raise AssertionError("nobody waits for a call that was cancelled")

    async def cancel(self) -> None:
        """Cancel it, and wait until it has ended."""
        self._is_cancelled = True
        if self._scope is not None and self._done is not None:
            self._scope.cancel()
            await self._done.wait()
