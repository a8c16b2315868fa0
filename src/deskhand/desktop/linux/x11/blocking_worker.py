"""Devices with blocking calls, each with a thread of its own. A call that hangs is given up, and the device with it.

The threads are daemons: one that hangs for ever keeps no process from ending.
"""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

D = TypeVar("D")
T = TypeVar("T")

_GRACE_S: Final = 0.1
"""Time for a call that no caller waits for any more to end, before it is given up."""

_CLOSE_S: Final = 1.0


class _Call(Generic[T]):
    """One blocking call, made in a thread; `ended` is set in the event loop."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._results: list[T] = []
        self._error: BaseException | None = None
        self.ended = anyio.Event()

    def make(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised by `result`, for whoever waits
            self._error = error
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.ended.set)

    def result(self) -> T:
        """Return the call's result. Raises: the call's error."""
        if self._error is not None:
            raise self._error
        return self._results[0]


class _Seat(Generic[D]):
    """One opened thing and its thread, which opens it, makes the calls one after the other, and closes it."""

    def __init__(
        self, open_it: Callable[[], D], close_it: Callable[[D], None], idle_it: Callable[[D], float | None] | None
    ) -> None:
        self._calls: SimpleQueue[_Call[Any] | None] = SimpleQueue()  # Any: each call its own result
        self._close_it = close_it
        self._idle_it = idle_it
        self.things: list[D] = []
        self.opened = self.call(lambda: self.things.append(open_it()))
        threading.Thread(target=self._serve, name="deskhand-device", daemon=True).start()

    def call(self, work: Callable[[], T]) -> _Call[T]:
        call = _Call(work)
        self._calls.put(call)
        return call

    def leave(self) -> None:
        """The thread closes the thing and ends as soon as its calls have come back."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (call := self._next()) is not None:
            call.make()
        self.close()

    def _next(self) -> _Call[Any] | None:  # Any: as above
        while True:
            idle_s = self._idle_it(self.things[0]) if self._idle_it is not None and self.things else None
            try:
                return self._calls.get(timeout=idle_s)
            except Empty:
                continue

    def close(self) -> None:
        """In the thread: closes the thing, once."""
        while self.things:
            self._close_it(self.things.pop())


class Device(Generic[D]):
    """A device that is opened, used by blocking calls, and closed.

    `open_it` gets the device given up last (None at first), to put in order what it left behind. `cut_it` makes a call
    that hangs return, where that is possible; it must not block. `hurry_it` is called in the event loop when no caller
    waits for a call any more, so that it may end early, and when it has ended. `idle_it` is called in the thread after
    each call; it must not raise, and returns the seconds after which it is called again if no call comes. `grace_s`:
    time for a call to end that no caller waits for; 0 for calls that only wait.
    """

    def __init__(
        self,
        open_it: Callable[[D | None], D],
        close_it: Callable[[D], None],
        cut_it: Callable[[D], None] | None = None,
        hurry_it: Callable[[D, bool], None] | None = None,
        idle_it: Callable[[D], float | None] | None = None,
        *,
        grace_s: float = _GRACE_S,
    ) -> None:
        self._grace_s = grace_s
        self._open_it = open_it
        self._close_it = close_it
        self._cut_it = cut_it
        self._hurry_it = hurry_it
        self._idle_it = idle_it
        self._turn = anyio.Lock()
        self._seat: _Seat[D] | None = None
        self._given_up: D | None = None

    async def run(self, work: Callable[[D], T], *, deadline_s: float) -> T:
        """Return the result of `work`, called in the device's thread; calls run one after the other.

        Cancelled, or at the deadline, the call has a moment to end. If it hangs, it is given up with its device, which
        is closed once the call returns; the next call opens the device afresh.
        Raises: TimeoutError at the deadline, and the errors of opening and of `work`.
        """
        await checkpoint_if_cancelled()
        async with self._turn:
            with anyio.fail_after(deadline_s):
                seat = await self._opened()
                call = seat.call(lambda: work(seat.things[0]))
                await self._wait(seat, call)
            return call.result()

    async def close(self) -> None:
        """Close the device; a close that hangs is waited for only briefly."""
        seat, self._seat = self._seat, None
        if seat is None:
            return
        closed = seat.call(seat.close)
        seat.leave()
        with anyio.move_on_after(_CLOSE_S, shield=True):
            await closed.ended.wait()
        if not closed.ended.is_set():
            self._cut(seat)

    async def _opened(self) -> _Seat[D]:
        if self._seat is not None:
            return self._seat
        self._seat = seat = _Seat(partial(self._open_it, self._given_up), self._close_it, self._idle_it)
        try:
            await self._wait(seat, seat.opened)
            seat.opened.result()
        except BaseException:
            if self._seat is seat:
                self._leave(seat)
            raise
        self._given_up = None
        return seat

    async def _wait(self, seat: _Seat[D], call: "_Call[T]") -> None:
        try:
            await call.ended.wait()
        finally:
            if not call.ended.is_set():
                self._hurry(seat, True)
                with anyio.move_on_after(self._grace_s, shield=True):
                    await call.ended.wait()
                if call.ended.is_set():
                    self._hurry(seat, False)
                else:
                    self._leave(seat)

    def _leave(self, seat: _Seat[D]) -> None:
        """Gives a seat up: nothing of it is used any more."""
        self._seat = None
        if seat.things:
            self._given_up = seat.things[0]
        self._cut(seat)
        seat.leave()

    def _hurry(self, seat: _Seat[D], hurried: bool) -> None:
        if self._hurry_it is not None and seat.things:
            self._hurry_it(seat.things[0], hurried)

    def _cut(self, seat: _Seat[D]) -> None:
        if self._cut_it is not None and seat.things:
            self._cut_it(seat.things[0])
