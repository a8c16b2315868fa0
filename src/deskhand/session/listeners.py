"""Listeners of the caller's own: they get every event in order, and none can stop or delay the session."""

import inspect
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Protocol, TypeAlias, cast, runtime_checkable

import anyio

from deskhand.core.errors import UsageError
from deskhand.core.events import Event

MOST_WAITING: Final = 10_000
"""Events that wait for a listener that is not done with earlier ones; with more, it gets none any more."""
_LAST_S: Final = 10.0
"""Timeout for listeners to take the last events after the session."""


@runtime_checkable
class HasEmit(Protocol):
    """An object that takes events; an awaitable that `emit` returns is awaited."""

    def emit(self, event: Event) -> Awaitable[object] | None: ...


Listener: TypeAlias = HasEmit | Callable[[Event], object]
"""A function, or an object with `emit`; either may be async."""


@asynccontextmanager
async def heard(listeners: Sequence[Listener]) -> AsyncGenerator[tuple["Tolerated", ...]]:
    """Return the listeners as destinations of events; on leaving, they finish those that came.

    Raises: UsageError for an object that is none.
    """
    sinks = tuple(map(Tolerated, listeners))
    error: Exception | None = None
    async with anyio.create_task_group() as group:
        for sink in sinks:
            group.start_soon(sink.work)
        try:
            yield sinks
        except Exception as raised:  # noqa: BLE001 - raised below: the group would put it into another one
            error = raised
        finally:
            for sink in sinks:
                sink.end()
    if error is not None:
        raise error


class Tolerated:
    """A listener whose error is warned about; it gets no more events, and the session goes on.

    It is called at once; the awaitables that it returns wait in a queue, and are awaited in order.
    """

    def __init__(self, listener: Listener) -> None:
        emit = listener.emit if isinstance(listener, HasEmit) else listener
        if not callable(emit):
            raise UsageError(f"{listener!r} is no listener", fix="give a function, or an object with emit(event)")
        self._name = getattr(listener, "__qualname__", None) or f"{type(listener).__name__}.emit"
        self._emit: Callable[[Event], object] | None = emit
        self._send, self._receive = anyio.create_memory_object_stream[tuple[Event, Awaitable[object]]](MOST_WAITING)
        self._scope = anyio.CancelScope(shield=True)

    def emit(self, event: Event) -> None:
        if self._emit is None:
            return
        try:
            came = self._emit(event)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the code of the caller
            self._leave_out(f"raised {type(error).__name__}: {error}", event)
            return
        if not inspect.isawaitable(came):
            return
        waiting = cast("Awaitable[object]", came)  # what it is awaited for does not matter
        try:
            self._send.send_nowait((event, waiting))
        except anyio.WouldBlock:
            _drop(waiting)
            self._leave_out(f"is {MOST_WAITING} events behind", event)

    async def work(self) -> None:
        """Await them in order, until `end`, also while the session is cancelled."""
        with self._scope:
            async for event, waiting in self._receive:
                try:
                    await waiting
                except (Exception, SystemExit, anyio.get_cancelled_exc_class()) as error:
                    if self._scope.cancel_called:
                        raise
                    self._leave_out(f"raised {type(error).__name__}: {error}", event)
                    break
        left = self._drop_rest()
        if self._scope.cancelled_caught:
            warnings.warn(f"{self._name} did not take the last {left + 1} events in {_LAST_S:g} s", stacklevel=2)

    def end(self) -> None:
        """Let it finish the events that wait."""
        self._send.close()
        self._scope.deadline = anyio.current_time() + _LAST_S

    def _drop_rest(self) -> int:
        left = 0
        with self._receive, suppress(anyio.WouldBlock, anyio.EndOfStream):
            while True:
                _drop(self._receive.receive_nowait()[1])
                left += 1
        return left

    def _leave_out(self, problem: str, event: Event) -> None:
        if self._emit is None:
            return
        self._emit = None
        warnings.warn(f"{self._name}({type(event).__name__}) {problem}; it gets no more events", stacklevel=2)


def _drop(waiting: Awaitable[object]) -> None:
    """Close a coroutine that nobody awaits, of which Python would warn."""
    if inspect.iscoroutine(waiting):
        waiting.close()
