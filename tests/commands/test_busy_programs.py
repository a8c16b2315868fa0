"""Waits for a program that is busy, on a clock that jumps."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast

import anyio
import pytest

from deskhand.commands.effects.confirmation import wait_for_reading
from deskhand.commands.effects.snapshot import Before
from deskhand.commands.waiting import BUSY_S, wait_for_program
from deskhand.core.command import Effect
from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.geometry import NOWHERE
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Quiet, Settled

DEADLINE_S = 10.0
WINDOW = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, NOWHERE)

pytestmark = pytest.mark.requires("command.busy-program")


class Program:
    """A desktop with one program, which answers nothing for a time."""

    def __init__(self, busy_s: float) -> None:
        self._free_at = anyio.current_time() + busy_s
        self.answered = 0

    @property
    def is_busy(self) -> bool:
        return anyio.current_time() < self._free_at

    async def wait_until(self, condition: Callable[[], Awaitable[bool | None]], *, deadline_s: float) -> bool | None:
        for pause_s in (deadline_s, 0.0):
            with suppress(ApplicationUnresponsive):
                if (found := await condition()) is not None:
                    return found
            await anyio.sleep(pause_s)
        return None

    async def settle(self, _: TargetInfo | None, *, deadline_s: float) -> Settled:
        await anyio.sleep(max(0.0, min(deadline_s, self._free_at - anyio.current_time())))
        return Settled(Quiet.DEADLINE if self.is_busy else Quiet.SETTLED, deadline_s)

    async def observe(self, _: TargetInfo, *, picture: bool, texts: bool) -> None:
        assert not picture
        assert not texts
        if self.is_busy:
            raise ApplicationUnresponsive("it does not answer")
        self.answered += 1

    async def wait(self, condition: Callable[[], bool]) -> bool | None:
        async def look() -> bool | None:
            return True if condition() else None

        return await wait_for_program(cast("Desktop", self), WINDOW, look, deadline_s=DEADLINE_S)


async def test_a_busy_program_gets_more_time() -> None:
    program = Program(busy_s=17.0)
    assert await program.wait(lambda: not program.is_busy) is True


async def test_what_a_program_that_answers_has_not_done_is_not_waited_for_any_longer() -> None:
    program, began = Program(busy_s=0), anyio.current_time()
    assert await program.wait(lambda: False) is None
    assert anyio.current_time() - began < 2 * DEADLINE_S


async def test_the_last_look_is_after_the_program_answered() -> None:
    program = Program(busy_s=0)
    assert await program.wait(lambda: program.answered > 0) is True


async def test_a_program_that_never_answers_is_reported_as_that_in_time() -> None:
    began = anyio.current_time()
    with pytest.raises(ApplicationUnresponsive):
        await Program(busy_s=1000).wait(lambda: False)
    assert anyio.current_time() - began < BUSY_S + 2 * DEADLINE_S


async def test_a_value_that_cannot_be_read_any_more_is_unknown_and_not_called_unchanged() -> None:
    desktop = cast("Desktop", Program(busy_s=1000))

    async def reading() -> str | None:
        raise ApplicationUnresponsive("it does not answer")

    found = await wait_for_reading(desktop, Before((), None, None, WINDOW), reading, deadline_s=3.0)
    assert (found.effect, found.retry_safe) == (Effect.UNVERIFIABLE, False)
    assert "it does not answer" in found.message
