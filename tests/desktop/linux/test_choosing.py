"""An item of a combo box that is closed is chosen in one action; the application's title says what its boxes show."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import QT6, ROOT, need

NEEDED = {"Qt 6": (QT6,), "Swing": (BRIDGE,)}
PROGRAMS = {
    "GTK 3": (("/usr/bin/python3",), "choices_gtk3.py"),
    "GTK 4": (("/usr/bin/python3",), "choices_gtk4.py"),
    "Qt 5": (("/usr/bin/python3",), "choices_qt.py"),
    "Qt 6": ((str(QT6),), "choices_qt.py"),
    "Swing": (JAVA, "ChoicesSwing.java"),
}


@asynccontextmanager
async def started(folder: Path, toolkit: str, file: str, title: str) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """A desktop with a program of that toolkit; `title`: what its window's has to match."""
    need(*NEEDED.get(toolkit, ()))
    async with linux_desktop(folder) as desktop:
        argv = (*PROGRAMS[toolkit][0], str(ROOT / "tests/apps" / file))
        yield desktop, await desktop.launch(Application("program", argv, window=title))


@pytest.mark.full("other toolkits take the same way; paper is chosen in GTK 3", but=["Qt 6"])
@pytest.mark.desktop
@pytest.mark.requires("act.choose")
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_an_item_of_a_closed_combo_box_is_chosen_and_confirmed_by_what_the_box_shows(
    toolkit: str, tmp_path: Path
) -> None:
    far = "Shade 20" if toolkit == "Swing" else "Shade 70"
    choices = [("Green", "Choices Green 10"), (far, f"Choices {far} 10"), ("Blue", "Choices Blue 10")]
    choices += [] if toolkit == "GTK 4" else [("14", "Choices Blue 14")]
    async with started(tmp_path, toolkit, PROGRAMS[toolkit][1], "^Choices") as (desktop, window):
        tools = Tools(desktop)
        for item, title in choices:
            box = (await boxes(desktop, window))[1 if item == "14" else 0]
            result = await tools.run(window, "select_item", box, item=item)
            assert (result.effect, result.evidence.endswith(f'shows "{item}"')) == (Effect.CONFIRMED, True), result
            assert await title_of(desktop, window) == title
        result = await tools.run(window, "select_item", (await boxes(desktop, window))[0], item="Mauve")
        as_before = toolkit != "Swing"  # its box is called by the first item then, whatever it shows
        assert result.effect is (Effect.SUSPECTED_NOOP if as_before else Effect.UNVERIFIABLE), result
        assert result.error is not None
        assert "has no item 'Mauve'" in result.error.message
        assert "closed again: choose another item" in result.error.fix, "a failed choice leaves its list open"
        seen = await desktop.observe(window, picture=False)
        assert all(control.name != "Shade 10" or control.rect.empty for control in seen.controls)
        assert await title_of(desktop, window) == choices[-1][1]


@pytest.mark.desktop
@pytest.mark.requires("act.choose")
async def test_a_list_without_exposed_items_is_closed_again(tmp_path: Path) -> None:
    """The lists of GTK 4's older combo boxes expose nothing; the button inside the box reports that they are open."""
    async with started(tmp_path, "GTK 4", "choices_gtk4.py", "^Choices") as (desktop, window):
        box = (await boxes(desktop, window))[1]
        result = await Tools(desktop).run(window, "select_item", box, item="14")
        assert result.error is not None, result
        assert "is closed again, exposes no items" in result.error.fix, result.error
        seen = await desktop.observe(window, picture=False)
        assert not [control for control in seen.controls if control.states & {"pressed", "expanded"}]
        assert await title_of(desktop, window) == "Choices Red 10"


async def boxes(desktop: LinuxDesktop, window: TargetInfo) -> list[TargetInfo]:
    seen = await desktop.observe(window, picture=False)
    return [control for control in seen.controls if control.type is Role.COMBOBOX]


async def title_of(desktop: LinuxDesktop, window: TargetInfo) -> str:
    return next(now.name for now in await desktop.windows() if now.handle == window.handle)


@pytest.mark.full("programs that go by the cursor are rare")
@pytest.mark.desktop
@pytest.mark.requires("act.choose")
async def test_a_row_of_gtk_3_that_is_selected_has_the_cursor(tmp_path: Path) -> None:
    """By which some programs go, as the dialog that chooses fonts; twice the same row is as well."""
    async with started(tmp_path, "GTK 3", "cursor_gtk3.py", "^Cursor") as (desktop, window):
        tools = Tools(desktop)
        for name in ("Serif", "Sans Bold", "Sans Bold", "Sans"):
            seen = await desktop.observe(window, picture=False)
            with anyio.fail_after(10):  # its rows are exposed a moment after its window
                while not any(control.name == name for control in seen.controls):
                    seen = await desktop.observe(window, picture=False)
            item = next(control for control in seen.controls if control.name == name)
            result = await tools.run(window, "select_item", item)
            assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
            assert await title_of(desktop, window) == f"Cursor {name}"
        for name in ("Serif", "Serif", "Sans Bold"):
            item = next(control for control in seen.controls if control.name == name)
            result = await tools.run(window, "invoke", item)
            assert await title_of(desktop, window) == f"Cursor opened {name}", "and not what was selected"
        assert (result.effect, result.evidence) == (
            Effect.CONFIRMED,
            'the window "Cursor Sans Bold" is now "Cursor opened Sans Bold"',
        )
        colours = [control for control in seen.controls if control.type is Role.RADIO]
        result = await tools.run(window, "set_value", colours[1], value=True)
        assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
        assert await title_of(desktop, window) == "Cursor another colour", "it was chosen and not activated"


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.desktop
@pytest.mark.requires("act.choose")
@pytest.mark.parametrize("toolkit", ["Qt 5", "Qt 6"])
async def test_an_item_that_is_selected_is_the_one_that_its_program_goes_by(toolkit: str, tmp_path: Path) -> None:
    """Selecting by accessibility marks an item of Qt, and leaves another the current one."""
    async with started(tmp_path, toolkit, "pages_qt.py", "^Pages") as (desktop, window):
        tools = Tools(desktop)
        for name in ("Speed", "Main Window", "Downloads", "Widget"):
            seen = await desktop.observe(window, picture=False)
            views = [control.type for control in seen.controls if control.type in {Role.LIST, Role.TREE, Role.TABLE}]
            assert len(views) == 2, "those that are hidden are not seen, though their items have places"
            assert not [control for control in seen.controls if control.name.startswith("Hidden")]
            item = next(control for control in seen.controls if control.name == name)
            result = await tools.run(window, "select_item", item)
            assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
            assert await title_of(desktop, window) == f"Pages {name}"


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.desktop
@pytest.mark.requires("act.tools", "command.effect")
@pytest.mark.parametrize("toolkit", ["Qt 5", "Qt 6"])
async def test_what_is_checked_in_a_program_of_qt_is_clicked_for_it(toolkit: str, tmp_path: Path) -> None:
    """Checked by its action it is, and its program does nothing; what it is wider than its words takes no click."""
    async with started(tmp_path, toolkit, "pressed_qt.py", "^Pressed") as (desktop, window):
        tools = Tools(desktop)
        for tool, name in [("set_value", name) for name in ("List", "Wide", "Schedule", "Two")] + [("invoke", "Icons")]:
            seen = await desktop.observe(window, picture=False)
            box = next(control for control in seen.controls if control.name == name)
            arguments = {"value": True} if tool == "set_value" else {}
            result = await tools.run(window, tool, box, **arguments)
            assert (result.effect, result.error) == (Effect.CONFIRMED, None), result
            assert await title_of(desktop, window) == f"Pressed {name} on"


@pytest.mark.full("such items are rare")
@pytest.mark.desktop
@pytest.mark.requires("act.choose")
async def test_of_an_item_that_does_not_tell_whether_it_is_selected_nobody_says_that_it_is_not(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("/usr/bin/python3", str(ROOT / "tests/apps/flow_gtk3.py"))
        window = await desktop.launch(Application("flow", argv, window="^Flow"))
        seen = await desktop.observe(window, picture=False)
        items = [control for control in seen.controls if control.type is Role.LISTITEM]
        result = await Tools(desktop).run(window, "select_item", items[1])
        assert result.effect is not Effect.SUSPECTED_NOOP, result
        assert await title_of(desktop, window) == "Flow Two"


@pytest.mark.desktop
@pytest.mark.requires("act.choose")
async def test_what_is_chosen_in_a_combo_box_that_draws_its_items_itself_is_told_by_its_list(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("/usr/bin/python3", str(ROOT / "tests/apps/paper_gtk3.py"))
        dialog = await desktop.launch(Application("paper", argv, window="^Page Setup"))
        tools, (printer, paper) = Tools(desktop), await boxes(desktop, dialog)
        assert printer.name == "<b>Any Printer</b>\nFor portable documents", (
            "it is called by the first text of its item"
        )
        assert printer.value == "Any Printer\nFor portable documents"
        chosen = await tools.run(dialog, "select_item", paper, item="A5")
        assert (chosen.effect, (await boxes(desktop, dialog))[1].value) == (Effect.CONFIRMED, "A5")
        seen = await desktop.observe(dialog, picture=False)
        await desktop.do_action(next(control for control in seen.controls if control.name == "Apply"))

        async def told() -> bool | None:
            return True if "Paper iso_a5" in {window.name for window in await desktop.windows()} else None

        assert await desktop.wait_until(told, deadline_s=10)


@pytest.mark.desktop
@pytest.mark.requires("act.choose", "command.effect")
@pytest.mark.parametrize("taken", [(), ("taken",)], ids=["alone", "keyboard taken"])
async def test_a_path_goes_into_the_field_for_it_and_no_other_that_a_file_dialog_has(
    taken: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "chosen"
    folder.mkdir()
    async with linux_desktop(tmp_path / "desktop") as desktop:
        argv = ("/usr/bin/python3", str(ROOT / "tests/apps/extra_gtk3.py"), *taken)
        dialog = await desktop.launch(Application("extra", argv, window="^Into"))
        chosen = await Tools(desktop).run(dialog, "choose_file", None, path=str(folder))
        assert (chosen.effect, chosen.error) == (Effect.CONFIRMED, None), chosen

        async def told() -> str | None:
            return next((each.name for each in await desktop.windows() if each.name.startswith("Extra /")), None)

        assert await desktop.wait_until(told, deadline_s=10) == f"Extra {folder} '' True"
