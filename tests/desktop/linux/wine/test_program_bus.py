"""A Windows program on a bus in memory: it goes on answering, whatever its helper said."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, cast

import pytest
from dbus_fast import Message, MessageType

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.wine import program_bus
from deskhand.desktop.linux.wine.accessible import ROOT, path_of
from deskhand.desktop.linux.wine.helper import Helper, HelperRefusal
from deskhand.desktop.linux.wine.program_bus import ProgramBus
from deskhand.desktop.linux.wine.window_tree import TopWindow
from desktop.linux.wine.test_accessible import node

pytestmark = [pytest.mark.anyio, pytest.mark.requires("wine.bridge")]

WINDOW = TopWindow(10, 32, 99, "Orders", "orders.exe", (0, 0, 9, 9))
PATIENCE_S = 10.0
TEXTS = {"11": "with a \0 zero", "12": "Ada"}


class Bus:
    """It takes no text with a zero, as D-Bus does."""

    unique_name = ":1.7"

    def __init__(self, bus_address: str) -> None:
        self.address = bus_address
        self.replies: dict[int, asyncio.Future[Message]] = {}
        self.hear: Callable[[Message], bool | None] = lambda _: None

    async def connect(self) -> "Bus":
        return self

    def add_message_handler(self, hear: Callable[[Message], bool | None]) -> None:
        self.hear = hear

    async def call(self, _: Message) -> None:
        """The registry takes it."""

    def send(self, message: Message) -> None:
        if "\\x00" in repr(message.body):
            raise ValueError("string value contains a NUL byte")
        self.replies[message.reply_serial or 0].set_result(message)

    def disconnect(self) -> None:
        """Nothing to close."""

    async def ask(self, key: str, interface: str, member: str, signature: str = "", *body: object) -> Message:
        call = Message(
            destination=self.unique_name,
            path=path_of(key),
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
            serial=len(self.replies) + 1,
            sender=":1.1",
        )
        reply = self.replies[call.serial] = asyncio.get_running_loop().create_future()
        self.hear(call)
        async with asyncio.timeout(PATIENCE_S):
            return await reply


class Answers:
    """A helper with one window."""

    def __init__(self) -> None:
        self.hangs = False
        self.free = asyncio.Event()
        self.free.set()

    async def ask(self, do: str, **_: object) -> Any:  # JSON
        await self.free.wait()
        if do == "windows":
            return [asdict(WINDOW)]
        if self.hangs:
            raise HelperRefusal("hung", "the program does not answer")
        fields = [node(key, "10", "entry", text=text) for key, text in TEXTS.items()]
        slider = node("13", "10", "slider", value=(30, 0, 100, 1))
        return {"complete": True, "nodes": [node("10", None, "frame", name="Orders"), *fields, slider]}


async def entered(monkeypatch: pytest.MonkeyPatch) -> tuple[Bus, Answers, ProgramBus]:
    monkeypatch.setattr(program_bus, "MessageBus", Bus)
    helper = Answers()
    program = await ProgramBus.enter("unix:path=/none", cast("Helper", helper), WINDOW, 71)
    return cast("Bus", vars(program)["_bus"]), helper, program


async def test_an_answer_that_the_bus_does_not_carry_is_an_error_and_the_next_call_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bus, _, program = await entered(monkeypatch)
    lost = await bus.ask("11", calls.TEXT, "GetText", "ii", 0, -1)
    assert (lost.message_type, "NUL" in str(lost.body)) == (MessageType.ERROR, True)
    assert (await bus.ask("12", calls.TEXT, "GetText", "ii", 0, -1)).body == ["Ada"]
    for member, signature, body in (("GetText", "", []), ("GetText", "ss", ["a", "b"])):
        malformed = await bus.ask("12", calls.TEXT, member, signature, *body)
        assert malformed.message_type is MessageType.ERROR
    plain = await bus.ask("13", calls.PROPERTIES, "Set", "ssd", calls.VALUE, "CurrentValue", 3.0)
    assert plain.message_type is MessageType.ERROR, "a number that is no variant"
    assert (await bus.ask("12", calls.TEXT, "GetText", "ii", 0, 1)).body == ["A"]
    program.leave()


async def test_a_program_that_hangs_still_says_which_process_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, helper, program = await entered(monkeypatch)
    helper.free.clear()
    waiting = asyncio.ensure_future(bus.ask(ROOT, calls.ACCESSIBLE, "GetChildren"))
    assert (await bus.ask(ROOT, calls.ACCESSIBLE, "GetAttributes")).body[0][calls.PROCESS] == "71"
    assert not waiting.done()
    helper.hangs = True
    helper.free.set()
    assert (await waiting).message_type is MessageType.ERROR
    program.leave()
