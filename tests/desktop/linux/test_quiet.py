"""The wait for quiet, on a clock that jumps."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import replace
from pathlib import Path
from typing import cast

import anyio
import pytest

from deskhand.core.errors import ApplicationUnresponsive, DesktopGone
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.events import Heard
from deskhand.desktop.linux.idle.probes import Probes
from deskhand.desktop.linux.idle.wait import Activity, MainThread, Subject
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import Quiet, Settled
from desktop.linux.stub_server import StubServer
from jumping_loop import JumpingLoop

QUIET_S = 0.05
FRAME_S = 0.016
WINDOW = 7
NOBODY = 2**30
"""A process id that no process has."""


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, Mapping[str, object]]:
    return "asyncio", {"loop_factory": JumpingLoop}


async def everybody_answers(deadline_s: float) -> str:
    return ""


async def nobodys(window: int) -> int | None:
    return None


async def settle(activity: Activity, subject: Subject | None = None, deadline_s: float = 3.0) -> Settled:
    subject = subject or Subject(None, everybody_answers, nobodys)
    return await activity.quiet(subject, activity.now(), quiet_s=QUIET_S, deadline_s=deadline_s)


def label(turn: int) -> Heard:
    return Heard(":1.7", "/label", "TextChanged", "insert", turn)


@asynccontextmanager
async def every(seconds: float, happens: Callable[[int], None]) -> AsyncGenerator[None]:
    """Lets something happen in turns, numbered from 0, while the block runs."""

    async def turns() -> None:
        never = anyio.Event()
        for turn in range(10**6):
            happens(turn)
            with anyio.move_on_after(seconds):
                await never.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turns)
        yield
        tasks.cancel_scope.cancel()


async def test_nothing_is_quiet_after_the_window() -> None:
    settled = await settle(Activity(Pulse()))
    assert (settled.reason, settled.last, settled.busy, settled.ignored) == (Quiet.SETTLED, "", (), ())


@pytest.mark.requires("desktop.settle")
def test_what_happens_is_heard_in_a_loop_that_anyio_did_not_start() -> None:
    async def main() -> str:
        activity = Activity(Pulse())
        asyncio.get_running_loop().call_soon(activity.event, label(0), context=Context())
        return (await settle(activity)).last

    assert asyncio.run(main()) == "events (TextChanged insert at label)"


@pytest.mark.requires("desktop.settle-reason")
async def test_what_was_last_is_told() -> None:
    activity = Activity(Pulse())
    async with every(0.02, lambda turn: activity.event(label(turn)) if turn == 1 else None):
        settled = await settle(activity)
    assert settled.reason is Quiet.SETTLED
    assert settled.summary.startswith("quiet after events (TextChanged insert at label) within")


@pytest.mark.requires("desktop.settle-reason")
async def test_what_goes_on_at_the_deadline_is_told() -> None:
    activity = Activity(Pulse())
    async with every(0.01, lambda turn: activity.event(label(turn))):
        settled = await settle(activity)
    assert settled.reason is Quiet.DEADLINE
    assert settled.busy == ("events (TextChanged insert at label)",)


@pytest.mark.requires("desktop.settle-habits")
async def test_a_video_is_ignored_and_what_happens_beside_it_is_not() -> None:
    activity = Activity(Pulse())

    def frame(turn: int) -> None:
        activity.repaint(WINDOW, (100, 0), [Rect(0, 0, 320, 180)])
        if 100 <= turn < 130:
            activity.repaint(WINDOW, (100, 0), [Rect(0, 300 + 40 * turn % 1000, 320, 310 + 40 * turn % 1000)])

    async with every(FRAME_S, frame):
        first = await settle(activity)
        with anyio.move_on_after(105 * FRAME_S - first.waited_s):
            await anyio.Event().wait()
        began = activity.now()
        second = await settle(activity)
    assert first.reason is second.reason is Quiet.SETTLED
    assert first.ignored == ("pixels at [100, 0, 420, 180]: the same again and again",)
    assert activity.ledger.last(None)[0] > began, "the wait began while something else was drawn"
    assert second.last.startswith("pixels at [100, ")


@pytest.mark.requires("desktop.settle-reason")
async def test_who_does_not_answer_is_not_quiet() -> None:
    async def silent(deadline_s: float) -> str:
        return "process 5 does not answer"

    settled = await settle(Activity(Pulse()), Subject(None, silent, nobodys))
    assert (settled.reason, settled.busy) == (Quiet.DEADLINE, ("process 5 does not answer",))


@pytest.mark.requires("desktop.settle-reason")
async def test_an_answer_that_comes_late_is_waited_for() -> None:
    asked: list[float] = []

    async def slow(deadline_s: float) -> str:
        asked.append(deadline_s)
        return "" if len(asked) == 3 else "process 5 does not answer"

    settled = await settle(Activity(Pulse()), Subject(None, slow, nobodys))
    assert (settled.reason, len(asked)) == (Quiet.SETTLED, 3)


@pytest.mark.requires("desktop.settle-reason")
async def test_what_cannot_be_seen_is_not_called_settled() -> None:
    settled = await settle(Activity(Pulse()), Subject(None, everybody_answers, nobodys, unseen="pixels: no DAMAGE"))
    assert (settled.reason, settled.busy) == (Quiet.UNSEEN, ("pixels: no DAMAGE",))


async def test_a_process_that_is_gone_is_not_waited_for() -> None:
    settled = await settle(Activity(Pulse()), Subject(NOBODY, everybody_answers, nobodys))
    assert settled.reason is Quiet.GONE


@pytest.mark.requires("desktop.settle-others")
async def test_only_the_named_application_counts() -> None:
    activity = Activity(Pulse())
    activity.ledger.belongs(":1.7", NOBODY)
    async with every(0.01, lambda turn: activity.event(label(turn))):
        others = await settle(activity, Subject(os.getpid(), everybody_answers, nobodys))
        its_own = await settle(activity, Subject(NOBODY, everybody_answers, nobodys))
    assert not [told for told in others.busy if "events" in told]
    assert its_own.reason is Quiet.DEADLINE


async def test_windows_are_asked_once_whose_they_are() -> None:
    asked: list[int] = []
    activity = Activity(Pulse())

    async def owner(window: int) -> int | None:
        asked.append(window)
        return NOBODY

    async with every(FRAME_S, lambda _: activity.repaint(WINDOW, (0, 0), [Rect(0, 0, 9, 9)])):
        await settle(activity, Subject(os.getpid(), everybody_answers, owner), deadline_s=1.0)
        await settle(activity, Subject(os.getpid(), everybody_answers, owner), deadline_s=1.0)
    assert asked == [WINDOW]


async def test_a_server_that_hangs_up_ends_the_wait() -> None:
    activity = Activity(Pulse())
    async with every(0.01, lambda turn: activity.hung_up() if turn == 3 else activity.event(label(turn))):
        with pytest.raises(DesktopGone):
            await settle(activity)


async def test_how_long_it_has_been_quiet_is_known_from_the_first_look_on() -> None:
    activity = Activity(Pulse())
    with anyio.move_on_after(1.0):
        await anyio.Event().wait()
    assert activity.quiet_s(None) == pytest.approx(1.0, abs=0.1)
    activity.event(label(0))
    assert activity.quiet_s(None) == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("counted", ["", "0 0 0\n"])
def test_a_process_is_not_gone_where_the_kernel_does_not_count_its_work_in_full(tmp_path: Path, counted: str) -> None:
    task = tmp_path / "7" / "task" / "7"
    task.mkdir(parents=True)
    if counted:
        (task / "schedstat").write_text(counted)
    thread, ticks = MainThread(7, tmp_path), os.sysconf("SC_CLK_TCK")

    def worked(seconds: int) -> None:
        spent = f"{seconds * ticks} 0"
        (task / "stat").write_text(f"7 (a) name) S 1 7 7 0 -1 0 0 0 0 0 {spent} 0 0 20 0 1 0 100 0 0\n")

    worked(1)
    thread.begin(0.0, 0.01)
    assert not thread.gone
    worked(3)
    thread.look(10.0, in_habit=False, asked=False, news_at=0.0)
    assert thread.busy_at == 10.0
    (task / "stat").unlink()
    thread.look(11.0, in_habit=False, asked=False, news_at=0.0)
    assert thread.gone


class _Bus:
    """A transport over which nobody answers, or which is gone."""

    def __init__(self, error: DesktopGone | None = None) -> None:
        self._error = error

    async def batch(self, asked: Sequence[object], *, deadline_s: float) -> list[Reply]:
        if self._error:
            raise self._error
        with anyio.move_on_after(deadline_s):
            await anyio.sleep_forever()
        return [ApplicationUnresponsive("no answer") for _ in asked]


async def _settled_over(bus: _Bus, found: Sequence[Ref] | None = (Ref(":1.5", "/root"),)) -> Settled:
    activity = Activity(Pulse())
    probes = Probes(
        StubServer(TargetInfo(TargetKind.WINDOW, "", Role.WINDOW, NOWHERE)), cast("Transport", bus), activity
    )

    async def applications() -> Sequence[Ref] | None:
        return found

    return await settle(activity, replace(probes.subject(None, applications), owner=nobodys))


@pytest.mark.requires("desktop.settle-reason")
async def test_an_application_that_waits_without_working_does_not_answer() -> None:
    settled = await _settled_over(_Bus())
    assert (settled.reason, settled.busy) == (Quiet.DEADLINE, ("process None does not answer",))


@pytest.mark.requires("desktop.settle-reason")
async def test_nothing_is_quiet_while_the_registry_does_not_say_whom_to_ask() -> None:
    settled = await _settled_over(_Bus(), found=None)
    assert (settled.reason, settled.busy) == (Quiet.DEADLINE, ("the registry of applications does not answer",))


@pytest.mark.requires("desktop.settle-reason")
async def test_a_bus_that_is_gone_as_it_is_asked_is_told_as_that() -> None:
    with pytest.raises(DesktopGone, match="the bus is gone"):
        await _settled_over(_Bus(DesktopGone("the bus is gone")))
