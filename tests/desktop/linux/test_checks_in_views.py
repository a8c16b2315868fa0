"""Check boxes in rows of Qt's views, and rows below open branches: what was meant is what is checked and selected."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import QT6, QT_PYTHONS, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.checks-in-views")]


async def named(desktop: LinuxDesktop, window: TargetInfo, name: str) -> TargetInfo:
    seen = await desktop.observe(window, picture=False)
    return next(each for each in seen.controls if each.name == name and each.type in {Role.TREEITEM, Role.LISTITEM})


@pytest.mark.full("Qt 5 tells no checks; its rows are clicked the same way", but=["python1"])
@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_rows_of_qt_below_open_branches_are_the_ones_selected_and_checked(python: Path, tmp_path: Path) -> None:
    need(python)
    file, tells_checks = tmp_path / "state.json", python == QT6
    argv = (str(python), str(ROOT / "tests/apps/checks_qt.py"), str(file))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("checks", argv, window="^Checks$"))
        tools = Tools(desktop)
        for name in ("Two", "One c", "Three"):
            target = await named(desktop, window, name)
            assert (target.actions, "checkable" in target.states) == ((), tells_checks)
            tool = "select_item" if tells_checks or name == "Two" else "invoke"
            result = await tools.run(window, tool, target)
            assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
            assert json.loads(file.read_text(encoding="utf-8"))["selected"] == [name]
        if not tells_checks:
            result = await tools.run(window, "set_value", await named(desktop, window, "Three"), value=True)
            assert result.effect is Effect.REFUSED
            assert result.error
            assert "press space" in result.error.fix
            return
        assert (await tools.run(window, "invoke", await named(desktop, window, "Two"))).effect is Effect.REFUSED
        for name in ("Three", "One b", "Row 2"):
            result = await tools.run(window, "set_value", await named(desktop, window, name), value=True)
            assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
            assert "checked" in (await named(desktop, window, name)).states
        assert json.loads(file.read_text(encoding="utf-8"))["checked"] == ["One b", "Three", "Row 2"]
        result = await tools.run(window, "set_value", await named(desktop, window, "Three"), value=False)
        assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
        assert json.loads(file.read_text(encoding="utf-8"))["checked"] == ["One b", "Row 2"]


@pytest.mark.parametrize(("python", "program"), [("/usr/bin/python3", "gtk3"), (str(QT6), "qt")])
async def test_a_cell_that_holds_a_check_box_alone_reads_whether_it_is_checked(
    python: str, program: str, tmp_path: Path
) -> None:
    need(Path(python))
    argv = (python, str(ROOT / f"tests/apps/checked_table_{program}.py"))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("checked", argv, window="^Checked$"))
        await desktop.settle(window)
        seen = await desktop.observe(window, picture=False)
        table = next(each for each in seen.controls if each.type is Role.TABLE)
        assert await desktop.read_table(table) == (("not checked", "Ada"), ("checked", "Bob"), ("not checked", "Cleo"))
        cells = [each for each in seen.controls if each.type is Role.CELL and "checkable" in each.states]
        assert ["checked" in each.states for each in cells] == [False, True, False]
        result = await Tools(desktop).run(window, "set_value", cells[1], value=False)
        assert result.effect is Effect.CONFIRMED, result


async def test_a_check_box_in_a_row_of_gtk3_is_checked_and_unchecked(tmp_path: Path) -> None:
    """Its action, `Toggle`, does nothing."""
    argv = ("/usr/bin/python3", str(ROOT / "tests/apps/checked_table_gtk3.py"))
    async with linux_desktop(tmp_path) as desktop:
        window, tools = await desktop.launch(Application("checked", argv, window="^Checked")), Tools(desktop)
        await desktop.settle(window)
        for row, wanted, title in (
            (2, True, "Checked Bob Cleo"),
            (1, False, "Checked Cleo"),
            (0, True, "Checked Ada Cleo"),
        ):
            seen = await desktop.observe(window, picture=False)
            box = [each for each in seen.controls if each.type is Role.CELL and "checkable" in each.states][row]
            assert (await tools.run(window, "invoke", box)).effect is Effect.REFUSED
            result = await tools.run(window, "set_value", box, value=wanted)
            assert result.effect is Effect.CONFIRMED, result
            assert (await desktop.resolve(window)).name == title
