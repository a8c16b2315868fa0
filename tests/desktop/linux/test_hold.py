"""One agent at a time has a display's pointer and keyboard, over all processes; who dies lets go of them."""

from collections.abc import Generator

import anyio
import pytest

from deskhand.core.errors import DesktopBusy, DesktopGone
from deskhand.desktop.linux.x11.input_lock import hold_display, holder_of
from deskhand.desktop.processes import Holder
from desktop.linux.holding import held
from desktop.linux.servers import server

pytestmark = [pytest.mark.desktop, pytest.mark.requires("guard.one-holder")]

US = Holder(pid=1, what="us")
BRIEF = Holder(pid=1, what="us", brief=True)


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with server("Xvfb", "-screen", "0", "320x240x24") as display:
        yield display


@pytest.mark.requires("desktop.busy")
async def test_a_second_one_is_told_who_has_it_and_what_to_do(display: str) -> None:
    with held(display, "session 42") as holder:
        with pytest.raises(DesktopBusy) as raised:
            async with hold_display(display, US, patience_s=60):
                pass
        assert f"session 42 (process {holder.pid})" in raised.value.message
        assert f"deskhand stop {holder.pid}" in raised.value.fix
        assert raised.value.exit_code == 2
        assert await holder_of(display) == Holder(pid=holder.pid, what="session 42")
    assert await holder_of(display) is None


async def test_whoever_is_killed_has_let_go(display: str) -> None:
    with held(display) as holder:
        holder.kill()
        holder.wait(20)
        async with hold_display(display, US, patience_s=0):
            assert await holder_of(display) == US


async def test_one_action_of_another_is_waited_for(display: str) -> None:
    taken = anyio.Event()

    async def take() -> None:
        async with hold_display(display, BRIEF, patience_s=20):
            taken.set()

    async with anyio.create_task_group() as tasks:
        with held(display, brief=True):
            tasks.start_soon(take)
            await anyio.wait_all_tasks_blocked()
            assert not taken.is_set()
        with anyio.fail_after(20):
            await taken.wait()


async def test_one_that_takes_too_long_is_busy_then(display: str) -> None:
    with held(display, "deskhand act", brief=True), pytest.raises(DesktopBusy, match="others still after"):
        async with hold_display(display, BRIEF, patience_s=0.1):
            pass


async def test_many_short_ones_come_one_after_the_other(display: str) -> None:
    inside: list[int] = []
    most: list[int] = []

    async def act(number: int) -> None:
        async with hold_display(display, BRIEF, patience_s=20):
            inside.append(number)
            most.append(len(inside))
            await holder_of(display)
            inside.remove(number)

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(act, number)
    assert most == [1] * 12


async def test_what_is_raised_inside_is_raised(display: str) -> None:
    with pytest.raises(TimeoutError, match="mine"):
        async with hold_display(display, US, patience_s=0):
            raise TimeoutError("mine")


async def test_where_no_server_is_nobody_can_hold_anything() -> None:
    with server("Xvfb", "-screen", "0", "320x240x24") as gone:
        pass
    with pytest.raises(DesktopGone):
        async with hold_display(gone, US, patience_s=0):
            pass


def test_a_holder_of_a_newer_version_is_still_a_holder() -> None:
    assert Holder.model_validate_json('{"pid": 7, "what": "x", "more": 1}').told == "x (process 7)"
