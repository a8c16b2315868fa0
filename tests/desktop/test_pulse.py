"""Waiting for changes, without a desktop."""

import anyio
import pytest

from deskhand.core.errors import DesktopGone, ElementStale
from deskhand.desktop.notifier import Pulse


async def test_a_beat_wakes_those_who_wait() -> None:
    pulse = Pulse()
    woken: list[bool] = []

    async def wait() -> None:
        woken.append(await pulse.after(0, 10))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            pulse.beat()
    assert woken == [True]


async def test_a_beat_between_two_looks_is_not_missed() -> None:
    pulse = Pulse()
    count = pulse.count
    pulse.beat()
    with anyio.fail_after(5):
        assert await pulse.after(count, 10)
    assert not await pulse.after(pulse.count, 0.01)


async def test_a_condition_is_looked_at_without_any_beat_too() -> None:
    looks: list[int] = []

    async def third_time() -> str | None:
        looks.append(len(looks))
        return "now" if len(looks) == 3 else None

    assert await Pulse().until(third_time, 10) == "now"
    assert len(looks) == 3


async def test_zero_is_a_value_and_false_means_not_yet() -> None:
    looks: list[int] = []

    async def zero() -> int | None:
        return 0

    async def third_time() -> bool:
        looks.append(len(looks))
        return len(looks) == 3

    async def never() -> bool:
        return False

    assert await Pulse().until(zero, 0) == 0
    assert await Pulse().until(third_time, 10) is True
    assert await Pulse().until(never, 0) is None


async def test_errors_that_pass_mean_not_yet_and_others_end_the_waiting() -> None:
    looks: list[int] = []

    async def stale_once() -> str | None:
        looks.append(1)
        if len(looks) == 1:
            raise ElementStale("not yet")
        return "there"

    async def gone() -> str | None:
        raise DesktopGone("for good")

    assert await Pulse().until(stale_once, 10) == "there"
    with pytest.raises(DesktopGone):
        await Pulse().until(gone, 10)
