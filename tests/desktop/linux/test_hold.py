"""One agent at a time has a display's pointer and keyboard, over all processes; who dies lets go of them."""

import os
import subprocess
import sys
from collections.abc import Generator

import anyio
import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.core.errors import DesktopBusy, DesktopGone
from deskhand.desktop.linux.x11.input_lock import hold_display, holder_of
from deskhand.desktop.processes import Holder
from desktop.linux.fixture import keys_down
from desktop.linux.holding import held
from desktop.linux.servers import server
from support import ROOT

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


_PRESSES = """
import sys
from Xlib import X, XK
from Xlib.display import Display
from Xlib.ext import xtest
from deskhand.core.geometry import Point
from deskhand.desktop.linux.x11.input import XInput
from deskhand.desktop.protocols.input import MouseButton
display = Display(sys.argv[1])
for name in sys.argv[3:]:
    xtest.fake_input(display, X.KeyPress, display.keysym_to_keycode(XK.string_to_keysym(name)))
XInput(display).begin_drag([Point(10, 10), Point(200, 200)], MouseButton(sys.argv[2]))
print("down", flush=True)
sys.stdin.read()
"""


def killed_in_a_drag(display: str, button: str, *keys: str) -> None:
    """Another process presses these keys, begins to drag, and is killed."""
    argv = [sys.executable, "-c", _PRESSES, display, button, *keys]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    dragging = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert dragging.stdout
    assert dragging.stdout.readline() == "down\n"
    dragging.kill()
    dragging.communicate(timeout=20)


@pytest.mark.parametrize(("button", "keys"), [("left", ()), ("middle", ()), ("right", ("Shift_L", "a"))])
async def test_what_a_killed_one_left_pressed_is_released_by_the_next(
    button: str, keys: tuple[str, ...], display: str
) -> None:
    watching = Display(display)
    mask = {"left": X.Button1Mask, "middle": X.Button2Mask, "right": X.Button3Mask}[button]

    def down() -> tuple[bool, int]:
        return bool(watching.screen().root.query_pointer().mask & mask), keys_down(display)

    killed_in_a_drag(display, button, *keys)
    assert down()[0], "the server forgets what a client pressed"
    async with hold_display(display, US, patience_s=0):
        pass
    assert down() == (False, 0)
    watching.close()


async def test_a_side_button_is_released_though_the_server_does_not_tell_that_it_is_down(display: str) -> None:
    watching = Display(display)
    mask = X.ButtonPressMask | X.ButtonReleaseMask
    window = watching.screen().root.create_window(
        0, 0, 320, 240, 0, X.CopyFromParent, override_redirect=1, event_mask=mask
    )
    window.map()
    watching.sync()
    killed_in_a_drag(display, "back")
    async with hold_display(display, US, patience_s=0):
        pass
    async with hold_display(display, US, patience_s=0):
        pass
    watching.sync()
    events = [watching.next_event() for _ in range(watching.pending_events())]
    assert [(event.type, event.detail) for event in events] == [(X.ButtonPress, 8), (X.ButtonRelease, 8)]
    watching.close()
