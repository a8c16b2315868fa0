"""Which window is told where a process that ran already took over what was launched."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from documents import Text, write_odt

pytestmark = pytest.mark.requires("desktop.launch-handed-over")


@dataclass(frozen=True)
class Ended:
    """A program that handed over and has ended."""

    folder: Path

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        return 7

    def exited(self, pid: int) -> int | None:
        return 0

    def log(self, log_name: str) -> Path:
        return self.folder / log_name


@pytest.fixture
def pid() -> Iterator[int]:
    """The process of a program `sleep`, which shows the windows of these tests."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[int]:
    """The process of a program in a folder of its own."""
    program = tmp_path / "lib" / "office.bin"
    program.parent.mkdir()
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen([program, "60"]) as process:
        yield process.pid
        process.kill()


def shown(name: str, pid: int, *states: str) -> TargetInfo:
    rect = Rect(0, 0, 300, 200)
    return TargetInfo(
        TargetKind.WINDOW, name, Role.WINDOW, rect, handle=f"x11:{pid:#x}", pid=pid, states=frozenset(states)
    )


async def launched(
    folder: Path,
    *looks: TargetInfo,
    argv: tuple[str, ...] = ("env", "--chdir=/", "sleep", "a.odt"),
    window: str = "",
    deadline_s: float = 1.2,
) -> TargetInfo:
    """What a launch gives where the screen has these windows, one look after the other and the last for good."""
    left = list(looks)

    async def windows() -> tuple[TargetInfo, ...]:
        return (left.pop(0) if len(left) > 1 else left[0],)

    async def is_ready(_: TargetInfo) -> bool:
        return True

    async def controls(_: TargetInfo) -> tuple[TargetInfo, ...]:
        return ()

    launcher = Launcher(Ended(folder), Pulse(), windows, is_ready, controls)
    return await launcher.launch(Application("sleep", argv, window=window), None, deadline_s=deadline_s)


async def test_a_window_that_was_there_and_now_has_the_title_of_the_file_is_told(tmp_path: Path, pid: int) -> None:
    assert (await launched(tmp_path, shown("Start", pid), shown("a.odt - Writer", pid))).name == "a.odt - Writer"


async def test_a_window_that_shows_the_file_already_is_told_once_it_comes_to_the_front(
    tmp_path: Path, pid: int
) -> None:
    before = shown("a.odt - Writer", pid)
    after = replace(before, states=frozenset({"active"}))
    assert await launched(tmp_path, before, after) == after
    with pytest.raises(LaunchFailed, match="showed no new window"):
        await launched(tmp_path, before)


@pytest.mark.parametrize(
    "options", ["-u HOME", "-iu HOME", "--unset HOME", "-uHOME", "-C / -u HOME A=b", "--chdir /", "-i -", "-a name"]
)
async def test_the_program_is_known_behind_what_env_is_told(tmp_path: Path, pid: int, options: str) -> None:
    argv = ("env", *options.split(), "sleep", "a.odt")
    assert (await launched(tmp_path, shown("Start", pid), shown("a.odt", pid), argv=argv)).name == "a.odt"


@pytest.mark.long
async def test_one_that_was_in_front_all_the_time_is_told_where_no_other_comes(tmp_path: Path, pid: int) -> None:
    there = shown("a.odt - Writer", pid, "active")
    with pytest.raises(LaunchFailed, match="showed no new window"):
        await launched(tmp_path, there)
    assert await launched(tmp_path, there, deadline_s=4) == there


@pytest.mark.parametrize(
    ("title", "is_it"),
    [
        *(
            (title, True)
            for title in ("*a.odt", "● a.odt - Code", "Text: a.odt", "/home/me/a.odt", "Writer - a.odt", "(a.odt)")
        ),
        *(
            (title, False)
            for title in ("aa.odt", "my-a.odt - Writer", "old a.odt", "a.odt-old", "a.odts", "a.odt.bak", "b.a.odt")
        ),
    ],
)
async def test_a_title_names_a_file_by_the_whole_of_its_name(tmp_path: Path, pid: int, title: str, is_it: bool) -> None:
    before = shown(title, pid)
    after = replace(before, states=frozenset({"active"}))
    if is_it:
        assert await launched(tmp_path, before, after, deadline_s=0.2) == after
        return
    with pytest.raises(LaunchFailed, match="showed no new window"):
        await launched(tmp_path, before, after, deadline_s=0.2)


async def test_a_new_title_without_the_name_of_the_file_is_told_once_it_stays(tmp_path: Path, pid: int) -> None:
    start, on_the_way, at_last = (shown(name, pid) for name in ("Start", "Loading", "The sales of a year"))
    assert await launched(tmp_path, start, on_the_way, on_the_way, at_last, deadline_s=20) == at_last


@pytest.mark.long
async def test_a_window_of_another_program_is_not_told_whatever_it_shows(tmp_path: Path, pid: int) -> None:
    clock, later = shown("12:00", pid), shown("12:01 a.odt", pid, "active")
    for argv in (("cat", "a.odt"), ("python3", "a.odt"), ("env", "LANG=C", "no-such-program", "a.odt"), ("env",)):
        with pytest.raises(LaunchFailed, match="showed no new window"):
            await launched(tmp_path, clock, later, argv=argv)


async def test_a_window_is_not_told_where_another_title_is_expected(tmp_path: Path, pid: int) -> None:
    with pytest.raises(LaunchFailed, match="showed no new window"):
        await launched(tmp_path, shown("Start", pid), shown("a.odt - Writer", pid), window="Calc$")


async def test_the_program_is_known_also_by_a_script_that_starts_it(tmp_path: Path, office: int) -> None:
    script = tmp_path / "writer"
    script.write_text(f'#!/bin/sh\n{tmp_path}/lib/office --writer "$@"\n')
    script.chmod(0o755)
    before, after = shown("Start", office), shown("a.odt - Writer", office)
    assert await launched(tmp_path, before, after, argv=(str(script), "a.odt")) == after


async def test_the_program_is_known_also_by_the_class_of_its_windows(tmp_path: Path, pid: int) -> None:
    before, after = (replace(shown(name, pid), application="office-writer") for name in ("Start", "a.odt - Writer"))
    assert await launched(tmp_path, before, after, argv=("office", "a.odt")) == after


@pytest.mark.full("the same is tried above without an office")
@pytest.mark.desktop
async def test_a_document_that_opens_in_libreoffices_start_center_or_is_open_already_is_told(tmp_path: Path) -> None:
    one, other = tmp_path / "one.odt", tmp_path / "other.odt"
    for file in (one, other):
        write_odt(file, Text("Words."))
    async with linux_desktop(tmp_path) as desktop:
        start = await desktop.launch(Application("office", ("soffice",)))
        first = await desktop.launch(Application("writer", ("soffice", "--writer", str(one))), deadline_s=20)
        assert (first.handle, "one.odt" in first.name) == (start.handle, True)
        second = await desktop.launch(Application("writer", ("lowriter", str(other))), deadline_s=20)
        assert second.handle != first.handle
        again = await desktop.launch(Application("writer", ("soffice", "--writer", str(one))), deadline_s=20)
        assert (again.handle, "active" in again.states) == (first.handle, True)
