"""How long it takes from a cancel to the end, in milliseconds: the goal is 200.

python tools/bench_cancel.py [SAMPLES]

A whole session (journal and pictures on) on the in-memory desktop, cancelled at turns of the event loop spread over
its whole length; the same while a tool hangs in a thread; calls to a private desktop whose X server is stopped.
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
from anyio import to_thread

from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelRequest
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.protocols.input import Chord
from deskhand.models.scripted import ScriptedModel
from deskhand.session.build import SessionPlan, run_session

STEPS = 8


class HangingDesktop(FakeDesktop):
    """Its `do_action` blocks a thread."""

    def __init__(self) -> None:
        super().__init__()
        self.hangs, self.release = threading.Event(), threading.Event()

    async def hanging(self) -> None:
        """Returns once it hangs."""
        await to_thread.run_sync(self.hangs.wait, 30)

    async def do_action(self, target: TargetInfo, action: str = "") -> None:  # noqa: ARG002
        self.hangs.set()
        await to_thread.run_sync(self.release.wait, 30, abandon_on_cancel=True)


def filled(desktop: FakeDesktop) -> FakeDesktop:
    count = FakeControl(Role.TEXTBOX, "Count", "0")

    def press() -> None:
        count.value = str(int(count.value) + 1)

    desktop.open(FakeWindow("Notes", [FakeControl(Role.BUTTON, "Press", on_click=press), count], "notes"))
    return desktop


def answer(request: ModelRequest) -> JsonObject:
    if request.agent == AgentKind.HOST:
        if request.previous_subtasks:
            return {"status": "FINISH"}
        return {"status": "ASSIGN", "control_label": request.controls[0].id, "current_subtask": "Press"}
    if len(request.steps_done) == STEPS:
        return {"status": "FINISH"}
    return {"status": "CONTINUE", "function": "invoke", "control_label": request.controls[0].id}


def plan(folder: str, desktop: FakeDesktop) -> SessionPlan:
    @asynccontextmanager
    async def opens(choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:  # noqa: ARG001
        yield desktop

    return SessionPlan("s1", Path(folder) / "log", ("Press",), ScriptedModel(answer), opens=opens)


async def cancelled(work: Callable[[], Awaitable[object]], when: Callable[[], Awaitable[object]]) -> float | None:
    """Milliseconds from the cancel, which comes once `when` returns, to the end; None where it had ended before."""
    ended, began = False, 0.0

    async def run() -> None:
        nonlocal ended
        await work()
        ended = True

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await when()
            if ended:
                return None
            began = time.perf_counter()
            scope.cancel()
    return (time.perf_counter() - began) * 1000


async def turns(number: int) -> None:
    for _ in range(number):
        await anyio.lowlevel.checkpoint()


async def at_every_await(samples: int) -> list[float]:
    taken: list[float] = []
    number, stride = 0, 1
    while True:
        with tempfile.TemporaryDirectory() as folder:
            session = partial(run_session, plan(folder, filled(FakeDesktop())))
            spent = await cancelled(session, partial(turns, number))
        if spent is None:
            return taken
        taken.append(spent)
        if len(taken) == samples:
            samples, stride = samples * 2, stride * 2
        number += stride


async def while_a_tool_hangs(samples: int) -> list[float]:
    taken: list[float] = []
    for _ in range(samples):
        desktop = HangingDesktop()
        with tempfile.TemporaryDirectory() as folder:
            session = partial(run_session, plan(folder, filled(desktop)))
            spent = await cancelled(session, desktop.hanging)
        desktop.release.set()
        taken += [spent] if spent is not None else []
    return taken


def x_server() -> int:
    """The pid of the X server that we started."""
    (pid,) = (p for p in descendants(os.getpid()) if b"Xvfb" in Path(f"/proc/{p}/cmdline").read_bytes()[:20])
    return pid


async def while_the_server_hangs(samples: int) -> tuple[dict[str, list[float]], list[float]]:
    """Per call, and what the first call afterwards takes."""
    taken: dict[str, list[float]] = {}
    after: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        desktop = await open_linux(await start_virtual("bench", root=Path(folder)))
        try:
            server = x_server()
            calls: dict[str, Callable[[], Awaitable[object]]] = {
                "windows": desktop.windows,
                "screenshot": desktop.screenshot,
                "press": lambda: desktop.press([Chord("a")]),
                "read_clipboard": desktop.read_clipboard,
            }
            for name, call in list(calls.items()) * samples:
                os.kill(server, signal.SIGSTOP)
                try:
                    spent = await cancelled(call, anyio.wait_all_tasks_blocked)
                finally:
                    os.kill(server, signal.SIGCONT)
                taken.setdefault(name, []).extend([spent] if spent is not None else [])
                began = time.perf_counter()
                await desktop.windows()
                after.append((time.perf_counter() - began) * 1000)
        finally:
            await desktop.close()
    return taken, after


def tell(what: str, values: list[float]) -> None:
    print(f"{what}: median {statistics.median(values):.1f}, worst {max(values):.1f} ms of {len(values)}")


async def main(samples: int) -> None:
    tell("at an await of a session", await at_every_await(samples))
    tell("while a tool hangs in a thread", await while_a_tool_hangs(samples // 10 or 1))
    taken, after = await while_the_server_hangs(samples // 10 or 1)
    for name, values in taken.items():
        tell(f"{name} of a server that hangs", values)
    tell("the first call afterwards", after)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
