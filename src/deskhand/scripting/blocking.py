"""Calls of `deskhand.sync` into the event loop of its desktop, which runs in another thread."""

import atexit
import inspect
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Generic, TypeVar

import anyio
import anyio.to_thread
from anyio.from_thread import BlockingPortal

from deskhand.core.errors import DesktopGone, UsageError

_IS_OVER: Final = ContextVar[threading.Event | None]("_IS_OVER", default=None)
"""In the thread of a condition: set once nobody waits for it any more."""

T = TypeVar("T")
Inner = TypeVar("Inner")


class Opened(AbstractContextManager[T]):
    """A context in an event loop, which runs in a thread of its own meanwhile.

    A program that ends without leaving it, as a notebook may, leaves it then.
    """

    def __init__(
        self, context: AbstractAsyncContextManager[Inner], wrapped: Callable[[BlockingPortal, Inner], T]
    ) -> None:
        self._context = context
        self._wrapped = wrapped
        self._stack = ExitStack()

    def __enter__(self) -> T:
        with ExitStack() as stack:
            portal = stack.enter_context(_event_loop())
            inner = stack.enter_context(portal.wrap_async_context_manager(self._context))
            self._stack = stack.pop_all()
        atexit.register(self._stack.close)
        return self._wrapped(portal, inner)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        atexit.unregister(self._stack.close)
        return self._stack.__exit__(kind, error, trace)


@contextmanager
def _event_loop() -> Generator[BlockingPortal]:
    """Run an event loop in a thread that does not keep the program alive."""
    opened = Future[BlockingPortal]()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            opened.set_result(portal)
            await portal.sleep_until_stopped()

    thread = threading.Thread(target=anyio.run, args=(serve,), name="deskhand", daemon=True)
    thread.start()
    portal = opened.result()
    try:
        yield portal
    finally:
        portal.call(portal.stop)
        thread.join()


def call(portal: BlockingPortal, work: Callable[[], Awaitable[T]]) -> T:
    """Carry out the work there and return its result. An interrupt, as by Ctrl+C, cancels it and is raised at its end.

    Raises: DesktopGone after the end of the block, or in a condition for which nobody waits any more.
    """
    if (is_over := _IS_OVER.get()) is not None and is_over.is_set():
        raise DesktopGone("the wait for this condition was interrupted", fix="wait again")
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


def in_thread(holds: Callable[[], T]) -> Callable[[], Awaitable[T]]:
    """Return a condition for the event loop that calls one in another thread, where that may use `call`.

    Once it is cancelled, `call` starts nothing more for it. Raises, when it is called: UsageError where the condition
    returns an awaitable; errors of the condition.
    """

    async def condition() -> T:
        is_over = threading.Event()
        token = _IS_OVER.set(is_over)
        try:
            result = await anyio.to_thread.run_sync(holds, abandon_on_cancel=True)
        finally:
            is_over.set()
            _IS_OVER.reset(token)
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise UsageError("the condition is asynchronous", fix="give a function without `async`")
        return result

    return condition


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
