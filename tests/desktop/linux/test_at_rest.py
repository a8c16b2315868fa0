"""What a process that has not run would tell is known already; one that has run is asked, whatever it lets be heard."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.input import Chord
from desktop.conformance import PATIENCE_S
from desktop.linux.lying import Liar, Stage, visitor

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.at-rest")]

TURNS = 10


@contextmanager
def stopped(window: TargetInfo) -> Generator[None]:
    """Its process does not run for a while."""
    assert window.pid is not None
    os.kill(window.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(window.pid, signal.SIGCONT)


async def test_a_process_that_has_not_run_is_asked_nothing_again(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await desktop.settle(liar.window)

        async def asked_for(looks: int) -> tuple[dict[str, int], set[object]]:
            await liar.say("honest")
            seen = {(await desktop.observe(liar.window, picture=False)).controls for _ in range(looks)}
            return await liar.say("honest"), set(seen)

        await asked_for(1)
        once, shown = await asked_for(1)

        async def no_more_often() -> bool | None:
            again, still_shown = await asked_for(3)
            assert still_shown == shown
            return True if again == once else None  # its thread may have been at work still when the look was over

        assert await desktop.wait_until(no_more_often, deadline_s=PATIENCE_S)


@pytest.mark.requires("desktop.unchanged")
async def test_a_window_that_was_just_read_is_not_read_again_once_its_process_answered(
    stage: Stage, liar: Liar
) -> None:
    async with visitor(stage) as desktop:
        await desktop.settle(liar.window)

        async def asked_for(looks: int) -> dict[str, int]:
            await liar.say("honest")
            for _ in range(looks):
                await desktop.observe(liar.window, picture=False)
                await desktop.settle(liar.window)
            return await liar.say("honest")

        async def no_more_often() -> bool | None:
            once, thrice = await asked_for(1), await asked_for(3)
            # What was read for the look before may still be valid; or a busy machine let a moment pass.
            return True if thrice.get("GetState", 0) <= once.get("GetState", 0) else None

        assert await desktop.wait_until(no_more_often, deadline_s=PATIENCE_S)


async def test_what_changes_without_a_word_or_a_pixel_is_seen(stage: Stage, liar: Liar) -> None:
    async with visitor(stage) as desktop:
        await desktop.settle(liar.window)
        for _ in range(TURNS):
            for lie, renamed in (("renamed", True), ("honest", False)):
                await liar.say(lie)
                for _ in range(2):
                    seen = await desktop.observe(liar.window, picture=False)
                    assert {control.name == "renamed" for control in seen.controls} == {renamed}


@pytest.mark.requires("desktop.unchanged")
async def test_an_observation_of_just_now_is_valid_until_something_happens(stage: Stage) -> None:
    async with visitor(stage) as desktop:
        window = stage.honest.window
        await desktop.settle(window)

        async def still_valid() -> Observation | None:
            seen = await desktop.observe(window, picture=False)
            await desktop.resolve(seen.controls[0])  # its process has run since
            again = await desktop.unchanged(window, within_s=PATIENCE_S)
            assert again is None or again.controls == seen.controls
            return again

        assert await desktop.wait_until(still_valid, deadline_s=PATIENCE_S)
        assert await desktop.unchanged(window, within_s=0) is None
        with stopped(window):
            assert await desktop.unchanged(window, within_s=PATIENCE_S) is None

        assert await desktop.wait_until(still_valid, deadline_s=PATIENCE_S)
        async with visitor(stage) as another:
            await another.press([Chord("tab")])

        async def reported() -> bool | None:
            return True if await desktop.unchanged(window, within_s=PATIENCE_S) is None else None

        assert await desktop.wait_until(reported, deadline_s=PATIENCE_S / 2)
