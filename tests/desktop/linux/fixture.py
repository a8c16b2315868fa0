"""The fixture application of the conformance suite on a real virtual desktop."""

import json
import os
import signal
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dbus_fast.aio import MessageBus
from dbus_fast.message import Message
from Xlib.display import Display

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, open_linux
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.protocols.windows import Application
from desktop.conformance import PATIENCE_S, FixtureState
from support import ROOT, wait_until_ended

SCREEN = (1280, 800)
PROGRAM = ROOT / "tests/apps/gtk3_fixture.py"
BRIDGE = Path("/usr/share/java/java-atk-wrapper.jar")
UNO = Path("/usr/lib/python3/dist-packages/uno.py")
JAVA = (
    "/usr/bin/java",
    *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),  # half the processor time of a program that soon ends
    *("-cp", str(BRIDGE)),
    "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
)
"""What starts a Swing program, but for its source."""


@dataclass(frozen=True)
class SomePlace:
    """Where a desktop is."""

    name: str
    display: str
    environment: Mapping[str, str]
    a11y_address: str


@asynccontextmanager
async def linux_desktop(root: Path) -> AsyncGenerator[LinuxDesktop]:
    """A virtual desktop of its own, opened; ended with all its programs afterwards."""
    desktop = await open_linux(await start_virtual("test", root=root, size=SCREEN))
    try:
        yield desktop
    finally:
        await desktop.close()


class LinuxUnderTest:
    """The GTK fixture on a desktop."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, state_file: Path) -> None:
        self.desktop = desktop
        self.screen = Rect(0, 0, *SCREEN)
        self.window = window
        self._state_file = state_file

    async def place(self) -> SomePlace:
        """Where the desktop is, for a second visitor."""
        display = self.desktop.environment["DISPLAY"]
        return SomePlace("visitor", display, self.desktop.environment, await a11y_address(self.desktop.environment))

    def state(self) -> FixtureState:
        return FixtureState(**json.loads(self._state_file.read_text(encoding="utf-8")))

    async def eventually(self, holds: Callable[[FixtureState], bool]) -> FixtureState:
        async def look() -> FixtureState | None:
            state = self.state()
            return state if holds(state) else None

        state = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        if state is None:
            raise TimeoutError(f"it stays {self.state()}")
        return state

    async def kill(self) -> None:
        assert self.window.pid is not None
        os.kill(self.window.pid, signal.SIGKILL)
        wait_until_ended([self.window.pid])


@asynccontextmanager
async def page(folder: Path, html: str, title: str, *flags: str) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """A desktop with a window of Chromium that shows this page alone; `title`: what its title has to match."""
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    async with linux_desktop(folder) as desktop:
        argv = ("chromium", *flags, f"--app={file.as_uri()}")
        yield desktop, await desktop.launch(Application("chromium", argv, window=title))


async def launch_fixture(desktop: LinuxDesktop, state_file: Path) -> LinuxUnderTest:
    """Starts the application and waits for its window."""
    argv = ("/usr/bin/python3", str(PROGRAM), str(state_file))
    window = await desktop.launch(Application("fixture", argv, window="^Fixture$"))
    return LinuxUnderTest(desktop, window, state_file)


async def a11y_address(environment: Mapping[str, str]) -> str:
    """The address of the accessibility bus, as the session bus tells it."""
    bus = await MessageBus(bus_address=environment["DBUS_SESSION_BUS_ADDRESS"]).connect()
    reply = await bus.call(Message("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"))
    bus.disconnect()
    assert reply is not None
    return str(reply.body[0])


@asynccontextmanager
async def linux_under_test() -> AsyncGenerator[LinuxUnderTest]:
    """A desktop of its own with a fresh fixture application."""
    with TemporaryDirectory() as directory:
        async with linux_desktop(Path(directory)) as desktop:
            yield await launch_fixture(desktop, Path(directory) / "state.json")


def keys_down(display: str) -> int:
    connection = Display(display)
    try:
        return sum(bytes(connection.query_keymap()))
    finally:
        connection.close()
