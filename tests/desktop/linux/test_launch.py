"""A launched window is told as it is once it is ready, and is one of what was launched."""

import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.errors import LaunchFailed
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.runtime.launcher import Launcher
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

UNPLACED = TargetInfo(
    kind=TargetKind.WINDOW, name="Notes", type=Role.WINDOW, rect=Rect.from_extents(0, 0, 300, 200), handle="x11:0x7"
)
PLACED = replace(UNPLACED, rect=Rect.from_extents(460, 280, 300, 200))
NOBODY = 2**30
"""A process id that no process has."""
INBOX = replace(PLACED, name="Inbox", handle="x11:0x8", application="thunderbird", pid=NOBODY)
MAIL = replace(INBOX, name="New mail", handle="x11:0x9")


class Started:
    """A program that runs, or ended with `code`, in the session that this process is in."""

    def __init__(self, folder: Path, code: int | None = None) -> None:
        self._folder = folder
        self._code = code

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        return os.getsid(0) if self._code is None else NOBODY

    def exited(self, pid: int) -> int | None:
        return self._code

    def log(self, log_name: str) -> Path:
        return self._folder / log_name


class Screen:
    """Shows nothing at first, or what was there `before`, then what is given, and the last for good."""

    def __init__(self, *shown: tuple[TargetInfo, ...], before: tuple[TargetInfo, ...] = ()) -> None:
        self._shown = [before, *shown]

    async def windows(self) -> tuple[TargetInfo, ...]:
        return self._shown.pop(0) if len(self._shown) > 1 else self._shown[0]


async def is_ready(_: TargetInfo) -> bool:
    return True


async def no_controls(_: TargetInfo) -> tuple[TargetInfo, ...]:
    return ()


async def a_question(_: TargetInfo) -> tuple[TargetInfo, ...]:
    return (replace(PLACED, kind=TargetKind.CONTROL, name="OK", type=Role.BUTTON, states=frozenset({"focused"})),)


def launcher(folder: Path, screen: Screen) -> Launcher:
    return Launcher(Started(folder), Pulse(), screen.windows, is_ready, no_controls)


async def launched(
    screen: Screen, folder: Path, *argv: str, file: Path | None = None, code: int | None = None, deadline_s: float = 5.0
) -> TargetInfo:
    starting = Launcher(Started(folder, code), Pulse(), screen.windows, is_ready, no_controls)
    return await starting.launch(Application("notes", argv or ("notes",)), file, deadline_s=deadline_s)


@pytest.mark.requires("desktop.launch-place")
async def test_a_window_that_was_listed_before_it_had_its_place_is_told_with_it(tmp_path: Path) -> None:
    screen = Screen((UNPLACED,), (PLACED,))
    launched = await launcher(tmp_path, screen).launch(Application("notes", ("notes",)), None, deadline_s=5)
    assert launched == PLACED


@pytest.mark.requires("desktop.launch-place")
async def test_a_window_that_vanishes_as_it_gets_ready_is_not_told(tmp_path: Path) -> None:
    screen = Screen((UNPLACED,), ())
    with pytest.raises(LaunchFailed, match="showed no window"):
        await launcher(tmp_path, screen).launch(Application("notes", ("notes",)), None, deadline_s=0.05)


@pytest.mark.requires("desktop.launch-own")
async def test_a_new_window_of_another_program_that_was_there_before_is_not_told(tmp_path: Path) -> None:
    screen = Screen((MAIL, INBOX), (MAIL, PLACED, INBOX), before=(INBOX,))
    assert await launched(screen, tmp_path) == PLACED
    script, other = (
        replace(INBOX, application="-c"),
        replace(MAIL, application="-c"),
    )  # as Python calls one without a file
    screen = Screen((other, script), (other, PLACED, script), before=(script,))
    assert await launched(screen, tmp_path, "sh", "-c", "notes") == PLACED
    with pytest.raises(LaunchFailed, match=r'while a program that ran before showed x11:0x9 "New mail"'):
        await launched(Screen((MAIL, INBOX), before=(INBOX,)), tmp_path, deadline_s=0.05)


@pytest.mark.requires("desktop.launch-own")
async def test_a_window_that_cannot_be_tied_to_what_was_launched_is_told(tmp_path: Path) -> None:
    for window in (PLACED, replace(MAIL, application="notes"), replace(MAIL, pid=NOBODY + 1)):
        assert await launched(Screen((window, INBOX), before=(INBOX,)), tmp_path) == window
    for argv in (("nice", "thunderbird", "-compose"), ("starter", "/usr/bin/thunderbird")):
        assert await launched(Screen((MAIL, INBOX), before=(INBOX,)), tmp_path, *argv) == MAIL


@pytest.mark.requires("desktop.launch-own")
async def test_a_window_of_the_session_that_was_begun_is_told_rather_than_one_of_nobody_knows_whom(
    tmp_path: Path,
) -> None:
    own = replace(PLACED, handle="x11:0x5", pid=os.getpid())
    assert await launched(Screen((PLACED, own)), tmp_path) == own


@pytest.mark.requires("desktop.launch-own")
@pytest.mark.long
async def test_what_a_program_that_has_ended_opened_in_another_is_told(tmp_path: Path) -> None:
    screen = Screen((MAIL, INBOX), before=(INBOX,))
    assert await launched(screen, tmp_path, "xdg-open", "mailto:me", code=0, deadline_s=20) == MAIL
    named = replace(MAIL, name="a.eml - Mail")
    screen = Screen((named, INBOX), before=(INBOX,))
    assert await launched(screen, tmp_path, "xdg-open", "a.eml", code=0, deadline_s=0.5) == named


@pytest.mark.requires("desktop.launch-own")
@pytest.mark.parametrize("name", ["11.txt", "1.txt.old"])
async def test_an_older_window_is_told_where_its_program_shows_the_file_now(tmp_path: Path, name: str) -> None:
    own = replace(PLACED, name="Start", application="notes-editor", pid=os.getpid())
    other = replace(INBOX, name="1.txt - Mail")
    before, file = (own, INBOX), tmp_path / "1.txt"
    wrong, right = replace(own, name=f"{name} - Notes"), replace(own, name="*1.txt - Notes")
    screen = Screen((wrong, INBOX), (wrong, other), (right, other), before=before)
    assert await launched(screen, tmp_path, file=file) == right


@pytest.mark.requires("desktop.launch-own", "desktop.launch-question")
async def test_the_window_in_which_a_program_asks_is_given_and_that_of_another_program_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_ASKS_AFTER_S", "_ASKS_STILL_S"):
        monkeypatch.setattr(f"deskhand.desktop.linux.runtime.launcher.{name}", 0.0)

    async def launched_asking(asking: TargetInfo, deadline_s: float) -> TargetInfo:
        screen = Screen((asking, INBOX), before=(INBOX,))
        starting = Launcher(Started(tmp_path), Pulse(), screen.windows, is_ready, a_question)
        return await starting.launch(Application("notes", ("notes",), window="^Notes$"), None, deadline_s=deadline_s)

    own = replace(MAIL, pid=NOBODY + 1)
    assert await launched_asking(own, 10.0) == own
    with pytest.raises(LaunchFailed, match="showed no window"):
        await launched_asking(MAIL, 0.2)


MAILER = """
import gi, os, signal, sys
gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk

def show(title, *told):
    window = Gtk.Window(title=title)
    window.add(Gtk.Button(label="Read"))
    window.connect("map-event", lambda *_: [open(file, "w") for file in told] and False)
    window.show_all()

show("Inbox")
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, show, "New mail", sys.argv[1])
Gtk.main()
"""


@pytest.mark.desktop
@pytest.mark.requires("desktop.launch-own")
async def test_what_another_program_shows_while_one_starts_is_not_told(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    async with linux_desktop(tmp_path) as desktop:
        mailer = Application("mailer", ("/usr/bin/python3", "-c", MAILER, str(shown)))
        inbox = await desktop.launch(mailer)
        notes = f"exec /usr/bin/python3 {ROOT}/tests/apps/single_gtk3.py"
        script = f"kill -USR1 {inbox.pid}; until [ -e {shown} ]; do sleep 0.1; done; sleep 1; {notes}"
        window = await desktop.launch(Application("notes", ("/bin/sh", "-c", script)))
        assert window.name == "Notes"
        assert "New mail" in {each.name for each in await desktop.windows()}
        os.kill(window.pid or 0, signal.SIGTERM)


@pytest.mark.requires("desktop.launch-told")
async def test_the_command_that_is_to_be_tried_by_hand_is_the_one_that_was_run(tmp_path: Path) -> None:
    with pytest.raises(LaunchFailed) as failed:
        await launched(Screen(()), tmp_path, "notes", file=Path("/a b.txt"), deadline_s=0.05)
    assert failed.value.fix == "Start it by hand to see why: notes '/a b.txt'"
