"""A cell that a menu lies over is not clicked: what would be pressed is the menu."""

from pathlib import Path

import pytest

from deskhand.core.errors import TargetCovered
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import MouseButton
from deskhand.session.applications import BUILT_IN
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.covered-cells")]


async def controls(desktop: LinuxDesktop, window: TargetInfo) -> dict[str, TargetInfo]:
    await desktop.settle(window)
    seen = await desktop.observe(window, picture=False)
    return {control.name: control for control in seen.controls if control.name}


async def test_a_cell_under_a_menu_is_not_clicked_and_one_beside_it_is(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = await desktop.launch(BUILT_IN[1], deadline_s=60)
        cell = (await controls(desktop, window))["C5"]
        await desktop.click(await desktop.aim(window, cell.rect, cell), button=MouseButton.RIGHT)
        seen = await controls(desktop, window)
        items = [control for control in seen.values() if control.type is Role.MENUITEM and control.rect.top > 100]
        assert items, "the cell's menu is open"
        point = items[len(items) // 2].rect.center
        under = next(each for each in seen.values() if each.type is Role.CELL and each.rect.contains(point))
        with pytest.raises(TargetCovered):
            await desktop.aim(window, under.rect, under)
        beside = seen["A3"]
        assert (await desktop.aim(window, beside.rect, beside)).window.handle == window.handle
