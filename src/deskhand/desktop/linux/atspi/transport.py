"""D-Bus calls, pipelined: the one way to the accessibility bus."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self, TypeAlias

import anyio
from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.errors import AuthError
from dbus_fast.message import Message

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
    ElementStale,
)

Body: TypeAlias = Sequence[Any]  # a D-Bus body is typed by its signature, which the caller of a member knows

WINDOW_OF_CALLS: Final = 256
"""Calls in flight. More gain nothing, and a stopped application would fill the bus daemon with them."""

_PEER_GONE: Final = frozenset(
    {
        "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.NoReply",
        "org.freedesktop.DBus.Error.Disconnected",
    }
)
_OBJECT_GONE: Final = "org.freedesktop.DBus.Error.UnknownObject"


@dataclass(frozen=True, slots=True)
class Call:
    """One method call to an object of an application."""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: Body = ()


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal as it came: who sent it, and what it says."""

    sender: str
    interface: str
    member: str
    path: str
    body: Body


Reply: TypeAlias = Body | DesktopError
"""What became of one call of a batch: the body of its answer, or the error it ended with."""


class Transport(Protocol):
    """Method calls with deadlines, and signals."""

    async def call(self, call: Call, /, *, deadline_s: float) -> Body:
        """The body of the answer.

        Raises: ApplicationGone (the peer is gone), ApplicationUnresponsive (no answer in time), ElementStale (the
        object is gone), ActionRefused (the peer answered with an error), DesktopGone (the bus is gone).
        """
        ...

    async def batch(self, calls: Sequence[Call], /, *, deadline_s: float) -> list[Reply]:
        """All answers, in the order of the calls, sent without waiting for one another; errors stand among them.

        Raises: DesktopGone.
        """
        ...

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """`handler` is called in the event loop for every signal that a match rule lets through."""
        ...

    async def close(self) -> None: ...


class DBusTransport:
    """The ordinary bus, by dbus-fast. Use `connect`."""

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self._waiting: dict[int, tuple[Call, asyncio.Future[Reply]]] = {}
        self._queue: deque[tuple[Call, asyncio.Future[Reply]]] = deque()
        self._handlers: list[Callable[[Signal], None]] = []
        self._closed = False
        bus.add_message_handler(self._received)
        # Lives as long as the connection, not as long as any one caller: no task group spans that.
        self._watch = asyncio.ensure_future(self._watch_connection())

    @classmethod
    async def connect(cls, address: str, *, deadline_s: float = 5.0) -> Self:
        """Raises: DesktopGone."""
        try:
            with anyio.fail_after(deadline_s):
                return cls(await MessageBus(bus_address=address).connect())
        except (OSError, AuthError, EOFError) as error:  # TimeoutError is an OSError
            raise DesktopGone(
                f"The bus at {address} cannot be reached: {error or 'no answer'}", fix="Start the desktop again."
            ) from error

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        reply = (await self.batch([call], deadline_s=deadline_s))[0]
        if isinstance(reply, DesktopError):
            raise reply
        return reply

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        if not calls:
            return []
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Reply]] = [loop.create_future() for _ in calls]
        try:
            self._queue.extend(zip(calls, futures, strict=True))
            self._send_queued()
            with anyio.move_on_after(deadline_s):
                for future in futures:
                    await future
        finally:
            self._forget(futures)
        if self._closed:
            raise _bus_gone()
        for future in futures:
            if future.done() and not future.cancelled() and isinstance(gone := future.result(), DesktopGone):
                raise gone
        return [
            future.result() if future.done() and not future.cancelled() else _no_answer(call, deadline_s)
            for call, future in zip(calls, futures, strict=True)
        ]

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        self._handlers.append(handler)

    async def close(self) -> None:
        self._closed = True
        self._watch.cancel()
        if self._bus.connected:
            self._bus.disconnect()

    def _send_queued(self) -> None:
        while self._queue and len(self._waiting) < WINDOW_OF_CALLS:
            call, future = self._queue.popleft()
            if future.done():
                continue
            if not self._bus.connected:
                future.set_result(_bus_gone())
                continue
            serial = self._bus.next_serial()
            self._waiting[serial] = (call, future)
            message = Message(
                destination=call.destination,
                path=call.path,
                interface=call.interface,
                member=call.member,
                signature=call.signature,
                body=list(call.body),
                serial=serial,
            )
            try:
                # dbus-fast does not say what its future holds
                self._bus.send(message).add_done_callback(_sent)  # pyright: ignore[reportUnknownMemberType]
            except OSError:  # the connection broke, and the bus does not know it yet
                del self._waiting[serial]
                future.set_result(_bus_gone())

    def _forget(self, futures: Sequence[asyncio.Future[Reply]]) -> None:
        """Frees the window of calls whose answers nobody waits for any more; late answers are dropped."""
        left = {id(future) for future in futures if not future.done()}
        if not left:
            return
        for future in futures:
            future.cancel()
        self._waiting = {serial: entry for serial, entry in self._waiting.items() if id(entry[1]) not in left}
        self._send_queued()

    def _received(self, message: Message) -> bool:
        kind = message.message_type
        if kind is MessageType.SIGNAL:
            signal = Signal(
                message.sender or "", message.interface or "", message.member or "", message.path or "", message.body
            )
            for handler in self._handlers:
                handler(signal)
            return True
        if kind is MessageType.METHOD_CALL:
            return False
        entry = self._waiting.pop(message.reply_serial, None)
        if entry is None:
            return False
        call, future = entry
        if not future.done():
            future.set_result(message.body if kind is MessageType.METHOD_RETURN else _error_of(call, message))
        self._send_queued()
        return True

    async def _watch_connection(self) -> None:
        try:
            await self._bus.wait_for_disconnect()
        except (OSError, EOFError):
            pass
        finally:
            self._closed = True
            for _, future in (*self._waiting.values(), *self._queue):
                if not future.done():
                    future.set_result(_bus_gone())
            self._waiting.clear()
            self._queue.clear()


def _sent(written: asyncio.Future[None]) -> None:
    """A failed write ends the connection, which every waiting call learns from there."""
    if not written.cancelled():
        written.exception()


def _bus_gone() -> DesktopGone:
    return DesktopGone("The accessibility bus of the desktop is gone.", fix="Start the desktop again.")


def _no_answer(call: Call, deadline_s: float) -> ApplicationUnresponsive:
    return ApplicationUnresponsive(
        f"The application does not answer: {call.destination} gave no {call.member} within {deadline_s:.1f} s.",
        fix="Wait until the application answers again, or end it.",
    )


def _error_of(call: Call, message: Message) -> DesktopError:
    name = message.error_name or ""
    said = str(message.body[0]) if message.body else name
    if name in _PEER_GONE:
        return ApplicationGone(
            f"The application is gone ({call.destination}: {said}).", fix="Start the application again."
        )
    if name == _OBJECT_GONE:
        return ElementStale(f"{call.path} of {call.destination} no longer exists.", fix="Observe the window again.")
    return ActionRefused(f"{call.path} of {call.destination} refused {call.interface}.{call.member}: {said}")
