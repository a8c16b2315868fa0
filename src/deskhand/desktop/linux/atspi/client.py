"""D-Bus calls, pipelined: the one way to the accessibility bus."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
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
from deskhand.desktop.linux.dbus.connection import Call, Connection, Waiter
from deskhand.desktop.linux.dbus.wire import SHORT, Kind, Message, WireError, encode

Body: TypeAlias = Sequence[Any]  # a D-Bus body is typed by its signature, which the caller of a member knows

BUS: Final = "org.freedesktop.DBus"
BUS_PATH: Final = "/org/freedesktop/DBus"
_APPLICATION: Final = "org.a11y.atspi.Application"
_ACCESSIBLE: Final = "org.a11y.atspi.Accessible"
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
HUNG: Final = "org.deskhand.Error.Hung"
"""Reply of the bridge to Windows programs for one that does not answer it."""
_NO_METHOD: Final = "org.freedesktop.DBus.Error.UnknownMethod"
_NOT_AT_PATH: Final = "Object does not exist at path"
"""Part of the reply of some toolkits for an object that is gone: that it has no such method."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal as received: its sender and header; its body `raw` is not decoded."""

    sender: str
    interface: str
    member: str
    path: str
    raw: bytes


Reply: TypeAlias = Body | DesktopError
"""The result of one call of a batch: the body of its answer, or its error."""


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
        """All answers, in the order of the calls, sent without waiting for one another; errors are items among them.

        Raises: DesktopGone.
        """
        ...

    async def stream(self, begin: Callable[[Post], None], /, *, deadline_s: float, awake: bool = True) -> str:
        """Calls that follow from one another: `begin` and every `then` may post more. Returns when none is left.

        `awake`: answers are waited for without sleep for a moment, where processors are to spare.
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


def process_of(destination: str) -> Call:
    """Asks the bus for the number of the process that has a name on it."""
    return Call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", (destination,))


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
                f"The bus at {address} cannot be reached: {str(error) or 'no answer'}", fix="Start the desktop again."
            ) from error
        try:
            await transport.call(Call(BUS, BUS_PATH, BUS, "Hello"), deadline_s=deadline_s)
        except (ApplicationUnresponsive, ActionRefused) as error:
            await transport.close()
            raise DesktopGone(f"The bus at {address} does not answer.", fix="Start the desktop again.") from error
        except BaseException:
            await transport.close()
            raise
        return transport

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        reply = (await self.batch([call], deadline_s=deadline_s))[0]
        if isinstance(reply, DesktopError):
            raise reply
        return reply

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        if not calls:
            return []
        exchange = _Exchange(self._route, self._bus)
        part = _Part(exchange, calls, _ignore)
        exchange.send(part)
        await self._finish(exchange, deadline_s)
        return [
            _no_answer(call, deadline_s) if reply is None else reply
            for call, reply in zip(calls, part.replies, strict=True)
        ]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        exchange = _Exchange(self._route, self._bus, again=True, awake=awake)
        begin(exchange.post)
        await self._finish(exchange, deadline_s)
        if exchange.too_long:
            return f"the application answered more than {ANSWERS_LIMIT >> 20} MiB"
        return late(deadline_s) if exchange.missing else ""

    async def _finish(self, exchange: "_Exchange", deadline_s: float) -> None:
        """Returns when everything is answered, or at the deadline. Raises: DesktopGone, and errors of a `then`."""
        try:
            with anyio.move_on_after(deadline_s):
                await exchange.complete()
        finally:
            if exchange.missing:
                self._leave(exchange.late())
            exchange.forget()
        if exchange.bus_gone:
            raise _bus_gone()

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """From now on speaks to this application over its private socket, where it offers one.

        Takes a part of the deadline at most. One that does not answer over the bus in it is asked again the next time;
        one whose socket is of no use, or does not answer, is spoken to over the bus for good. Raises: DesktopGone.
        """
        if destination in self._private or not destination.startswith(":"):
            return
        self._private[destination] = None
        try:
            with anyio.fail_after(deadline_s / 2):
                self._private[destination] = await self._private_connection(destination, deadline_s)
        except TimeoutError:
            self._private.pop(destination, None)
        except OSError:
            return  # it said so and does not listen: the bus will do
        except BaseException:
            self._private.pop(destination, None)
            raise

    async def _private_connection(self, destination: str, deadline_s: float) -> Connection | None:
        """Raises: OSError (nobody answers there, TimeoutError among them), DesktopGone."""
        asked = [
            Call(destination, _ROOT, _APPLICATION, "GetApplicationBusAddress"),
            process_of(destination),
        ]
        address, pid = await self.batch(asked, deadline_s=deadline_s)
        if isinstance(address, DesktopError) or isinstance(pid, DesktopError):
            return None
        if not address or not isinstance(address[0], str) or not address[0]:
            return None

        connection: Connection | None = None
        is_its = False

        def ended() -> None:
            if self._private.get(destination) is connection:
                self._private[destination] = None

        try:
            with anyio.move_on_after(deadline_s / _APPROACH_SHARE):
                connection = await Connection.open(address[0], _ignored, ended, deadline_s=deadline_s)
                is_its = connection.peer_pid() == pid[0] and await _answers(connection, destination)
        finally:
            if connection is not None and not is_its:
                connection.close()  # it points at somebody else, or at nobody
        return connection if is_its else None

    def _leave(self, destinations: Collection[str]) -> None:
        """They were late: the next approach finds out whether their private sockets are of use, or still are."""
        for destination in destinations:
            private = self._private.pop(destination, None)
            if private is not None:
                private.close_when_idle()

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        self._handlers.append(handler)

    def traffic(self) -> tuple[int, int]:
        """Calls sent and bytes received so far, over the bus and the private sockets that are open."""
        used = [connection for connection in (self._bus, *self._private.values()) if connection is not None]
        return sum(connection.calls for connection in used), sum(connection.bytes for connection in used)

    async def close(self) -> None:
        connections = [*self._private.values(), self._bus]
        self._private.clear()
        for connection in connections:
            if connection is not None:
                connection.close()

    def _route(self, destination: str) -> Connection:
        """Its private socket, where there is one, else the bus."""
        private = self._private.get(destination)
        if private is not None and not private.ended:
            return private
        if self._bus is None:
            raise _bus_gone()
        return self._bus

    def _heard(self, message: Message) -> None:
        signal = Signal(
            message.said.sender, message.said.interface, message.said.member, message.said.path, message.body
        )
        for handler in self._handlers:
            handler(signal)


class _Part:
    """Calls whose answers are handed over together, once the last has come."""

    __slots__ = ("_left", "_then", "calls", "exchange", "replies")

    def __init__(self, exchange: "_Exchange", calls: Sequence[Call], then: Callable[[list[Reply]], None]) -> None:
        self.exchange = exchange
        self.calls = calls
        self.replies: list[Reply | None] = [None] * len(calls)
        self._then = then
        self._left = len(calls)

    def answered(self, number: int, message: Message) -> None:
        """As `Waiter`."""
        if not self.exchange.over:
            self._take(number, self.exchange.reply(self.calls[number], message))

    def hung_up(self, number: int, connection: Connection) -> None:
        """As `Waiter`."""
        if self.exchange.over:
            return
        reply = self.exchange.hung_up(self, number, connection)
        if reply is not None:
            self._take(number, reply)

    def refuse(self, number: int, error: DesktopError) -> None:
        """A call that cannot be sent."""
        self._take(number, error)

    def _take(self, number: int, reply: Reply) -> None:
        self.replies[number] = reply
        self._left -= 1
        if not self._left:
            self.run()
        self.exchange.taken()

    def run(self) -> None:
        """Hands the answers over."""
        try:
            self._then(cast("list[Reply]", self.replies))  # none is missing
        except BaseException as error:  # noqa: BLE001 - raised where the answers are waited for
            self.exchange.fail(error)


async def _answers(connection: Connection, destination: str) -> bool:
    """Returns as soon as anything is answered over a private socket, or it hangs up."""
    exchange = _Exchange(lambda _: connection, None)
    part = _Part(exchange, [Call(destination, _ROOT, _ACCESSIBLE, "GetRole")], _ignore)
    exchange.send(part)
    await exchange.complete()
    return not connection.ended


class _Exchange:
    """Calls under way, with the handlers of their answers."""

    def __init__(
        self, route: Callable[[str], Connection], bus: Connection | None, *, again: bool = False, awake: bool = True
    ) -> None:
        self.missing = 0
        self.over = False
        self.bus_gone = False
        self.too_long = False
        self._route = route
        self._bus = bus
        self._again = again
        self._awake = awake
        self._bytes = 0
        self._routes: dict[str, Connection] = {}
        self._used: set[Connection] = set()
        self._complete: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def post(self, calls: Sequence[Call], then: Callable[[list[Reply]], None]) -> None:
        if not self.too_long:
            self.send(_Part(self, calls, then))

    def send(self, part: _Part) -> None:
        self.missing += len(part.calls)
        if not part.calls:
            part.run()
        for number, call in enumerate(part.calls):
            if call.signature not in SHORT and (why := _does_not_fit(call)):
                part.refuse(number, why)
                continue
            connection = self._routes.get(call.destination) or self._find_route(call.destination)
            connection.send(call, part, number)

    def _find_route(self, destination: str) -> Connection:
        self._routes[destination] = connection = self._route(destination)
        self._used.add(connection)
        connection.stays_awake = self._awake
        return connection

    def reply(self, call: Call, message: Message) -> Reply:
        """Decode an answer."""
        self._bytes += len(message.body)
        self.too_long = self._bytes > ANSWERS_LIMIT
        if self.too_long:
            return _too_long(call)
        try:
            body = message.values()
        except WireError as error:
            return _unreadable(call, error)
        return body if message.kind == Kind.RETURN else _error_of(call, message.said.error_name, body)

    def hung_up(self, part: _Part, number: int, connection: Connection) -> Reply | None:
        """Return the result of a call that was never answered; None: it is repeated over the bus."""
        call = part.calls[number]
        if connection is self._bus:
            self.bus_gone = True
            return _bus_gone()
        if not self._again:
            return _unreadable(call, connection.error) if connection.error else _gone(call, "it closed the connection")
        self._find_route(call.destination).send(call, part, number)
        return None

    def taken(self) -> None:
        """One answer more has been dealt with."""
        self.missing -= 1
        if not self.missing and not self._complete.done():
            self._complete.set_result(None)

    def fail(self, error: BaseException) -> None:
        if not self._complete.done():
            self._complete.set_exception(error)

    async def complete(self) -> None:
        if self.missing or self._complete.done():
            await self._complete

    def late(self) -> Collection[str]:
        """Return the peers of connections on which an answer is still missing."""
        late = {connection for connection in self._used if connection.is_waited_for(self._waits)}
        return [destination for destination, connection in self._routes.items() if connection in late]

    def forget(self) -> None:
        """Give up the missing answers."""
        self.over = True
        if self.missing:
            for connection in self._used:
                connection.forget(self._waits)

    def _waits(self, waiter: Waiter) -> bool:
        return isinstance(waiter, _Part) and waiter.exchange is self


def late(deadline_s: float) -> str:
    """Why something is missing."""
    return f"the application did not answer everything within {deadline_s:.1f} s"


def _does_not_fit(call: Call) -> DesktopError | None:
    """Why a call cannot be sent, if it cannot."""
    try:
        encode(call.signature, call.body)
    except WireError as error:
        return ActionRefused(f"{call.member} cannot be said: {error}", fix="Leave such characters out.")
    return None


def _unreadable(call: Call, error: WireError) -> DesktopError:
    return ActionRefused(f"{call.path} of {call.destination} answered {call.member} with no answer: {error}")


def _too_long(call: Call) -> DesktopError:
    return ActionRefused(f"{call.path} of {call.destination} answered too much.")


def _nothing() -> None:
    """The bus ended: callers that wait for an answer get the error from there."""


def _ignore(replies: list[Reply]) -> None:
    """They are looked at where they are kept."""


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
    if name == HUNG:
        return ApplicationUnresponsive(
            f"The application does not answer: {said}.", fix="Wait until the application answers again, or end it."
        )
    if name == _OBJECT_GONE or (name == _NO_METHOD and said.startswith(_NOT_AT_PATH)):
        return ElementStale(f"{call.path} of {call.destination} no longer exists.", fix="Observe the window again.")
    return ActionRefused(f"{call.path} of {call.destination} refused {call.interface}.{call.member}: {said}")
