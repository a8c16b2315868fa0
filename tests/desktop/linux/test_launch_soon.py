"""A launch that can be known to bring no window is told then, not at its time limit."""

import os
import signal
import sys
from collections.abc import AsyncGenerator

import anyio
import pytest

from deskhand.core.errors import LaunchFailed
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.launch-soon")]

PATIENCE_S = 30.0
FOR_EVER_S = 3600.0
SINGLE = Application("notes", ("/usr/bin/python3", str(ROOT / "tests/apps/single_gtk3.py")))
BARE = Application("bare", (sys.executable, str(ROOT / "tests/apps/bare_x11.py"), "Bare", "0", "0", "300", "200"))
CALCULATOR = Application("calculator", ("gnome-calculator",))


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("soon")) as desktop:
        yield desktop


def shell(script: str) -> Application:
    return Application("script", ("/bin/sh", "-c", script))


async def failed(desktop: LinuxDesktop, application: Application) -> LaunchFailed:
    """What is told of a launch without a time limit of its own."""
    with anyio.fail_after(PATIENCE_S), pytest.raises(LaunchFailed) as told:
        await desktop.launch(application, deadline_s=FOR_EVER_S)
    return told.value


async def test_a_program_that_ended_well_and_left_nothing(desktop: LinuxDesktop) -> None:
    told = await failed(desktop, shell("echo all done >&2"))
    assert told.message == "script ended with exit code 0 and showed no new window. Its output: all done"


@pytest.mark.full("such programs are rare")
async def test_one_that_ended_and_left_a_process_behind_may_still_show_its_window(desktop: LinuxDesktop) -> None:
    single = " ".join(SINGLE.argv)
    window = await desktop.launch(shell(f"(sleep 5; exec {single}) & exit 0"), deadline_s=PATIENCE_S)
    assert window.name == "Notes"
    os.kill(window.pid or 0, signal.SIGTERM)


async def test_a_program_that_is_stopped(desktop: LinuxDesktop) -> None:
    told = await failed(desktop, shell("kill -STOP $$"))
    pid = int(told.fix.split()[-1])
    assert f"its process, {pid}, is stopped" in told.message
    os.kill(pid, signal.SIGKILL)


async def test_a_program_that_runs_once_gives_the_window_that_it_raises_and_names_one_that_it_need_not_raise(
    desktop: LinuxDesktop,
) -> None:
    first = await desktop.launch(SINGLE, deadline_s=PATIENCE_S)
    told = await failed(desktop, SINGLE)
    assert "It runs already" in told.message
    assert f'{first.handle} "Notes"' in told.fix

    other = await desktop.launch(CALCULATOR, deadline_s=PATIENCE_S)
    assert other.handle != first.handle
    with anyio.fail_after(PATIENCE_S):
        again = await desktop.launch(SINGLE, deadline_s=FOR_EVER_S)
    assert again.handle == first.handle
    assert "active" in next(window for window in await desktop.windows() if window.handle == first.handle).states

    os.kill(first.pid or 0, signal.SIGSTOP)
    told = await failed(desktop, SINGLE)
    assert f"the process that shows its windows already, {first.pid}, is stopped" in told.message
    os.kill(first.pid or 0, signal.SIGKILL)


async def test_a_program_that_is_stopped_once_its_window_shows(desktop: LinuxDesktop) -> None:
    window = 'w = Gtk.Window(title="Stops"); w.connect("map-event", lambda *_: os.kill(os.getpid(), 19)); w.show_all()'
    lines = ("import gi, os", 'gi.require_version("Gtk", "3.0")', "from gi.repository import Gtk", window, "Gtk.main()")
    told = await failed(desktop, Application("stops", ("/usr/bin/python3", "-c", "\n".join(lines))))
    assert "is stopped" in told.message
    os.kill(int(told.fix.split()[-1]), signal.SIGKILL)


async def test_a_window_that_tells_nothing_is_given_once_its_program_rests(
    desktop: LinuxDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskhand.desktop.linux.runtime.launcher._TELLS_NOTHING_S", FOR_EVER_S)
    window = await desktop.launch(BARE, deadline_s=60)
    assert window.name == "Bare"
    os.kill(window.pid or 0, signal.SIGTERM)
