"""A launched window is told as it is once it is ready."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.errors import LaunchFailed
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.base import Application
from deskhand.desktop.linux.launch import Launcher
from deskhand.desktop.linux.pulse import Pulse

UNPLACED = TargetInfo(
    kind=TargetKind.WINDOW, name="Notes", type=Role.WINDOW, rect=Rect.from_extents(0, 0, 300, 200), handle="x11:0x7"
)
PLACED = replace(UNPLACED, rect=Rect.from_extents(460, 280, 300, 200))


class Started:
    """A program that runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        return 7

    def exited(self, pid: int) -> int | None:
        return None

    def log(self, log_name: str) -> Path:
        return self._folder / log_name


class Screen:
    """Shows nothing at first, then what is given, and the last for good."""

    def __init__(self, *shown: tuple[TargetInfo, ...]) -> None:
        self._shown = [(), *shown]

    async def windows(self) -> tuple[TargetInfo, ...]:
        return self._shown.pop(0) if len(self._shown) > 1 else self._shown[0]


async def is_ready(_: TargetInfo) -> bool:
    return True


async def no_controls(_: TargetInfo) -> tuple[TargetInfo, ...]:
    return ()


def launcher(folder: Path, screen: Screen) -> Launcher:
    return Launcher(Started(folder), Pulse(), screen.windows, is_ready, no_controls)


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
