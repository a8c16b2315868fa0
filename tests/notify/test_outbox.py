"""Messages on their way beside the work: none delays it, none is lost without a word."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from deskhand.config.sections import NotifySection
from deskhand.core.errors import ErrorInfo, NotificationFailed
from deskhand.notify import Channel, Message, Notifications, opened, outbox
from deskhand.notify.message import end, question, task_end

pytestmark = [pytest.mark.requires("notify.harmless"), pytest.mark.anyio]

QUESTION = question("s", "HostAgent", ["Which?"])


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    return "asyncio"


@dataclass
class Taking:
    """A channel of a test."""

    name: str = "the test"
    does: Callable[[], Any] = anyio.lowlevel.checkpoint
    took: list[Message] = field(default_factory=list[Message])
    closed: bool = False

    async def send(self, message: Message) -> None:
        await self.does()
        self.took.append(message)

    async def close(self) -> None:
        self.closed = True


def to(*channels: Channel, **settings: object) -> Notifications:
    class Given(Notifications):
        def channels(self) -> tuple[Channel, ...]:
            return channels

    return Given(NotifySection.model_validate({"wait_s": 0.0, **settings}))


class Reports:
    def __init__(self) -> None:
        self.all: list[tuple[str, str]] = []

    def __call__(self, channel: str, error: ErrorInfo) -> None:
        self.all.append((channel, error.message))


async def fails() -> None:
    raise NotificationFailed("it is away")


async def breaks() -> None:
    raise ZeroDivisionError("a fault")


async def test_each_channel_gets_the_messages_in_order_with_their_time() -> None:
    one, two, reports = Taking(), Taking(), Reports()
    async with opened(to(one, two), reports, now=lambda: 5.0) as box:
        box.send(end("a", "success", 1))
        box.send(end("b", "failed", 2))
    assert [m.session for m in one.took] == [m.session for m in two.took] == ["a", "b"]
    assert {m.at for m in one.took} == {5.0}
    assert (one.closed, two.closed, reports.all) == (True, True, [])


async def test_kinds_that_are_not_wanted_are_not_sent() -> None:
    channel = Taking()
    async with opened(to(channel, on=["task"]), Reports()) as box:
        box.send(end("a", "success", 1))
        box.send(task_end("b", "t", "success"))
    assert [m.kind for m in channel.took] == ["task"]


async def test_the_end_of_short_work_is_not_sent() -> None:
    channel = Taking()
    async with opened(to(channel, end_after_s=60.0), Reports()) as box:
        box.send_end(end("a", "success", 59.9), 59.9)
        box.send_end(end("b", "success", 60.0), 60.0)
    assert [m.session for m in channel.took] == ["b"]


async def test_a_question_that_was_answered_at_once_is_not_sent() -> None:
    channel = Taking()
    async with opened(to(channel, wait_s=3600.0), Reports()) as box:
        box.send_unless_answered(QUESTION)
        await anyio.lowlevel.checkpoint()
        box.answered()
    assert channel.took == []


async def test_a_question_that_waits_is_sent_once() -> None:
    channel = Taking()
    came = anyio.Event()

    async def note() -> None:
        came.set()

    channel.does = note
    async with opened(to(channel, wait_s=0.01), Reports()) as box:
        box.send_unless_answered(QUESTION)
        with anyio.fail_after(10):
            await came.wait()
        box.answered()
    assert len(channel.took) == 1


async def test_a_question_that_is_unanswered_when_the_work_ends_is_not_sent() -> None:
    channel = Taking()
    async with opened(to(channel, wait_s=3600.0), Reports()) as box:
        box.send_unless_answered(QUESTION)
    assert channel.took == []


@pytest.mark.parametrize(
    ("fault", "words"), [(fails, "it is away"), (breaks, "the test failed: ZeroDivisionError: a fault")]
)
async def test_a_channel_that_fails_is_reported_once_and_the_others_go_on(fault: Callable[[], Any], words: str) -> None:
    good, bad, reports = Taking("the good"), Taking(does=fault), Reports()
    async with opened(to(bad, good), reports) as box:
        for name in "abc":
            box.send(end(name, "success", 1))
    assert reports.all == [("the test", words)]
    assert [m.session for m in good.took] == ["a", "b", "c"]


async def test_one_that_hangs_delays_neither_the_work_nor_the_others_and_ends_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "LAST_S", 0.1)
    hanging, good, reports = Taking(does=anyio.sleep_forever), Taking("the good"), Reports()
    began = time.monotonic()
    async with opened(to(hanging, good), reports) as box:
        for name in "ab":
            box.send(end(name, "success", 1))
    assert time.monotonic() - began < 5
    assert (hanging.took, hanging.closed, len(good.took)) == ([], True, 2)
    assert reports.all == [("the test", "the test did not take the last messages in 0.1 s")]


async def test_one_that_is_far_behind_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "LAST_S", 0.1)
    monkeypatch.setattr(outbox, "MOST_WAITING", 3)
    reports = Reports()
    async with opened(to(Taking(does=anyio.sleep_forever)), reports) as box:
        await anyio.lowlevel.checkpoint()
        for _ in range(9):
            box.send(end("a", "success", 1))
    assert reports.all == [("the test", "the test is 3 messages behind")]


async def test_work_that_is_cancelled_sends_its_end() -> None:
    channel = Taking()
    with anyio.CancelScope() as scope:
        async with opened(to(channel), Reports()) as box:
            try:
                scope.cancel()
                await anyio.sleep_forever()
            finally:
                box.send(end("a", "cancelled", 1))
    assert [m.session for m in channel.took] == ["a"]
    assert scope.cancelled_caught


async def test_an_error_of_the_work_is_raised_as_it_is() -> None:
    with pytest.raises(KeyError):
        async with opened(to(Taking()), Reports()):
            raise KeyError
