"""Listeners of the caller's own, async or not: all events, in order, and no harm to the session."""

import warnings
from dataclasses import dataclass, field

import anyio
import pytest

import deskhand
from cli.test_modes import World, world
from deskhand.core.errors import UsageError
from deskhand.core.events import Event, SessionFinished
from deskhand.core.outcomes import Outcome
from deskhand.session import listeners
from deskhand.session.listeners import heard
from deskhand.session.round import Ending

__all__ = ["world"]
pytestmark = [pytest.mark.requires("python.listeners"), pytest.mark.anyio]

END = SessionFinished(outcome="success", reason="", seconds=0)


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@dataclass
class Slow:
    """Needs a turn of the event loop for each event."""

    events: list[Event] = field(default_factory=list[Event])

    async def emit(self, event: Event) -> None:
        await anyio.lowlevel.checkpoint()
        self.events.append(event)


async def air(world: World, *given: listeners.Listener) -> Ending:
    return await deskhand.run(
        "Air", playbook="door.yaml", files=["a.odt"], opens=world.open, out="out", listeners=given
    )


async def send(listener: listeners.Listener, count: int, error: Exception | None = None) -> None:
    """A session that emits events at once, and ends by the error if there is one."""
    async with heard([listener]) as (sink,):
        for _ in range(count):
            sink.emit(END)
        if error is not None:
            raise error


async def test_functions_and_async_ones_get_every_event_in_order(world: World) -> None:
    at_once: list[Event] = []
    awaited: list[Event] = []
    slow = Slow()

    async def take(event: Event) -> None:
        await anyio.lowlevel.checkpoint()
        awaited.append(event)

    ending = await air(world, at_once.append, take, slow)
    assert ending.outcome is Outcome.SUCCESS
    assert isinstance(at_once[-1], SessionFinished)
    assert at_once == awaited == slow.events


@pytest.mark.parametrize("error", [KeyError("mine"), SystemExit("mine")])
async def test_an_async_listener_that_raises_is_warned_about_and_gets_no_more(
    world: World, error: BaseException
) -> None:
    calls: list[Event] = []

    async def breaks(event: Event) -> None:
        calls.append(event)
        raise error

    with pytest.warns(UserWarning, match=rf"breaks\(SessionStarted\) raised {type(error).__name__}: '?mine"):
        ending = await air(world, breaks)
    assert ending.outcome is Outcome.SUCCESS
    assert len(calls) == 1


async def test_an_async_listener_whose_own_work_was_cancelled_does_not_cancel_the_session(world: World) -> None:
    async def breaks(event: Event) -> None:
        raise anyio.get_cancelled_exc_class()

    with pytest.warns(UserWarning, match=r"breaks\(SessionStarted\) raised CancelledError"):
        ending = await air(world, breaks)
    assert ending.outcome is Outcome.SUCCESS


@pytest.mark.parametrize("value", [7, "print", object()])
async def test_what_is_no_listener_is_refused_before_anything_starts(world: World, value: listeners.Listener) -> None:
    with pytest.raises(UsageError, match="no listener"):
        await air(world, value)
    assert not world.desktops


async def test_a_listener_that_is_stuck_does_not_keep_the_session_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "_LAST_S", 0.05)
    cancelled: list[Event] = []

    async def stuck(event: Event) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(event)

    with pytest.warns(UserWarning, match=r"stuck did not take the last 3 events in 0\.05 s"):
        await send(stuck, 3)
    assert cancelled == [END]


async def test_a_listener_too_far_behind_is_warned_about_instead_of_events_being_lost_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listeners, "MOST_WAITING", 2)
    slow = Slow()
    with pytest.warns(UserWarning, match="2 events behind; it gets no more"):
        await send(slow, 5)
    assert slow.events == [END, END]


async def test_the_error_of_a_session_is_raised_as_it_is_and_the_listener_finishes() -> None:
    slow = Slow()
    with pytest.raises(ZeroDivisionError):
        await send(slow, 1, ZeroDivisionError())
    assert slow.events == [END]


async def test_a_cancelled_session_ends_for_async_listeners_too() -> None:
    slow = Slow()
    with anyio.CancelScope() as scope, warnings.catch_warnings():
        warnings.simplefilter("error")
        async with heard([slow]) as (sink,):
            scope.cancel()
            sink.emit(END)
            await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert slow.events == [END]
