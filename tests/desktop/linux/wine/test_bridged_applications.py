"""Processes of applications that a bridge exposes; the bus is one in memory."""

from collections.abc import Callable, Sequence

import anyio.lowlevel
import pytest

from deskhand.core.errors import ApplicationUnresponsive, DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.client import BUS, Body, Call, Post, Reply, Signal

BRIDGE, PROGRAM = 50, 71

pytestmark = [pytest.mark.anyio, pytest.mark.requires("wine.bridge")]


class Bus:
    """One application, which a bridge exposes. `slow`: how many times it does not answer in time."""

    def __init__(self, slow: int) -> None:
        self.slow = slow

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        return (await self._answered(call)) or []

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        replies: list[Reply] = []
        for call in asked:
            try:
                replies.append(await self._answered(call))
            except DesktopError as error:
                replies.append(error)
        return replies

    async def _answered(self, call: Call) -> Body:
        await anyio.lowlevel.checkpoint()
        if call.destination == BUS:
            return [BRIDGE]
        if call.destination == calls.REGISTRY:
            return [[[":1.9", calls.ROOT_PATH]]]
        self.slow -= 1
        if self.slow >= 0:
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


def told(process: int, other: int) -> bool:
    return process == BRIDGE and other in (0, PROGRAM)


async def test_a_program_that_is_slow_at_first_is_known_once_it_answers() -> None:
    applications = Applications(Bus(slow=1), lambda _bus, _pid: None, speaks_for=told)
    assert await applications.buses_of(PROGRAM, deadline_s=1.0) == ()
    assert await applications.buses_of(BRIDGE, deadline_s=1.0) == (), "a bridge has no windows of its own"
    assert [ref.bus for ref in await applications.buses_of(PROGRAM, deadline_s=1.0)] == [":1.9"]
    assert await applications.pid_of(":1.9", deadline_s=1.0) == PROGRAM


async def test_a_bridge_cannot_expose_a_process_that_it_may_not_speak_for() -> None:
    applications = Applications(Bus(slow=0), lambda _bus, _pid: None, speaks_for=lambda _, other: other == 0)
    assert await applications.buses_of(PROGRAM, deadline_s=1.0) == ()
