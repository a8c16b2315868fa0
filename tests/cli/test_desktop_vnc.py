"""A desktop that is served to VNC viewers: a real client sees it and acts there, and agents pause for its user."""

import itertools
import json
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio
import pytest
from pydantic import TypeAdapter
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin
from Xlib import X
from Xlib.display import Display

from cli.driver import deskhand, environment, finish, processes_with, start
from deskhand.config.sections import SystemSection
from deskhand.core.errors import PersonActs
from deskhand.core.geometry import Rect
from deskhand.desktop.linux.desktop import LinuxDesktop, open_linux
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.named_desktop import open_named
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.user_guard import PersonMode
from deskhand.session.user_guard_rules import watch_user
from desktop.linux.fixture import PROGRAM, keys_down
from desktop.linux.somebody import Refused, Viewer, viewer_at
from support import command_line, need, wait_for, wait_until_ended

pytestmark = pytest.mark.desktop

NAME = "shop"
OTHERS = "€ß漢"
"""Characters that the layout lacks."""


SEEN = Rect(250, 100, 780, 240)
"""Part of the screen, with the fixture's button and field."""


@dataclass(frozen=True)
class Up:
    """A desktop with a window of the fixture. `places`: of its controls by name."""

    display: str
    env: dict[str, str]
    folder: Path
    places: dict[str, Rect]

    @property
    def state(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.folder / "state.json").read_text())
        return found

    def centre(self, name: str) -> tuple[int, int]:
        centre = self.places[name].center
        return centre.x, centre.y

    @property
    def name_typed(self) -> str:
        return str(self.state["name"])

    def enter_name(self, viewer: Viewer) -> None:
        """Put the keyboard into the empty field; a window manager lets keys overtake a click."""
        pressed = self.state["pressed"]
        viewer.click(*self.centre("Press me"))
        wait_for(lambda: self.state["pressed"] != pressed)
        before = viewer.picture(SEEN)
        viewer.click(*self.centre("Name"))
        wait_for(lambda: viewer.picture(SEEN) != before)
        viewer.key("a", "Control_L")
        viewer.key("BackSpace")
        wait_for(lambda: not self.name_typed)


@dataclass(frozen=True)
class Serving:
    """A process that serves it."""

    process: "subprocess.Popen[str]"
    address: str
    password: str
    url: str

    @contextmanager
    def viewer(self) -> Generator[Viewer]:
        with viewer_at(self.address, self.password) as viewer:
            yield viewer


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    need(Path("/usr/bin/x11vnc"), Path("/usr/share/novnc/vnc.html"))
    folder = tmp_path_factory.mktemp("desktop")
    env = environment(XDG_STATE_HOME=str(folder / "state"), HOME=str(folder))
    started = deskhand("desktop", "start", NAME, "--size", "1024x768", "--json", env=env)
    launched = deskhand("launch", "--", "/usr/bin/python3", PROGRAM, folder / "state.json", env=env)
    assert launched.code == 0, launched.err
    listed = deskhand("observe", "--json", env=env).items("controls")
    corners = TypeAdapter(tuple[int, int, int, int])
    places = {str(each["name"]): Rect(*corners.validate_python(each["rect"])) for each in listed if each["rect"]}
    yield Up(str(started.item("display")), env, folder, places)
    deskhand("desktop", "stop", "--all", env=env)
    wait_until_ended(processes_with(str(folder / "state")))


@pytest.fixture(scope="module")
async def session(up: Up) -> AsyncGenerator[LinuxDesktop]:
    """The desktop as a session has it; it began before there was a viewer."""
    desktop = await open_linux(await open_named(NAME, registry=up.folder / "state/deskhand/desktops"))
    await watch_user(desktop, SystemSection(person_quiet_s=0.3))
    assert not desktop.guard.has_viewer
    yield desktop
    await desktop.close()


@contextmanager
def serving(up: Up, *options: str, name: str = NAME) -> Generator[Serving]:
    process = start("desktop", "vnc", name, "--json", *options, env=up.env)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        said = json.loads(line)
        yield Serving(process, said["address"], said["password"], said.get("url", ""))
    finally:
        process.send_signal(signal.SIGINT)
        finish(process)


@pytest.fixture(scope="module")
def served(up: Up, session: LinuxDesktop) -> Iterator[Serving]:
    assert session.guard.rules.person is PersonMode.IGNORE
    with serving(up, "--web") as it:
        yield it


@pytest.mark.requires("viewer.acts")
async def test_its_client_sees_the_desktop_change_and_acts_there(up: Up, served: Serving) -> None:
    with served.viewer() as viewer:
        before = viewer.picture(SEEN)
        viewer.click(*up.centre("Press me"))
        wait_for(lambda: up.state["pressed"])
        wait_for(lambda: viewer.picture(SEEN) != before)
        up.enter_name(viewer)
        viewer.type(f"a{OTHERS}")
        wait_for(lambda: up.name_typed == f"a{OTHERS}")


@pytest.mark.requires("viewer.pause")
async def test_a_session_that_began_before_waits_for_its_user_and_then_types_the_same_characters(
    up: Up, served: Serving, session: LinuxDesktop
) -> None:
    with served.viewer() as viewer:
        up.enter_name(viewer)
        await noticed(viewer, session)
        viewer.type(OTHERS)
        await until(lambda: up.name_typed == OTHERS)
        await noticed(viewer, session)
        with pytest.raises(PersonActs):
            await session.press([Chord("x")])
        await session.guard.free()
        await session.press([Chord(letter) for letter in OTHERS])
        await until(lambda: up.name_typed == OTHERS + OTHERS)


@pytest.mark.requires("viewer.released")
async def test_of_a_client_that_goes_in_the_middle_of_a_drag_nothing_stays_pressed(
    up: Up, served: Serving, session: LinuxDesktop
) -> None:
    with served.viewer() as viewer:
        await noticed(viewer, session)
        viewer.move(5, 5, buttons=1)
        viewer.hold("Shift_L")
        await until(lambda: keys_down(up.display) and button_down(up.display))
    await until(lambda: not keys_down(up.display) and not button_down(up.display))
    with anyio.fail_after(10):
        await session.guard.free()


@pytest.mark.requires("viewer.acts")
async def test_who_may_only_watch_changes_nothing(up: Up, served: Serving) -> None:
    checked, pressed = up.state["checked"], up.state["pressed"]
    with serving(up, "--view-only") as watching, watching.viewer() as viewer:
        viewer.click(*up.centre("Check me"))
        assert viewer.picture(SEEN)  # the click was taken before
        with served.viewer() as other:
            other.click(*up.centre("Press me"))
            wait_for(lambda: up.state["pressed"] != pressed)
    assert up.state["checked"] == checked


@pytest.mark.requires("viewer.safe")
async def test_a_wrong_password_a_wrong_token_and_another_sites_page_are_refused(served: Serving) -> None:
    with pytest.raises(Refused, match="password"), viewer_at(served.address, "wrong"):
        pass
    page = urlsplit(served.url)
    path = unquote(page.fragment.rpartition("path=")[2])
    at, origin = f"ws://{page.netloc}", f"http://{page.netloc}"
    with connect(f"{at}/{path}", origin=Origin(origin)) as wire:
        assert bytes(wire.recv(timeout=10)).startswith(b"RFB ")  # type: ignore[arg-type]  # it sends bytes alone
    for address, source in (
        (f"{at}/{path}x", origin),
        (f"{at}/websockify", origin),
        (f"{at}/{path}", "http://example.org"),
        (f"{at}/{path}", None),
    ):
        with pytest.raises(WebSocketException), connect(address, origin=Origin(source) if source else None) as wire:
            wire.recv(timeout=10)


@pytest.mark.full("other refusals are tried in test_viewer_refused")
@pytest.mark.requires("viewer.told")
async def test_a_second_one_that_may_act_and_a_taken_port_are_refused(up: Up, served: Serving) -> None:
    port = served.address.rpartition(":")[2]
    for options, said in (
        ((), f"is already open to viewers, by deskhand desktop vnc {NAME} (process {served.process.pid})"),
        (("--view-only", "--port", port), f"port {port} of 127.0.0.1 cannot be had"),
    ):
        done = deskhand("desktop", "vnc", NAME, *options, env=up.env)
        assert (done.code, said in done.err, done.out) == (2, True, ""), done.err


@pytest.mark.requires("viewer.ends")
def test_its_programs_end_with_it_and_it_ends_with_the_desktop(up: Up) -> None:
    assert deskhand("desktop", "start", "brief", env=up.env).code == 0
    with serving(up, "--web", name="brief") as killed:
        programs = descendants(killed.process.pid)
        assert {"x11vnc", "websockify"} <= {Path(word).name for pid in programs for word in command_line(pid).split()}
        killed.process.kill()
        wait_until_ended(programs)
    with serving(up, "--web", name="brief") as told:
        programs = descendants(told.process.pid)
        deskhand("desktop", "stop", "brief", env=up.env)
        done = finish(told.process)
        assert (done.code, "desktop 'brief' has ended, and its viewer with it" in done.err) == (4, True), done.err
        wait_until_ended(programs)


async def noticed(viewer: Viewer, session: LinuxDesktop) -> None:
    """Return once the session notices the viewer's user; the watch begins a moment after the viewer."""
    places = itertools.cycle((3, 4))

    def moved() -> str:
        viewer.move(next(places), 3)
        return session.guard.paused

    await until(moved)


async def until(condition: Callable[[], object]) -> None:
    """Returns once it is true. Fails after a while."""
    with anyio.fail_after(10):
        while not condition():
            await anyio.lowlevel.checkpoint()


def button_down(display: str) -> bool:
    connection = Display(display)
    try:
        return bool(connection.screen().root.query_pointer().mask & X.Button1Mask)
    finally:
        connection.close()
