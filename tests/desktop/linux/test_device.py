"""Things whose calls block: what hangs is given up, closed when it comes back, and replaced."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
import pytest

from deskhand.desktop.linux.x11.blocking_worker import Device

PATIENCE_S = 5.0


@dataclass(eq=False)
class Thing:
    """Says what becomes of it. `release` lets a call that hangs come back."""

    number: int
    after: int | None
    calls: list[str] = field(default_factory=list[str])
    hanging: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def call(self, name: str) -> str:
        self.calls.append(name)
        return f"{name} on {self.number}"

    def hang(self) -> None:
        self.hanging.set()
        self.release.wait(PATIENCE_S)
        self.calls.append("came back")


class Bench:
    """Things as they are opened, and the device over them."""

    def __init__(self, *, cut: bool = False) -> None:
        self.things: list[Thing] = []
        self.open_hangs = threading.Event()
        self.open_hangs.set()
        self.device = Device(self._open, lambda thing: thing.closed.set(), (lambda t: t.release.set()) if cut else None)

    def _open(self, given_up: Thing | None) -> Thing:
        self.open_hangs.wait(PATIENCE_S)
        self.things.append(Thing(len(self.things) + 1, given_up.number if given_up else None))
        return self.things[-1]

    async def run(self, work: Callable[[Thing], object], deadline_s: float = PATIENCE_S) -> object:
        return await self.device.run(work, deadline_s=deadline_s)

    async def cancel_while(self, work: Callable[[Thing], object], until: threading.Event) -> None:
        with anyio.fail_after(PATIENCE_S), anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.run, work)
                await anyio.to_thread.run_sync(until.wait, PATIENCE_S)
                scope.cancel()


def threads() -> int:
    return sum(thread.name == "deskhand-device" for thread in threading.enumerate())


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_S):
        while not holds():
            await anyio.wait_all_tasks_blocked()


async def test_calls_come_one_after_the_other_on_one_thing_that_is_closed_in_the_end() -> None:
    it = Bench()
    results: list[object] = []

    async def ask(name: str) -> None:
        results.append(await it.run(lambda thing: thing.call(name)))

    async with anyio.create_task_group() as tasks:
        for name in ("a", "b", "c"):
            tasks.start_soon(ask, name)
    await it.device.close()
    assert (results, it.things[0].calls) == (["a on 1", "b on 1", "c on 1"], ["a", "b", "c"])
    assert it.things[0].closed.is_set()
    await until(lambda: threads() == 0)


async def test_what_a_call_raises_is_raised_and_the_thing_stays_in_use() -> None:
    it = Bench()
    with pytest.raises(ZeroDivisionError):
        await it.run(lambda thing: thing.call(str(1 // 0)))
    assert await it.run(lambda thing: thing.call("a")) == "a on 1"
    await it.device.close()


async def test_a_cancelled_call_that_goes_on_comes_to_its_end() -> None:
    it = Bench()
    begun = threading.Event()

    def work(thing: Thing) -> None:
        begun.set()
        thing.release.wait(0.02)
        thing.call("done")

    await it.cancel_while(work, begun)
    assert it.things[0].calls == ["done"]
    assert await it.run(lambda thing: thing.number) == 1
    await it.device.close()


@pytest.mark.requires("desktop.reopened")
@pytest.mark.parametrize("how", ["cancelled", "overdue"])
async def test_a_call_that_hangs_is_given_up_and_the_next_one_has_a_fresh_thing(how: str) -> None:
    it = Bench()
    if how == "cancelled":
        await it.run(lambda _: None)
        await it.cancel_while(Thing.hang, it.things[0].hanging)
    else:
        with pytest.raises(TimeoutError):
            await it.run(Thing.hang, 0.01)
    assert await it.run(lambda thing: thing.call("next")) == "next on 2"
    first, second = it.things
    assert (first.closed.is_set(), second.after) == (False, 1)
    first.release.set()
    await until(first.closed.is_set)
    assert first.calls == ["came back"]
    await it.device.close()
    await until(lambda: threads() == 0)


async def test_where_there_is_a_way_a_call_that_hangs_is_made_to_come_back() -> None:
    it = Bench(cut=True)
    await it.run(lambda _: None)
    await it.cancel_while(Thing.hang, it.things[0].hanging)
    await until(it.things[0].closed.is_set)
    await until(lambda: threads() == 0)


@pytest.mark.requires("desktop.reopened")
async def test_an_opening_that_hangs_is_given_up_and_what_it_opens_after_all_is_closed() -> None:
    it = Bench()
    it.open_hangs.clear()
    with pytest.raises(TimeoutError):
        await it.run(lambda thing: thing.call("never"), 0.01)
    it.open_hangs.set()
    await until(lambda: bool(it.things) and it.things[0].closed.is_set())
    assert await it.run(lambda thing: thing.call("a")) == "a on 2"
    await it.device.close()
    assert it.things[0].calls == []


async def test_closing_does_not_wait_for_what_hangs() -> None:
    it = Bench(cut=True)
    await it.run(lambda _: None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(it.run, Thing.hang)
        await anyio.to_thread.run_sync(it.things[0].hanging.wait, PATIENCE_S)
        with anyio.fail_after(PATIENCE_S):
            await it.device.close()
    await until(it.things[0].closed.is_set)


async def test_a_device_that_was_never_used_has_nothing_to_close() -> None:
    it = Bench()
    await it.device.close()
    assert it.things == []
