"""What is collapsed to nothing is not seen, what is cut is."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import QT_PYTHONS, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.roles")]


@asynccontextmanager
async def program(folder: Path, python: Path, file: str, title: str) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """A desktop with a program of Qt; `title`: what its window's has to match."""
    need(python)
    async with linux_desktop(folder) as desktop:
        argv = (str(python), str(ROOT / "tests/apps" / file))
        yield desktop, await desktop.launch(Application("program", argv, window=title))


@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_the_half_of_a_splitter_of_qt_that_is_collapsed_is_not_seen(tmp_path: Path, python: Path) -> None:
    async with program(tmp_path, python, "splitter_qt.py", "^Collapsed$") as (desktop, window):
        seen = await desktop.observe(window, picture=False)
        assert [control.name for control in seen.controls if control.type is Role.BUTTON] == ["Left"]


@pytest.mark.full("Qt 5 takes the same way", but=["python1"])
@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_a_dock_of_qt_that_is_behind_another_is_not_seen(tmp_path: Path, python: Path) -> None:
    async with program(tmp_path, python, "docks_qt.py", "^Docks$") as (desktop, window):
        seen = (await desktop.observe(window, picture=False)).controls
        assert {each.name for each in seen if each.name.startswith("In ")} == {"In front"}
        assert {each.name for each in seen if each.type is Role.TAB} == {"Behind", "Front"}
        floating = next(each for each in await desktop.windows() if each.name == "Floating")
        seen = (await desktop.observe(floating, picture=False)).controls
        assert {each.name for each in seen if each.name.startswith("In ")} == {"In floating"}


@pytest.mark.full("Qt 5 takes the same way", but=["python1"])
@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_of_a_window_in_a_window_of_qt_what_is_in_view_is_seen(tmp_path: Path, python: Path) -> None:
    async with program(tmp_path, python, "inner_windows_qt.py", "^Inner") as (desktop, window):
        seen = (await desktop.observe(window, picture=False)).controls
        cut = [each for each in seen if each.name.startswith("Cut")]
        assert [each.name for each in cut] == ["Cut", "Cut first", "Cut second"]
        assert not [each for each in seen if each.name.startswith("Hidden")]
        assert {each.rect.right <= window.rect.right for each in cut} == {True}
        pressed = await Tools(desktop).run(window, "click_input", cut[-1])
        assert pressed.effect is Effect.CONFIRMED, pressed
        assert [each.name for each in await desktop.windows()] == ["Inner Cut second"]
