"""The lying peer on a desktop, beside an honest application."""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import DesktopError
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.client import BusTransport, Call
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import LinuxUnderTest, SomePlace, launch_fixture, linux_desktop
from support import ROOT, wait_until_ended

DEADLINE_S: Final = 6.0
"""For liars that answer; the machine may be busy."""
USED_UP_S: Final = 1.0
"""For liars that use up any deadline."""
BOUND_S: Final = 20.0
"""Far above the deadlines, far below waiting for ever."""

PEER: Final = ROOT / "tests/desktop/linux/lying_peer.py"
TITLE: Final = "Liar"


@dataclass
class Stage:
    """A desktop with the fixture application on it, and what that shows."""

    honest: LinuxUnderTest
    place: SomePlace
    shows: tuple[str, ...]
    control: TargetInfo


@dataclass
class Liar:
    """The lying peer, its window, and a line to tell it what to lie."""

    window: TargetInfo
    line: BusTransport

    async def say(self, lie: str, argument: str = "") -> dict[str, int]:
        """What it was asked since the last time: member → count."""
        call = Call("test.Liar", "/", "test.Liar", "Say", "ss", (lie, argument))
        return json.loads((await self.line.call(call, deadline_s=30))[0])

    def signal(self, number: signal.Signals) -> None:
        assert self.window.pid is not None
        os.kill(self.window.pid, number)


@asynccontextmanager
async def open_stage(folder: Path) -> AsyncGenerator[Stage]:
    async with linux_desktop(folder) as desktop:
        honest = await launch_fixture(desktop, folder / "state.json")
        seen = await desktop.observe(honest.window, picture=False)
        yield Stage(honest, await honest.place(), _described(seen), seen.controls[0])


@asynccontextmanager
async def open_liar(stage: Stage) -> AsyncGenerator[Liar]:
    argv = (sys.executable, str(PEER), TITLE, stage.place.a11y_address)
    environment = {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("src", "tests"))}
    window = await stage.honest.desktop.launch(Application("liar", argv, window=f"^{TITLE}$", environment=environment))
    line = await BusTransport.connect(stage.place.a11y_address)
    liar = Liar(window, line)
    try:
        yield liar
    finally:
        await line.close()
        assert window.pid is not None
        with suppress(ProcessLookupError):
            os.kill(window.pid, signal.SIGKILL)
        wait_until_ended([window.pid])


@asynccontextmanager
async def visitor(stage: Stage) -> AsyncGenerator[LinuxDesktop]:
    """Somebody who sees the desktop for the first time."""
    desktop = await attach(stage.place)
    try:
        yield desktop
    finally:
        await desktop.close()


def _described(seen: Observation) -> tuple[str, ...]:
    assert seen.truncated is None
    return tuple(f"{control.handle} {control.describe} {control.rect}" for control in seen.controls)


async def look(desktop: LinuxDesktop, window: TargetInfo, deadline_s: float) -> Observation | DesktopError:
    try:
        return await desktop.observe(window, picture=False, deadline_s=deadline_s)
    except DesktopError as error:
        return error


async def still_whole(desktop: LinuxDesktop, stage: Stage) -> None:
    """The honest application is observed as ever."""
    seen = await desktop.observe(stage.honest.window, picture=False, deadline_s=BOUND_S)
    assert _described(seen) == stage.shows


async def look_at_both(
    desktop: LinuxDesktop, stage: Stage, liar: Liar, deadline_s: float = DEADLINE_S
) -> Observation | DesktopError:
    """What comes of the liar; the honest application is observed meanwhile, whole."""
    found: list[Observation | DesktopError] = []

    async def look_at_liar() -> None:
        found.append(await look(desktop, liar.window, deadline_s))

    with anyio.fail_after(BOUND_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look_at_liar)
            tasks.start_soon(still_whole, desktop, stage)
    return found[0]
