"""What is collapsed to nothing is not seen, what is cut is."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.base import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import QT_PYTHONS, ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.roles")]


@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_the_half_of_a_splitter_of_qt_that_is_collapsed_is_not_seen(tmp_path: Path, python: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = (str(python), str(ROOT / "tests/apps/splitter_qt.py"))
        window = await desktop.launch(Application("splitter", argv, window="^Collapsed$"))
        seen = await desktop.observe(window, picture=False)
        assert [control.name for control in seen.controls if control.type is Role.BUTTON] == ["Left"]


@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_a_dock_of_qt_that_is_behind_another_is_not_seen(tmp_path: Path, python: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = (str(python), str(ROOT / "tests/apps/docks_qt.py"))
        window = await desktop.launch(Application("docks", argv, window="^Docks$"))
        seen = (await desktop.observe(window, picture=False)).controls
        assert {each.name for each in seen if each.name.startswith("In ")} == {"In front"}
        assert {each.name for each in seen if each.type is Role.TAB} == {"Behind", "Front"}
        floating = next(each for each in await desktop.windows() if each.name == "Floating")
        seen = (await desktop.observe(floating, picture=False)).controls
        assert {each.name for each in seen if each.name.startswith("In ")} == {"In floating"}


@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_of_a_window_in_a_window_of_qt_what_is_in_view_is_seen(tmp_path: Path, python: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = (str(python), str(ROOT / "tests/apps/inner_windows_qt.py"))
        window = await desktop.launch(Application("inner", argv, window="^Inner"))
        seen = (await desktop.observe(window, picture=False)).controls
        cut = [each for each in seen if each.name.startswith("Cut")]
        assert [each.name for each in cut] == ["Cut", "Cut first", "Cut second"]
        assert not [each for each in seen if each.name.startswith("Hidden")]
        assert {each.rect.right <= window.rect.right for each in cut} == {True}
        pressed = await Tools(desktop).run(window, "click_input", cut[-1])
        assert pressed.effect is Effect.CONFIRMED, pressed
        assert [each.name for each in await desktop.windows()] == ["Inner Cut second"]
