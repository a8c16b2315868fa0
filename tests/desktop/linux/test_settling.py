"""Settling on a real desktop: what repeats itself does not hold it up, and what else happens is waited for."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.core.errors import DesktopGone
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.x11 import damage
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import close_display, cut_display, open_display
from deskhand.desktop.linux.x11.damage import XScreenChanges
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application, Quiet
from desktop.conformance import PATIENCE_S
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import ROOT, wait_until_ended

pytestmark = pytest.mark.desktop

PROGRAM = ROOT / "tests/apps/gtk3_restless.py"
LONG_S = 20.0


@dataclass(frozen=True, slots=True)
class Restless:
    """The restless program on a desktop."""

    desktop: LinuxDesktop
    window: TargetInfo
    path: Path

    @property
    def state(self) -> Any:  # the program's own JSON
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def pid(self) -> int:
        assert self.window.pid is not None
        return self.window.pid

    async def until(self, holds: Callable[[Any], bool]) -> None:
        async def look() -> bool | None:
            return True if holds(self.state) else None

        assert await self.desktop.wait_until(look, deadline_s=PATIENCE_S), self.state

    async def key(self, key: str) -> None:
        """Presses a key; returns when the program has taken it."""
        await self.desktop.activate(self.window)
        await self.desktop.press([Chord("q"), Chord(key)])
        await self.until(lambda state: state["key"] == key)

    async def ignored(self, *words: str) -> list[str]:
        """Settles until each word was in what that ignored, and returns it. Fails after some waits, or if not quiet."""
        told = list[str]()
        for _ in range(5):  # beside other tests the program may not run in one short wait
            settled = await self.desktop.settle(self.window, deadline_s=LONG_S)
            assert settled.reason is Quiet.SETTLED, settled.summary
            told += settled.ignored
            if all(any(word in each for each in told) for word in words):
                return told
        raise AssertionError(f"{words} are not in {told}")

    async def see(self) -> Observation:
        return await self.desktop.observe(self.window, picture=False)


async def launch(desktop: LinuxDesktop, path: Path, title: str = "Restless") -> Restless:
    argv = ("/usr/bin/python3", str(PROGRAM), str(path), title)
    window = await desktop.launch(Application(title.lower(), argv, window=f"^{title}$"))
    await desktop.settle(window)
    return Restless(desktop, window, path)


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("settling")) as opened:
        yield opened


@pytest.fixture
async def it(desktop: LinuxDesktop, tmp_path: Path) -> AsyncGenerator[Restless]:
    async with running(desktop, tmp_path / "state.json") as program:
        yield program


@asynccontextmanager
async def running(desktop: LinuxDesktop, path: Path, title: str = "Restless") -> AsyncGenerator[Restless]:
    program = await launch(desktop, path, title)
    try:
        yield program
    finally:
        with suppress(ProcessLookupError):
            os.kill(program.pid, signal.SIGKILL)
        wait_until_ended([program.pid])


@pytest.mark.requires("desktop.settle-habits")
@pytest.mark.parametrize("key", ["v", "f", "s", "c", "t"], ids=["video", "decoded", "spinner", "caret", "ticking"])
async def test_what_repeats_itself_does_not_hold_settling_up(it: Restless, key: str) -> None:
    await it.key(key)
    settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
    assert settled.reason is Quiet.SETTLED, settled.summary
    again = await it.desktop.settle(it.window, deadline_s=LONG_S)
    assert again.reason is Quiet.SETTLED, again.summary


@pytest.mark.requires("desktop.settle-polling")
async def test_a_program_that_looks_at_something_all_the_time_settles(it: Restless) -> None:
    await it.key("p")
    assert await it.ignored("without an effect")


@pytest.mark.requires("desktop.settle-polling", "desktop.settle")
async def test_work_beside_what_is_done_all_the_time_is_waited_for(it: Restless) -> None:
    await it.key("p")
    assert (await it.desktop.settle(it.window, deadline_s=LONG_S)).reason is Quiet.SETTLED
    await it.key("b")
    settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
    assert settled.reason is Quiet.SETTLED, settled.summary
    assert it.state["ended"] == ["work"], settled.summary


@pytest.mark.requires("desktop.settle-habits")
async def test_what_was_not_waited_for_is_told_with_its_reason(it: Restless) -> None:
    await it.key("f")
    told = await it.ignored("pixels", "main thread")
    assert any("pixels" in each and str(it.pid) in each and "again and again" in each for each in told)


@pytest.mark.requires("desktop.settle")
@pytest.mark.parametrize("beside", ["", "v", "s", "t"], ids=["alone", "video", "spinner", "ticking"])
@pytest.mark.parametrize(("key", "ends"), [("r", "rows"), ("d", "dialog")])
async def test_what_is_seen_after_settling_is_final(it: Restless, key: str, ends: str, beside: str) -> None:
    if beside:
        await it.key(beside)
        assert (await it.desktop.settle(it.window, deadline_s=LONG_S)).reason is Quiet.SETTLED
    await it.key(key)
    settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
    ended = it.state["ended"]
    names = [c.name for c in (await it.see()).controls]
    windows = [w.name for w in await it.desktop.windows()]
    assert settled.reason is Quiet.SETTLED, settled.summary
    assert ended == [ends], settled.summary
    assert it.state["rows"] == sum(name.startswith("row ") for name in names) or beside
    assert ("Answer" in windows) == (key == "d")


@pytest.mark.requires("desktop.settle")
async def test_work_that_shows_nothing_yet_is_waited_for(it: Restless) -> None:
    await it.key("b")
    settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
    names = [c.name for c in (await it.see()).controls]
    assert settled.reason is Quiet.SETTLED
    assert it.state["ended"] == ["work"], settled.summary
    assert "the result" in names
    assert settled.last, "something was the last to happen"


PAGE = """<!doctype html><title>Works</title><p id="it">Not done</p>
<button onclick="for (const end = Date.now() + 1500; Date.now() < end;); it.textContent = 'Done'">Work</button>"""


@pytest.mark.requires("desktop.settle-pages", "observe.chromium")
async def test_the_work_of_a_web_page_is_waited_for(tmp_path: Path) -> None:
    """Its script runs in a process of its own, while that of the window has nothing to do.

    On a busy machine the click reaches it more than 0.05 s later, see docs/limits.md.
    """
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        argv = ("chromium", f"--app={(tmp_path / 'page.html').as_uri()}")
        window = await desktop.launch(Application("chromium", argv, window="Works"))
        button = await Tools(desktop).find(window, "Work", Role.BUTTON)
        await desktop.click(button.rect.center)
        settled = await desktop.settle(window, quiet_s=0.5, deadline_s=LONG_S)
        seen = await desktop.observe(window, picture=False)
        assert settled.reason is Quiet.SETTLED, settled.summary
        assert "Done" in [control.value for control in seen.controls], settled.summary


@pytest.mark.requires("desktop.settle-others")
async def test_other_applications_hold_nothing_up_and_are_not_told(it: Restless, tmp_path: Path) -> None:
    async with running(it.desktop, tmp_path / "other.json", "Other") as other:
        await other.key("f")
        await other.until(lambda state: state["frames"] > 0)
        await it.desktop.activate(it.window)
        settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
        told = list[str]()
        for _ in range(5):  # beside other tests the other program may draw nothing for one short wait
            everybody = await it.desktop.settle(deadline_s=LONG_S)
            assert everybody.reason is Quiet.SETTLED
            told += [word for word in (*everybody.ignored, everybody.last) if str(other.pid) in word]
            if told:
                break
    assert settled.reason is Quiet.SETTLED
    assert not [told for told in (*settled.ignored, *settled.busy) if str(other.pid) in told]
    assert told


@pytest.mark.requires("desktop.settle-reason")
async def test_a_stopped_application_is_never_quiet(it: Restless) -> None:
    os.kill(it.pid, signal.SIGSTOP)
    stopped = await it.desktop.settle(it.window, deadline_s=0.5)
    os.kill(it.pid, signal.SIGCONT)
    going_on = await it.desktop.settle(it.window, deadline_s=LONG_S)
    assert stopped.reason is Quiet.DEADLINE
    assert f"process {it.pid} is stopped" in stopped.busy
    assert going_on.reason is Quiet.SETTLED


@pytest.mark.requires("desktop.settle-reason")
async def test_an_application_that_dies_while_it_is_waited_for_is_gone(it: Restless) -> None:
    await it.key("r")
    os.kill(it.pid, signal.SIGKILL)
    wait_until_ended([it.pid])
    settled = await it.desktop.settle(it.window, deadline_s=LONG_S)
    assert settled.reason is Quiet.GONE, settled.summary


@pytest.mark.requires("desktop.settle-reason")
async def test_at_the_deadline_it_is_told_what_was_going_on(it: Restless) -> None:
    await it.key("b")
    settled = await it.desktop.settle(it.window, deadline_s=0.15)
    if settled.reason is Quiet.SETTLED:  # on a busy machine the work may have been over by then
        await it.key("b")
        settled = await it.desktop.settle(it.window, deadline_s=0.15)
    assert settled.reason is Quiet.DEADLINE
    assert any(f"main thread of process {it.pid}" in told for told in settled.busy), settled.summary
    assert str(it.pid) in settled.summary


@pytest.mark.requires("desktop.settle-habits")
async def test_a_flood_of_the_same_events_ends_settling_all_the_same(it: Restless) -> None:
    await it.key("e")
    told = await it.ignored("events")
    await it.key("e")
    assert told


@pytest.mark.requires("desktop.settle-reason")
async def test_an_x_server_that_stops_or_dies_is_never_quiet(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as own:
        it = await launch(own, tmp_path / "state.json")
        server = _x_server(own.environment["DISPLAY"])
        os.kill(server, signal.SIGSTOP)
        stopped = await own.settle(it.window, deadline_s=0.5)
        os.kill(server, signal.SIGCONT)
        assert stopped.reason is Quiet.DEADLINE
        assert any("X server" in told for told in stopped.busy), stopped.summary
        assert (await own.settle(it.window, deadline_s=LONG_S)).reason is Quiet.SETTLED
        os.kill(server, signal.SIGKILL)
        with pytest.raises(DesktopGone), anyio.fail_after(PATIENCE_S):
            await own.settle(it.window, deadline_s=LONG_S)


@pytest.fixture
def without_damage() -> Iterator[str]:
    """The display of an X server that does not say which pixels change."""
    reading, writing = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp", "-extension", "DAMAGE"]
    with subprocess.Popen(argv, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        yield f":{os.read(reading, 16).decode().strip()}"
        os.close(reading)
        server.terminate()


@pytest.mark.requires("desktop.settle-reason")
async def test_a_server_without_damage_is_known_to_show_no_pixels(without_damage: str) -> None:
    changes = await XScreenChanges.watch(without_damage, Activity(Pulse()))
    assert "DAMAGE" in changes.unseen
    with anyio.fail_after(PATIENCE_S):
        assert await changes.fence()
    await changes.close()


@pytest.mark.requires("desktop.settle")
async def test_a_fence_is_no_change_that_ends_a_wait(without_damage: str) -> None:
    pulse = Pulse()
    changes = await XScreenChanges.watch(without_damage, Activity(pulse))
    with anyio.fail_after(PATIENCE_S):
        passed = [await changes.fence() for _ in range(3)]
    await changes.close()
    assert (passed, pulse.count) == ([True] * 3, 0)


def round_trips(display: Display) -> None:
    """Returns when everybody else was told too what happened before: the first answer may come before their events."""
    for _ in range(3):
        display.sync()


@pytest.mark.requires("desktop.settle")
async def test_the_late_answer_to_a_fence_that_was_given_up_is_not_taken_for_that_of_the_next(
    without_damage: str,
) -> None:
    other = open_display(without_damage)
    changes = await XScreenChanges.watch(without_damage, Activity(Pulse()))
    passed: list[bool] = []

    async def wait() -> None:
        passed.append(await changes.fence())

    other.grab_server()  # nobody else is answered
    other.sync()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    other.ungrab_server()
    round_trips(other)
    other.grab_server()
    other.sync()
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert passed == []
            other.ungrab_server()
            other.sync()
    assert passed == [True]
    await changes.close()
    close_display(other)


class Prompt:
    """The socket of a connection over which sending returns when the server has answered."""

    def __init__(self, inner: socket.socket, other: Display) -> None:
        self._inner, self._other = inner, other

    def send(self, data: bytes) -> int:
        sent = self._inner.send(data)
        round_trips(self._other)
        return sent

    def __getattr__(self, name: str) -> Any:  # everything else is the socket's
        return getattr(self._inner, name)


@pytest.mark.requires("desktop.settle")
async def test_what_a_server_says_while_something_is_sent_to_it_is_heard(
    without_damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_display(without_damage)

    def prompt_display(_: Display | None) -> Display:
        display = open_display(without_damage)
        monkeypatch.setattr(display.display, "socket", Prompt(display.display.socket, other))
        return display

    def prompt_device(_: str) -> Device[Display]:
        return Device(prompt_display, close_display, cut_display)

    monkeypatch.setattr(damage, "display_device", prompt_device)
    changes = await XScreenChanges.watch(without_damage, Activity(Pulse()))
    other.screen().root.create_window(0, 0, 9, 9, 0, 0, X.InputOnly).map()
    round_trips(other)
    with anyio.fail_after(PATIENCE_S):
        assert await changes.fence()
    await changes.close()
    close_display(other)


def _x_server(display: str) -> int:
    """The process id of the server of a display that tests started."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            argv = path.read_bytes().decode().split("\0")
            if argv[0].endswith("Xvfb") and _serves(int(path.parent.name), display):
                return int(path.parent.name)
    raise AssertionError(f"nobody serves {display}")


def _serves(pid: int, display: str) -> bool:
    sockets = Path(f"/proc/{pid}/net/unix").read_text(encoding="ascii").splitlines()
    inodes = {line.split()[6] for line in sockets if line.endswith(f"/tmp/.X11-unix/X{display.removeprefix(':')}")}
    links = (str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir())
    return any(link.removeprefix("socket:[").removesuffix("]") in inodes for link in links)
