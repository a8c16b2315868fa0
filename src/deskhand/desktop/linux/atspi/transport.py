"""D-Bus calls, pipelined: the one way to the accessibility bus."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, Self, TypeAlias, cast

import anyio

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
    ElementStale,
)
from deskhand.desktop.linux.dbus.connection import Connection
from deskhand.desktop.linux.dbus.wire import Kind, Message, WireError, encode_call

Body: TypeAlias = Sequence[Any]  # a D-Bus body is typed by its signature, which the caller of a member knows

_BUS: Final = "org.freedesktop.DBus"
_BUS_PATH: Final = "/org/freedesktop/DBus"
_APPLICATION: Final = "org.a11y.atspi.Application"
ANSWERS_LIMIT: Final = 2**26
"""Bytes of all answers together that one batch or stream takes; of those after it nothing is kept."""

_APPROACH_SHARE: Final = 4
"""The part of a deadline that may go into looking for a private socket; the bus would do."""
_ROOT: Final = "/org/a11y/atspi/accessible/root"

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


class Post(Protocol):
    """Sends calls and hands their answers over together, in their order, once the last has come."""

    def __call__(self, calls: Sequence[Call], then: Callable[[list[Reply]], None], /) -> None: ...


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

    async def stream(self, begin: Callable[[Post], None], /, *, deadline_s: float) -> str:
        """Calls that follow from one another: `begin` and every `then` may post more. Returns when none is left.

        Only for calls that change nothing: those whose private socket hangs up are made again over the bus.
        What was left out, and why: nothing more is handed over once the deadline has passed, and nothing more is sent
        once the answers are longer than `ANSWERS_LIMIT`. Empty: nothing. Raises: DesktopGone.
        """
        ...

    async def approach(self, destination: str, /, *, deadline_s: float) -> None:
        """Prepares for many calls to one application. Raises: DesktopGone."""
        ...

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """`handler` is called in the event loop for every signal that a match rule lets through."""
        ...

    async def close(self) -> None: ...


class BusTransport:
    """The accessibility bus, and past it the private sockets of applications that offer one. Use `connect`."""

    def __init__(self) -> None:
        self._handlers: list[Callable[[Signal], None]] = []
        self._private: dict[str, Connection | None] = {}
        self._bus: Connection | None = None

    @classmethod
    async def connect(cls, address: str, *, deadline_s: float = 5.0) -> Self:
        """Raises: DesktopGone."""
        transport = cls()
        try:
            transport._bus = await Connection.open(address, transport._heard, _nothing, deadline_s=deadline_s)
        except OSError as error:  # TimeoutError is one
            raise DesktopGone(
                f"The bus at {address} cannot be reached: {error or 'no answer'}", fix="Start the desktop again."
            ) from error
        await transport.call(Call(_BUS, _BUS_PATH, _BUS, "Hello"), deadline_s=deadline_s)
        return transport

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        reply = (await self.batch([call], deadline_s=deadline_s))[0]
        if isinstance(reply, DesktopError):
            raise reply
        return reply

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        if not calls:
            return []
        replies: list[Reply | None] = [None] * len(calls)
        exchange = _Exchange(self._route)
        exchange.send(calls, replies, _nothing)
        await self._finish(exchange, deadline_s)
        return [
            _no_answer(call, deadline_s) if reply is None else reply for call, reply in zip(calls, replies, strict=True)
        ]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float) -> str:
        exchange = _Exchange(self._route, again=True)
        begin(exchange.post)
        await self._finish(exchange, deadline_s)
        if exchange.too_long:
            return f"the application answered more than {ANSWERS_LIMIT >> 20} MiB"
        return late(deadline_s) if exchange.missing else ""

    async def _finish(self, exchange: "_Exchange", deadline_s: float) -> None:
        """Returns when everything is answered, or at the deadline. Raises: DesktopGone, and what a `then` raised."""
        try:
            with anyio.move_on_after(deadline_s):
                await exchange.complete()
        finally:
            exchange.forget()
        if exchange.bus_gone:
            raise _bus_gone()

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """From now on speaks to this application over its private socket, where it offers one.

        Takes a part of the deadline at most. One that does not answer in it is asked again the next time; one whose
        socket is of no use is spoken to over the bus for good. Raises: DesktopGone.
        """
        if destination in self._private or not destination.startswith(":"):
            return
        self._private[destination] = None
        try:
            with anyio.fail_after(deadline_s / _APPROACH_SHARE):
                self._private[destination] = await self._private_connection(destination, deadline_s)
        except TimeoutError:
            self._private.pop(destination, None)
        except OSError:
            return  # it said so and does not listen: the bus will do

    async def _private_connection(self, destination: str, deadline_s: float) -> Connection | None:
        """Raises: OSError (nobody answers there, TimeoutError among them), DesktopGone."""
        asked = [
            Call(destination, _ROOT, _APPLICATION, "GetApplicationBusAddress"),
            Call(_BUS, _BUS_PATH, _BUS, "GetConnectionUnixProcessID", "s", (destination,)),
        ]
        address, pid = await self.batch(asked, deadline_s=deadline_s)
        if isinstance(address, DesktopError) or isinstance(pid, DesktopError):
            return None
        if not address or not isinstance(address[0], str) or not address[0]:
            return None

        def ended() -> None:
            if destination in self._private:
                self._private[destination] = None

        connection = await Connection.open(address[0], _ignored, ended, deadline_s=deadline_s)
        if connection.peer_pid() == pid[0]:
            return connection
        connection.close()  # it points at somebody else
        return None

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        self._handlers.append(handler)

    async def close(self) -> None:
        connections = [*self._private.values(), self._bus]
        self._private.clear()
        for connection in connections:
            if connection is not None:
                connection.close()

    def _route(self, destination: str) -> tuple[Connection, bool]:
        """The connection to an application, and whether it is the bus."""
        private = self._private.get(destination)
        if private is not None and not private.ended:
            return private, False
        if self._bus is None:
            raise _bus_gone()
        return self._bus, True

    def _heard(self, message: Message) -> None:
        try:
            signal = Signal(message.sender, message.interface, message.member, message.path, message.values())
        except WireError:
            return  # it says nothing that can be understood
        for handler in self._handlers:
            handler(signal)


@dataclass(slots=True)
class _Part:
    """Calls whose answers are handed over together."""

    calls: Sequence[Call]
    replies: list[Reply | None]
    then: Callable[[], None]
    left: int


class _Exchange:
    """Calls under way, and what is to be done with their answers."""

    def __init__(self, route: Callable[[str], tuple[Connection, bool]], *, again: bool = False) -> None:
        self.missing = 0
        self.bus_gone = False
        self._route = route
        self.too_long = False
        self._again = again
        self._bytes = 0
        self._sent: dict[Connection, set[int]] = {}
        self._over = False
        self._complete: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def post(self, calls: Sequence[Call], then: Callable[[list[Reply]], None]) -> None:
        if self.too_long:
            return
        replies: list[Reply | None] = [None] * len(calls)
        self.send(calls, replies, lambda: then(cast("list[Reply]", replies)))  # called when none is missing

    def send(self, calls: Sequence[Call], replies: list[Reply | None], then: Callable[[], None]) -> None:
        self.missing += len(calls)
        if not calls:
            self._run(then)
        part = _Part(calls, replies, then, left=len(calls))
        for index in range(len(calls)):
            self._put(part, index)

    def _put(self, part: "_Part", index: int) -> None:
        call = part.calls[index]
        connection, is_bus = self._route(call.destination)
        serial = connection.send(_encoder(call), partial(self._take, part, index, is_bus))
        self._sent.setdefault(connection, set()).add(serial)

    def _take(self, part: "_Part", index: int, by_bus: bool, message: Message | None) -> None:
        if self._over:
            return
        if message is None and not by_bus and self._again:
            self._put(part, index)
            return
        part.replies[index] = self._reply(part.calls[index], by_bus, message)
        part.left -= 1
        self.missing -= 1
        if not part.left:
            self._run(part.then)
        if not self.missing and not self._complete.done():
            self._complete.set_result(None)

    def _reply(self, call: Call, by_bus: bool, message: Message | None) -> Reply:
        if message is None:
            self.bus_gone = self.bus_gone or by_bus
            return _bus_gone() if by_bus else _gone(call, "it closed the connection")
        self._bytes += len(message.body)
        self.too_long = self._bytes > ANSWERS_LIMIT
        return _too_long(call) if self.too_long else _reply_of(call, message)

    def _run(self, then: Callable[[], None]) -> None:
        try:
            then()
        except BaseException as error:  # noqa: BLE001 - raised where the answers are waited for
            if not self._complete.done():
                self._complete.set_exception(error)

    async def complete(self) -> None:
        if self.missing or self._complete.done():
            await self._complete

    def forget(self) -> None:
        """Whatever is still missing is not waited for any more."""
        self._over = True
        if self.missing:
            for connection, serials in self._sent.items():
                connection.forget(serials)


def _encoder(call: Call) -> Callable[[int], bytes]:
    return lambda serial: encode_call(
        serial, call.destination, call.path, call.interface, call.member, call.signature, call.body
    )


def _reply_of(call: Call, message: Message) -> Reply:
    try:
        body = message.values()
    except WireError as error:
        return ActionRefused(f"{call.path} of {call.destination} answered {call.member} with no answer: {error}")
    return body if message.kind == Kind.RETURN else _error_of(call, message.error_name, body)


def late(deadline_s: float) -> str:
    """Why something is missing."""
    return f"the application did not answer everything within {deadline_s:.1f} s"


def _too_long(call: Call) -> DesktopError:
    return ActionRefused(f"{call.path} of {call.destination} answered too much.")


def _nothing() -> None:
    """The bus ended: whoever waits for an answer learns it from there."""


def _ignored(message: Message) -> None:
    """Events come over the bus."""


def _bus_gone() -> DesktopGone:
    return DesktopGone("The accessibility bus of the desktop is gone.", fix="Start the desktop again.")


def _no_answer(call: Call, deadline_s: float) -> ApplicationUnresponsive:
    return ApplicationUnresponsive(
        f"The application does not answer: {call.destination} gave no {call.member} within {deadline_s:.1f} s.",
        fix="Wait until the application answers again, or end it.",
    )


def _gone(call: Call, why: str) -> ApplicationGone:
    return ApplicationGone(f"The application is gone ({call.destination}: {why}).", fix="Start the application again.")


def _error_of(call: Call, name: str, body: Body) -> DesktopError:
    said = str(body[0]) if body else name
    if name in _PEER_GONE:
        return _gone(call, said)
    if name == _OBJECT_GONE:
        return ElementStale(f"{call.path} of {call.destination} no longer exists.", fix="Observe the window again.")
    return ActionRefused(f"{call.path} of {call.destination} refused {call.interface}.{call.member}: {said}")
