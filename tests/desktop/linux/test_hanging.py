"""A display server that hangs: what waits for it can be cancelled, and is there again afterwards."""

import os
import signal
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import anyio
import pytest
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.errors import CaptureFailed, DesktopGone
from deskhand.core.geometry import Point
from deskhand.core.roles import Role
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.x11.capture import XCamera
from deskhand.desktop.linux.x11.input import XInput
from deskhand.desktop.protocols.input import Chord
from desktop.conformance import find
from desktop.linux.fixture import LinuxUnderTest, keys_down, launch_fixture, linux_desktop
from desktop.linux.servers import server
from support import wait_for

pytestmark = pytest.mark.desktop

PROMPT_S = 1.5
"""Far above what it takes, far below every deadline of the desktop's own."""


@pytest.fixture
async def under_test(tmp_path: Path) -> AsyncGenerator[LinuxUnderTest]:
    async with linux_desktop(tmp_path) as desktop:
        yield await launch_fixture(desktop, tmp_path / "state.json")


def _own_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("deskhand-")]


@contextmanager
def stopped_server() -> Generator[None]:
    """Our own X server, stopped; it goes on in the end whatever happens."""
    (pid,) = [pid for pid in descendants(os.getpid()) if b"Xvfb" in Path(f"/proc/{pid}/cmdline").read_bytes()[:20]]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def cancelled_while_it_hangs(work: Callable[[], Awaitable[object]]) -> float:
    """How long it takes from the cancel to the end."""
    began = monotonic()
    with anyio.fail_after(20), anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:

            async def forever() -> None:
                await work()

            tasks.start_soon(forever)
            await anyio.wait_all_tasks_blocked()
            began = monotonic()
            scope.cancel()
    return monotonic() - began


@pytest.mark.full("the others take the same way", but=["screenshot", "press"])
@pytest.mark.requires("desktop.reopened", "round.cancelled")
@pytest.mark.parametrize(
    "what", ["windows", "screenshot", "press", "click", "drag", "read_clipboard", "offer_clipboard"]
)
async def test_a_call_to_a_server_that_hangs_is_cancelled_and_the_desktop_is_usable_again(
    under_test: LinuxUnderTest, what: str
) -> None:
    desktop = under_test.desktop
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "windows": desktop.windows,
        "screenshot": desktop.screenshot,
        "press": lambda: desktop.press([Chord("a", ("ctrl", "shift")), Chord("漢")]),
        "click": lambda: desktop.click(Point(5, 5)),
        "drag": lambda: desktop.drag(Point(5, 5), Point(50, 5)),
        "read_clipboard": desktop.read_clipboard,
        "offer_clipboard": lambda: desktop.offer_clipboard({"UTF8_STRING": b"x"}),
    }
    before = len(_own_threads())
    with stopped_server():
        assert await cancelled_while_it_hangs(calls[what]) < PROMPT_S
    with anyio.fail_after(20):
        assert [window.name for window in await desktop.windows()] == ["Fixture"]
        assert not (await desktop.screenshot()).rect.empty
        await desktop.activate(under_test.window)
        await desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
        await desktop.press([Chord(character) for character in "aé漢"])
        assert (await under_test.eventually(lambda state: state.name.endswith("aé漢"))).name
        await desktop.offer_clipboard({"UTF8_STRING": b"new"})
        assert await desktop.read_clipboard() == b"new"
    assert keys_down(desktop.environment["DISPLAY"]) == 0

    async def few() -> bool:
        return len(_own_threads()) <= before + 3  # the clipboard's two, and the one that asks whether keys were handled

    # A thread is still there for a moment after its work is done.
    assert await desktop.wait_until(few, deadline_s=20), (before, _own_threads())


def _open_sockets() -> int:
    found = [file for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
    return sum(str(file.readlink()).startswith("socket:") for file in found)


@pytest.mark.requires("desktop.reopened")
async def test_a_picture_that_is_given_up_leaves_neither_a_thread_nor_a_connection() -> None:
    with server("Xvfb", "-screen", "0", "320x240x24") as display:
        before = len(_own_threads()), _open_sockets()
        camera = await XCamera.open(display, deadline_s=2.0)
        with stopped_server():
            with pytest.raises(CaptureFailed, match="no answer"):
                await camera.grab()
            wait_for(lambda: (len(_own_threads()), _open_sockets()) == before)
        assert (await camera.grab()).rect.width == 320
        await camera.close()


@pytest.mark.requires("desktop.reopened")
async def test_what_a_lost_connection_left_pressed_and_borrowed_is_put_right_by_the_next(
    under_test: LinuxUnderTest,
) -> None:
    """The server heard of the key going down, and never of its coming up."""
    name = under_test.desktop.environment["DISPLAY"]
    lost, fresh = Display(name), Display(name)
    try:
        before = XInput(lost)
        before.keymap.batch([Chord("漢")])
        control = lost.keysym_to_keycode(XK.XK_Control_L)
        before.pressed.append((X.KeyRelease, control))
        xtest.fake_input(lost, X.KeyPress, control)
        lost.sync()
        assert keys_down(name) != 0
        after = XInput(fresh, before)
        assert keys_down(name) == 0
        assert after.keymap.borrowed == before.keymap.borrowed != {}
        after.restore()
        assert after.keymap.borrowed == {}
    finally:
        lost.close()
        fresh.close()


@pytest.mark.requires("desktop.reopened")
async def test_a_server_that_hangs_is_told_at_the_deadline_and_used_again_once_it_goes_on(
    under_test: LinuxUnderTest,
) -> None:
    desktop = under_test.desktop
    with stopped_server(), anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:

            async def look() -> None:
                with pytest.raises(DesktopGone):
                    await desktop.windows()

            async def take() -> None:
                with pytest.raises(CaptureFailed):
                    await desktop.screenshot()

            tasks.start_soon(look)
            tasks.start_soon(take)
    assert len(await desktop.windows()) == 1
    assert not (await desktop.screenshot()).rect.empty
