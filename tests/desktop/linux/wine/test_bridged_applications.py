"""Processes of applications that a bridge exposes; the bus is one in memory."""

from collections.abc import Callable, Sequence

import anyio.lowlevel
import pytest

from deskhand.core.errors import ApplicationUnresponsive, DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.client import BUS, Body, Call, Post, Reply, Signal

BRIDGE, PROGRAM, OTHER = 50, 71, 80
OWNERS = {":1.9": BRIDGE, ":1.10": OTHER}

LONG_S = 4.0

pytestmark = [pytest.mark.anyio, pytest.mark.requires("wine.bridge")]


class Bus:
    """A program that a bridge exposes, which does not answer while it is `silent`, and another application."""

    def __init__(self) -> None:
        self.silent = False
        self.waits: list[float] = []
        """Deadlines of the questions to the bridge."""

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        del deadline_s
        return await self._answered(call)

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        replies: list[Reply] = []
        for call in asked:
            self.waits += [deadline_s] if call.destination == ":1.9" else []
            try:
                replies.append(await self._answered(call))
            except DesktopError as error:
                replies.append(error)
        return replies

    async def _answered(self, call: Call) -> Body:
        await anyio.lowlevel.checkpoint()
        if call.destination == BUS:
            return [OWNERS[str(call.body[0])]]
        if call.destination == calls.REGISTRY:
            return [[[bus, calls.ROOT_PATH] for bus in OWNERS]]
        if self.silent:
            raise ApplicationUnresponsive("it did not answer in time")
        return [{calls.PROCESS: str(PROGRAM)}]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        raise NotImplementedError

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """It is near."""

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """No signals."""

    async def close(self) -> None:
        """Nothing to close."""


class Clock:
    """Seconds, which pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(process: int, other: int) -> bool:
    return process == BRIDGE and other in (0, PROGRAM)


async def buses(applications: Applications, pid: int) -> list[str]:
    return [ref.bus for ref in await applications.buses_of(pid, deadline_s=LONG_S)]


async def test_a_program_that_is_slow_at_first_is_known_once_it_answers() -> None:
    bus, clock = Bus(), Clock()
    applications = Applications(bus, lambda _bus, _pid: None, speaks_for=told, clock=clock)
    bus.silent = True
    assert await buses(applications, PROGRAM) == []
    assert await buses(applications, BRIDGE) == [], "a bridge has no windows of its own"
    with pytest.raises(ApplicationUnresponsive):
        await applications.pid_of(":1.9", deadline_s=1.0)
    bus.silent, clock.now = False, clock.now + 1
    assert await buses(applications, PROGRAM) == [":1.9"]
    assert await applications.pid_of(":1.9", deadline_s=1.0) == PROGRAM
    bus.silent = True
    assert await applications.pid_of(":1.9", deadline_s=1.0) == PROGRAM, "what is known of a bus stays true"


async def test_other_applications_hardly_wait_for_a_silent_bridge() -> None:
    bus, clock = Bus(), Clock()
    applications = Applications(bus, lambda _bus, _pid: None, speaks_for=told, clock=clock)
    bus.silent = True
    for _ in range(3):
        assert await buses(applications, OTHER) == [":1.10"]
    assert bus.waits == [0.5]
    with pytest.raises(ApplicationUnresponsive):
        await applications.toplevels(PROGRAM, deadline_s=LONG_S)
    assert await applications.buses_of(OTHER, deadline_s=0.2)
    clock.now += 1
    await applications.buses_of(OTHER, deadline_s=0.2)
    assert bus.waits[-1] < 0.05
    bus.silent = False
    assert await buses(applications, PROGRAM) == [":1.9"], "what had little time is asked again at once"


async def test_a_bridge_cannot_expose_a_process_that_it_may_not_speak_for() -> None:
    applications = Applications(
        Bus(), lambda _bus, _pid: None, speaks_for=lambda pid, other: (pid, other) == (BRIDGE, 0)
    )
    assert await buses(applications, PROGRAM) == []
