"""One connection that speaks D-Bus: calls go out together, answers are handed over as they come."""

import asyncio
import os
import re
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self, cast
from urllib.parse import unquote_to_bytes

import anyio

from deskhand.desktop.linux.dbus.wire import Kind, Message, Value, WireError, encode_call, next_message

WINDOW_OF_CALLS: Final = 256
"""Calls in flight. More gain nothing, and a stopped application would fill a bus daemon with them."""

_AT_ONCE: Final = 32
"""Calls that are written together at most, so that the peer is at work while many answers are taken in."""

_AWAKE_S: Final = 0.0005
"""Time for which the next answer is polled without sleep. Waking takes longer than most answers do, and the kernel
likes to wake us on the peer's processor, where one of the two works while the other waits.
"""

LOAD: Final = Path("/proc/loadavg")
"""File with the number of processes that want to run."""

_BUFFER_BYTES: Final = 1 << 20
_LINE_LIMIT: Final = 1000
_ADDRESS: Final = re.compile(r"unix:(path|abstract)=([^,;]+)")


class Waiter(Protocol):
    """A wait for the answers of some calls."""

    def answered(self, number: int, message: Message, /) -> None:
        """The answer of the call that was sent with this number."""
        ...

    def hung_up(self, number: int, connection: "Connection", /) -> None:
        """The connection ended before the answer of that call came."""
        ...


class Call(NamedTuple):
    """One method call to an object of an application. (A tuple: an observation makes thousands.)"""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: Sequence[Value] = ()


class Connection(asyncio.Protocol):
    """Use `open`. `on_signal` takes messages that answer nothing; `on_end` is called once, when the connection has
    ended.

    `error`: the fault in a received message, where the connection was ended for that. `calls` were sent and `bytes`
    received up to now. `stays_awake`: answers are polled without sleep for a moment, where processors are to spare.
    """

    def __init__(self, on_signal: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        self.ended = False
        self.error: WireError | None = None
        self._closing = False
        self.stays_awake = True
        self.calls = 0
        self.bytes = 0
        self._on_signal = on_signal
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self.authenticated: asyncio.Future[None] = self._loop.create_future()
        self._transport: asyncio.WriteTransport | None = None
        self._received = bytearray()
        self._serials = _serials()
        self._waiting: dict[int, tuple[Waiter, int]] = {}
        self._queue: deque[tuple[Call, Waiter, int]] = deque()
        self._out: list[bytes] = []
        self._is_awake = False
        self._may_stay_awake = False
        self._last_s = 0.0

    @classmethod
    async def open(
        cls, address: str, on_signal: Callable[[Message], None], on_end: Callable[[], None], *, deadline_s: float
    ) -> Self:
        """Connect and authenticate. Raises: OSError (no answer, TimeoutError among them)."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection: Self | None = None
        try:
            link.setblocking(False)
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                link.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
            with anyio.fail_after(deadline_s):
                await asyncio.get_running_loop().sock_connect(link, _path_of(address))
                loop = asyncio.get_running_loop()
                _, connection = await loop.create_unix_connection(lambda: cls(on_signal, on_end), sock=link)
                await connection.authenticated
        except BaseException:
            if connection is None:
                link.close()
            else:
                connection.close()  # the event loop knows the socket by its number, which is free once it is closed
            raise
        return connection

    def peer_pid(self) -> int:
        """Process at the other end; 0 where the kernel does not report it."""
        link = self._transport.get_extra_info("socket") if self._transport else None
        if link is None:
            return 0
        return struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def send(self, call: Call, waiter: Waiter, number: int) -> None:
        """Sends a call as soon as the window has room. Raises: WireError (its body does not fit its signature)."""
        if self.ended:
            waiter.hung_up(number, self)
            return
        if len(self._waiting) >= WINDOW_OF_CALLS:
            self._queue.append((call, waiter, number))
            return
        serial = next(self._serials)
        data = encode_call(serial, *call)
        self._waiting[serial] = (waiter, number)
        self.calls += 1
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(data)
        if len(self._out) >= _AT_ONCE:
            self._flush()

    def forget(self, waits: Callable[[Waiter], bool]) -> None:
        """Cancel waits: their queued calls are not sent, late answers are dropped."""
        self._waiting = {serial: entry for serial, entry in self._waiting.items() if not waits(entry[0])}
        self._queue = deque(entry for entry in self._queue if not waits(entry[1]))
        self._send_queued()
        self._close_if_idle()

    def is_waited_for(self, waits: Callable[[Waiter], bool]) -> bool:
        """True if one of these waits for an answer, or for its call to be sent."""
        waiters = (waiter for waiter, _ in self._waiting.values())
        return any(map(waits, waiters)) or any(waits(waiter) for _, waiter, _ in self._queue)

    def close_when_idle(self) -> None:
        """Ends it as soon as nobody waits for an answer."""
        self._closing = True
        self._close_if_idle()

    def _close_if_idle(self) -> None:
        if self._closing and not self._waiting and not self._queue:
            self.close()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
        self._end()

    def _flush(self) -> None:
        """Send the messages of one turn of the loop in one write."""
        out, self._out = self._out, []
        if out and self._transport is not None and not self.ended:
            self._transport.write(b"".join(out))
            if len(self._waiting) == len(out):  # asked once for all calls that follow from these: it takes 14 µs
                self._may_stay_awake = self.stays_awake and has_processors_to_spare()
            self._wake()

    def _wake(self) -> None:
        self._last_s = time.perf_counter()
        if self._may_stay_awake and not self._is_awake:
            self._stay_awake()

    def _stay_awake(self) -> None:
        """Has the loop look for answers without sleep, until there are none to come or none came for a moment."""
        self._is_awake = bool(self._waiting) and time.perf_counter() - self._last_s < _AWAKE_S
        if self._is_awake:
            os.sched_yield()
            self._loop.call_soon(self._stay_awake)

    def _send_queued(self) -> None:
        while self._queue and len(self._waiting) < WINDOW_OF_CALLS:
            self.send(*self._queue.popleft())

    # --- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # a stream socket's is one
        self._transport.write(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")

    def data_received(self, data: bytes) -> None:
        self._received += data
        self.bytes += len(data)
        if not self.authenticated.done():
            self._authenticate()
        if self.authenticated.done() and self._received:
            try:
                self._take_messages()
            except WireError as error:
                self.error = error
                self.close()  # later messages cannot be found any more
            self._wake()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as the protocol has it
        self._end()

    def _authenticate(self) -> None:
        line, found, rest = self._received.partition(b"\r\n")
        if not found and len(line) < _LINE_LIMIT:
            return
        self._received = bytearray(rest)
        if self._transport is not None and line.startswith(b"OK "):
            self._transport.write(b"BEGIN\r\n")
            self.authenticated.set_result(None)
        else:
            self._not_let_in(ConnectionRefusedError(f"refused: {bytes(line[:100])!r}"))
            self.close()

    def _not_let_in(self, error: OSError) -> None:
        self.authenticated.set_exception(error)
        self.authenticated.exception()  # where `open` was given up nobody waits for it, which asyncio would print

    def _take_messages(self) -> None:
        received, at = self._received, 0
        try:
            while (found := next_message(received, at)) is not None:
                message, at = found
                self._take(message)
        finally:
            if received is self._received:
                del received[:at]

    def _take(self, message: Message) -> None:
        if message.reply_serial:
            entry = self._waiting.pop(message.reply_serial, None)
            if entry is not None:
                waiter, number = entry
                waiter.answered(number, message)
                if self._queue:
                    self._send_queued()
                if self._closing:
                    self._close_if_idle()
        elif message.kind == Kind.SIGNAL:
            self._on_signal(message)

    def _end(self) -> None:
        if self.ended:
            return
        self.ended = True
        if not self.authenticated.done():
            self._not_let_in(ConnectionResetError("the other end hung up"))
        left = [*self._waiting.values(), *((waiter, number) for _, waiter, number in self._queue)]
        self._waiting.clear()
        self._queue.clear()
        for waiter, number in left:
            waiter.hung_up(number, self)
        self._on_end()


def has_processors_to_spare() -> bool:
    """True if no more processes want to run now than there are processors: polling takes none from any other."""
    try:
        running = int(LOAD.read_bytes().split()[3].partition(b"/")[0])
    except (OSError, IndexError, ValueError):
        return False
    return running <= (os.cpu_count() or 1)


def _serials() -> Iterator[int]:
    """Numbers that nobody guesses: a bus lets anybody answer calls that were made to others."""
    while True:
        yield from filter(None, struct.unpack("1024I", os.urandom(4096)))


def _path_of(address: str) -> bytes:
    """The socket of a D-Bus address. Raises: OSError where it has none we can use."""
    found = _ADDRESS.search(address)
    if found is None:
        raise OSError(f"{address!r} names no local socket")
    path = unquote_to_bytes(os.fsencode(found[2]))
    return b"\0" + path if found[1] == "abstract" else path
