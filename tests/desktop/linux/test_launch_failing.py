"""What is told of a program that shows no window."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deskhand.core.errors import ApplicationUnresponsive, LaunchFailed
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.runtime.launcher import Launcher, LocalPrograms
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.processes import identify
from deskhand.desktop.protocols.windows import Application

pytestmark = pytest.mark.requires("desktop.launch-told")


@pytest.fixture(autouse=True)
def folders_of_programs_go_with_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@dataclass
class Screen:
    """Windows that show and cannot be read."""

    shown: list[TargetInfo] = field(default_factory=list[TargetInfo])
    listed: int = 0

    async def windows(self) -> tuple[TargetInfo, ...]:
        """None before the program is started."""
        self.listed += 1
        return tuple(self.shown) if self.listed > 1 else ()

    async def is_ready(self, window: TargetInfo) -> bool:
        raise ApplicationUnresponsive(f"{window.name} does not answer")

    async def controls(self, window: TargetInfo) -> Sequence[TargetInfo]:
        raise ApplicationUnresponsive(f"{window.name} does not answer")


def launcher(screen: Screen) -> Launcher:
    return Launcher(LocalPrograms({}), Pulse(), screen.windows, screen.is_ready, screen.controls)


async def test_what_another_of_its_name_said_before_is_not_told() -> None:
    starting = launcher(Screen())
    for words in ("first words", "second words"):
        argv = ("/bin/sh", "-c", f"echo {words}; exit 3")
        with pytest.raises(LaunchFailed) as failed:
            await starting.launch(Application("same", argv), None, deadline_s=5.0)
        assert failed.value.message == f"same ended with exit code 3. Its output: {words}"


async def test_a_window_that_cannot_be_read_is_told() -> None:
    window = TargetInfo(TargetKind.WINDOW, "Rows", Role.WINDOW, Rect(0, 0, 9, 9), handle="x11:0x1")
    argv = ("/bin/sh", "-c", "exit 0")
    with pytest.raises(LaunchFailed, match='shows "Rows", and does not let it be read'):
        await launcher(Screen([window])).launch(Application("rows", argv), None, deadline_s=0.2)


def test_who_starts_no_program_on_a_desktop_that_was_there_leaves_no_folder_behind(tmp_path: Path) -> None:
    programs = LocalPrograms({})
    assert list(tmp_path.iterdir()) == []
    log = programs.log("words")
    assert [log.parent] == list(tmp_path.iterdir())


def wait_until_ended(pid: int) -> None:
    """Leaves it a zombie."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


async def test_a_program_that_ended_is_no_zombie_once_another_starts_and_how_it_ended_is_known() -> None:
    programs = LocalPrograms({})
    first = await programs.spawn(("/bin/sh", "-c", "exit 3"))
    wait_until_ended(first)
    assert identify(first) is not None
    second = await programs.spawn(("/bin/true",))
    assert identify(first) is None
    assert programs.exited(first) == 3
    wait_until_ended(second)
    assert programs.exited(second) == 0
