"""A connection to a peer that may say anything, or nothing."""

import asyncio
import gc
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from anyio import create_unix_listener
from anyio.abc import SocketStream

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
)
from deskhand.desktop.linux.atspi.client import ANSWERS_LIMIT, BusTransport, Call, Post, Reply
from deskhand.desktop.linux.dbus import connection as connections
from deskhand.desktop.linux.dbus.connection import WINDOW_OF_CALLS, Connection, has_processors_to_spare
from deskhand.desktop.linux.dbus.wire import Kind, Message, encode, encode_call, next_message

Speak = Callable[[SocketStream], Awaitable[None]]
PING = Call(":1.1", "/", "a.b", "Ping")


@asynccontextmanager
async def listening(folder: Path, speak: Speak) -> AsyncGenerator[str]:
    """The address of a peer that does with every connection what `speak` says."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):  # the visitor has left
                await speak(stream)

    async with await create_unix_listener(folder / "peer") as listener, anyio.create_task_group() as peers:
        peers.start_soon(listener.serve, serve)
        yield f"unix:path={folder}/peer"
        peers.cancel_scope.cancel()


def reply(to: int, signature: str = "", *body: object, kind: Kind = Kind.RETURN) -> bytes:
    """An answer, made of a call: the header's fields but for the reply's number may be what they like."""
    data = bytearray(encode_call(1, ":1.2", "/", "a.b", "Answer", signature, body))
    data[1] = kind
    fields_length = int.from_bytes(data[12:16], "little")
    answer_to = bytes((5, 1, ord("u"), 0)) + to.to_bytes(4, "little")
    header, content = data[: 16 + fields_length], encode(signature, body) if signature else b""
    header += b"\0" * (-len(header) % 8) + answer_to
    header[12:16] = (len(header) - 16).to_bytes(4, "little")
    return bytes(header) + b"\0" * (-len(header) % 8) + content


def good(number: int) -> bytes:
    return reply(number, "s", "good")


async def greet(stream: SocketStream) -> None:
    """Lets a connection in, and answers its Hello."""
    said = b""
    while b"\r\n" not in said:
        said += await stream.receive()
    await stream.send(b"OK 1234\r\n")
    while b"BEGIN\r\n" not in said:
        said += await stream.receive()
    async for message in calls_of(stream, bytearray(said.partition(b"BEGIN\r\n")[2])):
        await stream.send(reply(message.serial, "s", ":1.9"))
        return


async def calls_of(stream: SocketStream, received: bytearray) -> AsyncGenerator[Message]:
    while True:
        while (found := next_message(received, 0)) is not None:
            message, end = found
            del received[:end]
            yield message
        received += await stream.receive()


def says(*answers: Callable[[int], bytes]) -> Speak:
    """Answers the calls, given their numbers, with these."""

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        left = iter(answers)
        async for message in calls_of(stream, bytearray()):
            await stream.send(next(left)(message.serial))

    return speak


async def _refuses(stream: SocketStream) -> None:
    await stream.receive()
    await stream.send(b"REJECTED EXTERNAL\r\n")


async def _hangs_up(stream: SocketStream) -> None:
    await stream.receive()


async def _is_silent(stream: SocketStream) -> None:
    while True:
        await stream.receive()


@pytest.mark.requires("desktop.private")
async def test_a_bus_is_found_in_a_folder_whose_name_is_escaped_in_its_address(tmp_path: Path) -> None:
    folder = tmp_path / "jürgen b"
    folder.mkdir()
    async with listening(folder, says()) as address:
        escaped = address.replace("ü", "%c3%bc").replace(" ", "%20")
        transport = await BusTransport.connect(escaped, deadline_s=5)
        await transport.close()


@pytest.mark.requires("desktop.display-gone")
@pytest.mark.parametrize("speak", [_refuses, _hangs_up, _is_silent])
async def test_a_bus_that_does_not_let_us_in_is_a_dead_desktop(tmp_path: Path, speak: Speak) -> None:
    async with listening(tmp_path, speak) as address:
        with pytest.raises(DesktopGone, match="cannot be reached"):
            await BusTransport.connect(address, deadline_s=0.2)


@pytest.mark.parametrize("address", ["", "tcp:host=localhost", "unix:path=/no/such/place", "unix:abstract=none-such"])
async def test_nobody_listens_at_a_wrong_address(address: str) -> None:
    with pytest.raises(DesktopGone):
        await BusTransport.connect(address)


@pytest.mark.requires("desktop.display-gone")
@pytest.mark.parametrize("last", [b"", b"nonsense" * 10, reply(2)[:20]], ids=["nothing", "nonsense", "half an answer"])
async def test_a_bus_that_hangs_up_or_talks_nonsense_is_a_dead_desktop(tmp_path: Path, last: bytes) -> None:
    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        await stream.receive()
        await stream.send(last)

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        with pytest.raises(DesktopGone), anyio.fail_after(10):
            await transport.batch([PING] * 600, deadline_s=60)
        with pytest.raises(DesktopGone):
            await transport.call(PING, deadline_s=60)
        await transport.close()


@pytest.mark.requires("desktop.deadlines")
async def test_an_answer_that_comes_too_late_answers_nothing_else(tmp_path: Path) -> None:
    async with listening(tmp_path, _answers_the_second_first) as address:
        transport = await BusTransport.connect(address)
        with pytest.raises(ApplicationUnresponsive):
            await transport.call(PING, deadline_s=0.05)
        assert await transport.call(PING, deadline_s=10) == ["two"]
        await transport.close()


async def _answers_the_second_first(stream: SocketStream) -> None:
    await greet(stream)
    calls = calls_of(stream, bytearray())
    numbers = [(await anext(calls)).serial, (await anext(calls)).serial]
    for number, word in zip(numbers, ("one", "two"), strict=True):
        await stream.send(reply(number, "s", word))
    await stream.receive()


async def test_an_answer_that_cannot_be_read_is_refused_and_the_rest_arrives(tmp_path: Path) -> None:
    def broken(number: int) -> bytes:
        return reply(number, "s", "text")[:-9] + b"\xff\xff\xff\x00text\0"

    async with listening(tmp_path, says(broken, good)) as address:
        transport = await BusTransport.connect(address)
        first, second = await transport.batch([PING, PING], deadline_s=10)
        assert isinstance(first, ActionRefused)
        assert second == ["good"]
        await transport.close()


async def test_only_a_window_of_calls_is_under_way(tmp_path: Path) -> None:
    seen: list[int] = []
    go_on = anyio.Event()

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            seen.append(message.serial)
            if len(seen) == WINDOW_OF_CALLS:
                await go_on.wait()
                for serial in seen:
                    await stream.send(reply(serial))
            elif len(seen) > WINDOW_OF_CALLS:
                await stream.send(reply(message.serial))

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        async with anyio.create_task_group() as group:
            group.start_soon(partial(transport.batch, [PING] * 1000, deadline_s=20))
            with anyio.fail_after(20):
                while len(seen) < WINDOW_OF_CALLS:
                    await anyio.lowlevel.checkpoint()
            assert len(seen) == WINDOW_OF_CALLS
            go_on.set()
        assert len(seen) == 1000
        await transport.close()


async def test_what_a_handler_raises_reaches_whoever_waits(tmp_path: Path) -> None:
    async with listening(tmp_path, says(reply)) as address:
        transport = await BusTransport.connect(address)

        def broken(_: object) -> None:
            raise KeyError("oh")

        with pytest.raises(KeyError, match="oh"), anyio.fail_after(10):
            await transport.stream(lambda post: post([PING], broken), deadline_s=60)
        await transport.close()


class _Waiter:
    """Notes which of its calls the connection left unanswered."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def answered(self, number: int, message: Message) -> None:
        raise AssertionError(f"{number} was answered: {message}")

    def hung_up(self, number: int, connection: Connection) -> None:
        assert connection.ended
        self.told.append(number)


async def test_its_end_is_told_once(tmp_path: Path) -> None:
    ends: list[str] = []
    async with listening(tmp_path, greet) as address:
        connection = await Connection.open(address, lambda _: None, lambda: ends.append("end"), deadline_s=5)
        waiter = _Waiter()
        connection.send(PING, waiter, 1)
        connection.close()
        connection.close()
        connection.send(PING, waiter, 2)
        await anyio.lowlevel.checkpoint()
    assert (ends, waiter.told) == (["end"], [1, 2])


@pytest.mark.requires("desktop.bounded-answers")
async def test_a_peer_that_lets_nobody_in_leaves_nothing_behind(tmp_path: Path) -> None:
    """The number of its socket is that of the next one, which the event loop must not take for it."""
    loop = asyncio.get_running_loop()
    async with listening(tmp_path, _is_silent) as address:
        with pytest.raises(DesktopGone):
            await BusTransport.connect(address, deadline_s=0.05)
        await anyio.wait_all_tasks_blocked()
        pairs = [socket.socketpair() for _ in range(5)]
        for end in [end for pair in pairs for end in pair]:
            with end:
                end.setblocking(False)
                with suppress(BrokenPipeError):  # the other end is closed already
                    await loop.sock_sendall(end, b"free")


async def test_a_peer_that_leaves_after_we_gave_up_is_not_worth_a_word() -> None:
    said: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: said.append(context))
    connection = Connection(lambda _message: None, lambda: None)
    connection.connection_lost(None)
    del connection
    gc.collect()
    assert said == []


@pytest.mark.requires("desktop.bounded-answers")
async def test_a_greeting_without_end_is_refused(tmp_path: Path) -> None:
    async def speak(stream: SocketStream) -> None:
        await stream.receive()
        await stream.send(b"O" * 100_000)
        await stream.receive()

    async with listening(tmp_path, speak) as address:
        with pytest.raises(DesktopGone, match="refused"), anyio.fail_after(10):
            await BusTransport.connect(address, deadline_s=60)


@pytest.mark.requires("desktop.bounded-answers")
async def test_an_answer_in_the_other_byte_order_is_refused_and_the_bus_stays(tmp_path: Path) -> None:
    def swapped(number: int) -> bytes:
        fields = b"\x05\x01u\0" + number.to_bytes(4, "big")
        return b"B\2\0\1" + bytes(7) + b"\1" + len(fields).to_bytes(4, "big") + fields

    async with listening(tmp_path, says(swapped, good)) as address:
        transport = await BusTransport.connect(address)
        first, second = await transport.batch([PING, PING], deadline_s=10)
        assert isinstance(first, ActionRefused)
        assert second == ["good"]
        await transport.close()


@pytest.mark.requires("desktop.bounded-answers")
async def test_answers_without_end_are_taken_up_to_a_limit(tmp_path: Path) -> None:
    answer = "x" * 2**20

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            await stream.send(reply(message.serial, "s", answer))

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        taken: list[int] = []

        def begin(post: Post) -> None:
            def take(replies: list[Reply]) -> None:
                taken.append(sum(not isinstance(one, DesktopError) for one in replies))
                post([PING], take)

            post([PING], take)

        with anyio.fail_after(30):
            left_out = await transport.stream(begin, deadline_s=25)
        assert "MiB" in left_out
        assert sum(taken) * len(answer) <= ANSWERS_LIMIT
        await transport.close()


def bus_with(address: str, pid: int) -> Speak:
    """A bus with an application that says it has a private socket, and says of the rest that it came by bus."""

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            answers = {
                "GetApplicationBusAddress": reply(message.serial, "s", address),
                "GetConnectionUnixProcessID": reply(message.serial, "u", pid),
            }
            await stream.send(answers.get(message.said.member, reply(message.serial, "s", "by bus")))

    return speak


async def _lets_in(stream: SocketStream) -> bytearray:
    """What the visitor said after its greeting."""
    await stream.receive()
    await stream.send(b"OK 1234\r\n")
    said = bytearray()
    while b"BEGIN\r\n" not in said:
        said += await stream.receive()
    return said.partition(b"BEGIN\r\n")[2]


async def _answers_ten(stream: SocketStream) -> None:
    """Besides the one that finds out whether anybody answers."""
    number = 0
    async for message in calls_of(stream, await _lets_in(stream)):
        number += 1
        if number > 11:
            return
        await stream.send(reply(message.serial, "s", "privately"))


async def _lets_in_and_is_silent(stream: SocketStream) -> None:
    await _lets_in(stream)
    await _is_silent(stream)


async def _talks_nonsense(stream: SocketStream) -> None:
    await _lets_in(stream)
    await stream.send(b"nonsense" * 100)
    await stream.receive()


@asynccontextmanager
async def approached(folder: Path, speak: Speak, *, pid: int) -> AsyncGenerator[BusTransport]:
    """A transport that has approached an application whose private socket does what `speak` says."""
    for name in ("private", "bus"):
        (folder / name).mkdir()
    async with (
        listening(folder / "private", speak) as private,
        listening(folder / "bus", bus_with(private, pid)) as bus,
    ):
        transport = await BusTransport.connect(bus)
        with anyio.fail_after(1.5):
            await transport.approach(PING.destination, deadline_s=2)
        yield transport
        await transport.close()


async def _streamed(transport: BusTransport, number: int) -> list[object]:
    said: list[object] = []

    def take(replies: list[Reply]) -> None:
        said.extend(one if isinstance(one, DesktopError) else one[0] for one in replies)

    with anyio.fail_after(10):
        assert not await transport.stream(lambda post: post([PING] * number, take), deadline_s=60)
    return said


@pytest.mark.requires("desktop.lying")
async def test_reading_goes_on_over_the_bus_where_a_private_socket_hangs_up(tmp_path: Path) -> None:
    async with approached(tmp_path, _answers_ten, pid=os.getpid()) as transport:
        assert await _streamed(transport, 300) == ["privately"] * 10 + ["by bus"] * 290
        assert await transport.call(PING, deadline_s=10) == ["by bus"]


@pytest.mark.requires("desktop.lying")
async def test_a_call_that_may_have_been_carried_out_is_not_made_again(tmp_path: Path) -> None:
    async with approached(tmp_path, _answers_ten, pid=os.getpid()) as transport:
        replies = await transport.batch([PING] * 20, deadline_s=10)
        assert [isinstance(one, ApplicationGone) for one in replies] == [False] * 10 + [True] * 10


@pytest.mark.requires("desktop.lying")
async def test_an_application_that_talks_nonsense_over_its_private_socket_is_not_called_gone(tmp_path: Path) -> None:
    async def speak(stream: SocketStream) -> None:
        calls = calls_of(stream, await _lets_in(stream))
        await stream.send(reply((await anext(calls)).serial))
        await anext(calls)
        await stream.send(b"nonsense" * 100)
        await stream.receive()

    async with approached(tmp_path, speak, pid=os.getpid()) as transport:
        with pytest.raises(ActionRefused, match="Ping with no answer"):
            await transport.call(PING, deadline_s=10)
        assert await transport.call(PING, deadline_s=10) == ["by bus"]


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("speak", [_talks_nonsense, _refuses, _hangs_up, _is_silent, _lets_in_and_is_silent])
async def test_a_private_socket_of_no_use_is_passed_by(tmp_path: Path, speak: Speak) -> None:
    async with approached(tmp_path, speak, pid=os.getpid()) as transport:
        assert await _streamed(transport, 5) == ["by bus"] * 5


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("speak", [_is_silent, _lets_in_and_is_silent])
async def test_a_private_socket_that_keeps_silent_is_tried_once(tmp_path: Path, speak: Speak) -> None:
    tried: list[None] = []

    async def counted(stream: SocketStream) -> None:
        tried.append(None)
        await speak(stream)

    async with approached(tmp_path, counted, pid=os.getpid()) as transport:
        await transport.approach(PING.destination, deadline_s=2)
        assert await _streamed(transport, 1) == ["by bus"]
        assert len(tried) == 1


@pytest.mark.requires("desktop.lying")
async def test_an_application_that_is_late_leaves_the_private_sockets_of_others_open(tmp_path: Path) -> None:
    speakers: list[int] = []

    async def speak(stream: SocketStream) -> None:
        received = await _lets_in(stream)
        speakers.append(len(speakers))
        first = len(speakers) == 1
        async for message in calls_of(stream, received):
            await stream.send(reply(message.serial, "s", "privately"))
            if first:
                await _is_silent(stream)

    other = PING._replace(destination=":1.2")
    async with approached(tmp_path, speak, pid=os.getpid()) as transport:
        await transport.approach(other.destination, deadline_s=10)
        late, answered = await transport.batch([PING, other], deadline_s=1)
        assert isinstance(late, ApplicationUnresponsive)
        assert answered == ["privately"]
        assert await transport.batch([PING, other], deadline_s=10) == [["by bus"], ["privately"]]


@pytest.mark.requires("desktop.lying")
async def test_a_private_socket_of_another_process_is_passed_by(tmp_path: Path) -> None:
    async with approached(tmp_path, _answers_ten, pid=os.getpid() + 1) as transport:
        assert await _streamed(transport, 5) == ["by bus"] * 5


@pytest.mark.requires("desktop.lying")
async def test_an_address_that_is_none_is_passed_by(tmp_path: Path) -> None:
    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            known = message.said.member == "GetApplicationBusAddress"
            await stream.send(reply(message.serial) if known else reply(message.serial, "u", 1))

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        await transport.approach(PING.destination, deadline_s=1)
        assert await transport.call(PING, deadline_s=10) == [1]
        await transport.close()


@pytest.mark.requires("desktop.lying")
async def test_the_number_of_a_call_says_nothing_of_the_next(tmp_path: Path) -> None:
    """A bus lets anybody answer a call whose number they know."""
    numbers: list[int] = []

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            numbers.append(message.serial)
            await stream.send(good(message.serial))

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        assert await transport.batch([PING] * 2000, deadline_s=20) == [["good"]] * 2000
        await transport.close()
    steps = [abs(after - before) for before, after in pairwise(numbers)]
    assert len(set(numbers)) == len(numbers)
    assert sum(step > 2**20 for step in steps) > len(steps) / 2


@pytest.fixture(name="turns")
def _turns(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """The turns that the loop has made in place of sleep."""
    turns: list[None] = []
    monkeypatch.setattr(connections.os, "sched_yield", lambda: turns.append(None))
    return turns


async def test_answers_are_waited_for_awake_for_a_moment_only(
    tmp_path: Path, turns: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            await stream.send(good(message.serial))
            await _is_silent(stream)

    monkeypatch.setattr(connections, "has_processors_to_spare", lambda: True)
    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        turns.clear()
        replies = await transport.batch([PING, PING], deadline_s=1)
        assert replies[0] == ["good"]
        assert isinstance(replies[1], ApplicationUnresponsive)
        assert 0 < len(turns) < 5000  # a second without sleep has tens of thousands
        turns.clear()
        await _a_turn()
        assert not turns
        await transport.close()


async def _a_turn() -> None:
    turned = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turned.set_result, None)
    await turned


async def test_the_loop_may_sleep_once_all_is_answered(
    tmp_path: Path, turns: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "has_processors_to_spare", lambda: True)
    async with listening(tmp_path, says(good)) as address:
        transport = await BusTransport.connect(address)
        assert await transport.call(PING, deadline_s=10) == ["good"]
        turns.clear()
        await _a_turn()
        assert not turns
        await transport.close()


async def test_nobody_stays_awake_while_others_want_the_processors(
    tmp_path: Path, turns: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "has_processors_to_spare", lambda: False)
    async with listening(tmp_path, says(good, good)) as address:
        transport = await BusTransport.connect(address)
        assert await transport.batch([PING, PING], deadline_s=10) == [["good"], ["good"]]
        await transport.close()
    assert not turns


async def test_nobody_stays_awake_who_was_told_not_to(
    tmp_path: Path, turns: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "has_processors_to_spare", lambda: True)
    async with listening(tmp_path, says(good, good)) as address:
        transport = await BusTransport.connect(address)
        turns.clear()
        assert not await transport.stream(lambda post: post([PING], lambda _: None), deadline_s=10, awake=False)
        assert not turns
        assert not await transport.stream(lambda post: post([PING], lambda _: None), deadline_s=10)
        assert turns
        await transport.close()


async def test_whether_processors_are_to_spare_is_asked_once_for_calls_that_follow_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []
    monkeypatch.setattr(connections, "has_processors_to_spare", lambda: bool(asked.append(None)))

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        async for message in calls_of(stream, bytearray()):
            await stream.send(good(message.serial))

    async with listening(tmp_path, speak) as address:
        transport = await BusTransport.connect(address)
        asked.clear()
        await transport.batch([PING] * (3 * WINDOW_OF_CALLS), deadline_s=20)
        assert len(asked) == 1
        await transport.close()


@pytest.mark.parametrize(
    ("said", "spare"),
    [
        ("0.00 0.00 0.00 1/80 300", True),
        (f"0.00 0.00 0.00 {os.cpu_count()}/80 300", True),
        (f"0.00 0.00 0.00 {(os.cpu_count() or 1) + 1}/80 300", False),
        ("nonsense", False),
        ("0.00 0.00 0.00 x/80 300", False),
        (None, False),
    ],
)
def test_processors_are_to_spare_where_no_more_want_to_run(
    said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, spare: bool
) -> None:
    load = tmp_path / "loadavg"
    if said is not None:
        load.write_text(said, "ascii")
    monkeypatch.setattr(connections, "LOAD", load)
    assert has_processors_to_spare() is spare


def one(number: int) -> bytes:
    return reply(number, "u", 1)


@pytest.mark.parametrize("text", ["a\0b", "a\ud83db"])
async def test_a_text_that_no_bus_lets_through_is_refused_and_the_rest_arrives(tmp_path: Path, text: str) -> None:
    async with listening(tmp_path, says(one, one)) as address:
        transport = await BusTransport.connect(address)
        wrong = Call(PING.destination, PING.path, PING.interface, "SetTextContents", "s", (text,))
        first, refused, last = await transport.batch([PING, wrong, PING], deadline_s=10)
        assert (first, last) == ([1], [1])
        assert isinstance(refused, ActionRefused)
        await transport.close()


@pytest.mark.requires("desktop.display-gone")
async def test_a_bus_that_lets_us_in_and_says_no_hello_is_a_dead_desktop(tmp_path: Path) -> None:
    ended = anyio.Event()

    async def speak(stream: SocketStream) -> None:
        await _lets_in(stream)
        with suppress(anyio.EndOfStream):
            while True:
                await stream.receive()
        ended.set()

    async with listening(tmp_path, speak) as address:
        with pytest.raises(DesktopGone, match="does not answer"):
            await BusTransport.connect(address, deadline_s=0.1)
        with anyio.fail_after(10):
            await ended.wait()


@pytest.mark.requires("desktop.lying")
async def test_an_approach_that_is_called_off_leaves_nothing_behind(tmp_path: Path) -> None:
    ended, let_in = anyio.Event(), anyio.Event()

    async def speak(stream: SocketStream) -> None:
        await _lets_in(stream)
        let_in.set()
        with suppress(anyio.EndOfStream):
            while True:
                await stream.receive()
        ended.set()

    for name in ("private", "bus"):
        (tmp_path / name).mkdir()
    async with (
        listening(tmp_path / "private", speak) as private,
        listening(tmp_path / "bus", bus_with(private, os.getpid())) as bus,
    ):
        transport = await BusTransport.connect(bus)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(transport.approach, PING.destination, deadline_s=60))
            with anyio.fail_after(10):
                await let_in.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            await ended.wait()
        assert await _streamed(transport, 3) == ["by bus"] * 3
        await transport.close()


@pytest.mark.requires("desktop.lying")
async def test_a_private_socket_that_was_left_takes_nothing_of_the_next_with_it(tmp_path: Path) -> None:
    """One exchange is late and leaves it while another still waits there; a new one is open when the old one ends."""
    hang_up, speakers = anyio.Event(), list[int]()

    async def speak(stream: SocketStream) -> None:
        await greet(stream)
        speakers.append(len(speakers))
        if len(speakers) > 1:
            async for message in calls_of(stream, bytearray()):
                await stream.send(reply(message.serial, "s", "privately"))
            return
        await hang_up.wait()

    for name in ("private", "bus"):
        (tmp_path / name).mkdir()
    async with (
        listening(tmp_path / "private", speak) as private,
        listening(tmp_path / "bus", bus_with(private, os.getpid())) as bus,
    ):
        transport = await BusTransport.connect(bus)
        await transport.approach(PING.destination, deadline_s=10)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(transport.batch, [PING], deadline_s=10))  # waits there until it hangs up
            await anyio.lowlevel.checkpoint()
            await transport.batch([PING], deadline_s=0.05)
            await transport.approach(PING.destination, deadline_s=10)
            hang_up.set()
        assert await _streamed(transport, 3) == ["privately"] * 3
        await transport.close()
