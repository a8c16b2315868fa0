"""LibreOffice as the Linux desktop sees and moves it."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from re import fullmatch

import pytest

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application, Until
from desktop.linux.fixture import linux_desktop
from documents import Table, Text, write_odt

pytestmark = pytest.mark.desktop

WRITER = Application("writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), "Writer$")
CALC = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
SALES = (("Region", "Q1", "Q2"), ("North", "00123", "=1+1"), ("East", "two\nlines", "漢字 é"), ("West", "", "-5"))
REPORT = (Text("The sales of this year."), Table(SALES, "Sales", heading=False), Text(""))
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Office:
    """Writer with a document and an empty Calc, in one process."""

    desktop: LinuxDesktop
    writer: TargetInfo
    calc: TargetInfo

    async def see(self, window: TargetInfo) -> Observation:
        await self.desktop.settle(window)
        return await self.desktop.observe(window, picture=False)

    async def control(self, window: TargetInfo, role: Role, name: str = "", value: str = "") -> TargetInfo:
        """The first showing control of that role and (where given) name and value pattern."""

        async def look() -> TargetInfo | None:
            seen = await self.desktop.observe(window, picture=False)
            return next((c for c in seen.controls if _answers(c, role, name, value)), None)

        found = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        assert found is not None, f"{role} {name!r} does not show"
        return found

    async def name_box(self) -> TargetInfo | None:
        """The Name Box; None where the box that it is in has no content for accessibility (25.2)."""
        await self.control(self.calc, Role.BUTTON, "Function Wizard")
        seen = await self.see(self.calc)
        bar = next(c for c in seen.controls if c.name == "Formula Tool Bar")
        box = next(c for c in seen.controls if c.type is Role.GROUP and bar.rect.contains(c.rect.center))
        content = [c for c in seen.controls if c.parent == box.handle]
        return next(c for c in content if c.type is Role.TEXTBOX) if content else None

    async def select_cells(self, cells: str) -> None:
        """Through the Name Box, or by the keys that lead to it where it is not in the tree."""
        box = await self.name_box()
        if box is not None:
            await self.desktop.set_text(box, cells)
            await self.desktop.do_action(box)
            await self.until(box, lambda now: now.value == cells)
            return
        sheet = await self.control(self.calc, Role.TABLE)
        await self.desktop.focus(sheet)
        await self.desktop.press([Chord("t", ("ctrl", "shift"))])
        await self.until(sheet, lambda now: "focused" not in now.states)
        await self.desktop.press([*(Chord(character) for character in cells), Chord("enter")])
        await self.until(sheet, lambda now: "focused" in now.states)

    async def until(self, control: TargetInfo, holds: Callable[[TargetInfo], bool]) -> None:
        async def look() -> bool | None:
            return True if holds(await self.desktop.resolve(control)) else None

        assert await self.desktop.wait_until(look, deadline_s=PATIENCE_S), await self.desktop.resolve(control)

    async def until_cells(self, sheet: TargetInfo, wanted: tuple[tuple[str, ...], ...]) -> None:
        """The first cells of a sheet are these."""

        async def look() -> bool | None:
            read = await self.desktop.read_table(sheet, range(len(wanted)), range(len(wanted[0])))
            return True if read == wanted else None

        assert await self.desktop.wait_until(look, deadline_s=PATIENCE_S)

    async def window(self, wanted: Callable[[TargetInfo], bool]) -> TargetInfo:
        async def look() -> TargetInfo | None:
            return next((w for w in await self.desktop.windows() if wanted(w)), None)

        found = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        assert found is not None
        return found


def _answers(control: TargetInfo, role: Role, name: str, value: str) -> bool:
    return (
        control.type is role
        and (not name or control.name == name)
        and (not value or fullmatch(value, control.value) is not None)
    )


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Office]:
    folder = tmp_path_factory.mktemp("office")
    document = folder / "report.odt"
    write_odt(document, *REPORT)
    async with linux_desktop(folder) as desktop:
        writer = await desktop.launch(WRITER, document)
        yield Office(desktop, writer, await desktop.launch(CALC))


async def test_a_launched_window_has_its_document_already(office: Office) -> None:
    assert office.writer.application == "libreoffice-writer"
    assert office.calc.application == "libreoffice-calc"
    assert office.writer.pid == office.calc.pid
    assert office.writer.handle != office.calc.handle


async def test_a_table_of_a_text_document_is_read_exactly(office: Office) -> None:
    table = await office.control(office.writer, Role.TABLE)
    assert await office.desktop.table_shape(table) == (4, 3)
    assert await office.desktop.read_table(table, range(4), range(3)) == SALES


async def test_a_window_shows_its_own_controls_only(office: Office) -> None:
    writer = await office.see(office.writer)
    calc = await office.see(office.calc)
    assert [c.value for c in writer.controls if c.type is Role.PARAGRAPH][:3] == [
        "The sales of this year.",
        "Region",
        "Q1",
    ]
    assert not {c.handle for c in writer.controls} & {c.handle for c in calc.controls}


async def test_each_menu_shows_once(office: Office) -> None:
    names = [c.name for c in (await office.see(office.writer)).controls if c.type is Role.MENU]
    assert names.count("Insert") == 1


@pytest.mark.requires("desktop.manages-descendants")
async def test_a_sheet_of_a_million_rows_is_one_control_whose_cells_are_read_in_blocks(office: Office) -> None:
    seen = await office.see(office.calc)
    sheet = next(c for c in seen.controls if c.type is Role.TABLE)
    assert seen.truncated is None
    assert {c.type for c in seen.controls if c.parent == sheet.handle} == {Role.CELL}
    assert await office.desktop.table_shape(sheet) == (1_048_576, 16_384)
    assert await office.desktop.read_table(sheet, range(1_048_575, 1_048_576), range(2)) == (("", ""),)
    with pytest.raises(ActionRefused):
        await office.desktop.read_table(sheet, range(1), range(16_384, 16_385))


async def test_typed_cells_are_there_and_a_range_is_selected_by_its_name(office: Office) -> None:
    await office.desktop.activate(office.calc)
    await office.select_cells("A1")
    await office.desktop.press([Chord(character) for character in "North\t5\nSouth\t6\n"])
    sheet = await office.control(office.calc, Role.TABLE)
    await office.until_cells(sheet, (("North", "5"), ("South", "6")))
    await office.select_cells("A1:B2")
    assert await office.desktop.selected_count(sheet) == 4


async def test_what_the_office_draws_itself_is_where_it_is_said_to_be(office: Office) -> None:
    await office.desktop.activate(office.calc)
    sheet = await office.control(office.calc, Role.TABLE)
    await office.desktop.click(sheet.rect.center)
    await office.desktop.click(Point(sheet.rect.left + 5, sheet.rect.top + 5))
    await office.desktop.settle(office.calc)
    assert await office.desktop.selected_count(sheet) <= 1, "that was the head of a column, and not its first cell"
    await office.desktop.press([Chord(character) for character in "corner\n"])
    await office.until_cells(sheet, (("corner",),))


async def test_what_the_toolkit_draws_inside_is_where_it_is_said_to_be(office: Office) -> None:
    await office.desktop.activate(office.calc)
    opener = await office.control(office.calc, Role.BUTTON, "Menu")
    assert "checked" not in opener.states
    await office.desktop.click(opener.rect.center)
    await office.until(opener, lambda now: "checked" in now.states)
    await office.desktop.press([Chord("esc")])
    await office.until(opener, lambda now: "checked" not in now.states)


async def test_resolving_gives_the_same_place_as_observing(office: Office) -> None:
    seen = await office.see(office.calc)
    for name in ("Standard", "Font Name", "Save", "Sheet1", "Menu"):
        control = next(c for c in seen.controls if c.name == name)
        assert (await office.desktop.resolve(control)).rect == control.rect


async def test_a_dialog_opens_from_a_menu_and_its_list_can_be_chosen_from(office: Office) -> None:
    await office.desktop.activate(office.calc)
    await office.desktop.do_action(await office.control(office.calc, Role.MENU, "Insert"))
    await office.desktop.do_action(await office.control(office.calc, Role.MENUITEM, "Chart..."))
    dialog = await office.window(lambda window: window.type is Role.DIALOG)
    assert dialog.application.startswith("libreoffice")
    assert "Save" not in [c.name for c in (await office.see(dialog)).controls]
    bars = [c for c in (await office.see(dialog)).controls if c.type is Role.LISTITEM and c.name == "Bar"]
    enabled = [bar for bar in bars if "enabled" in bar.states]
    assert len(enabled) == 1, "the shapes of a three-dimensional chart, a list that is switched off, are another matter"
    await office.desktop.select(enabled[0])
    assert "selected" in (await office.desktop.resolve(enabled[0])).states

    await office.desktop.do_action(await office.control(dialog, Role.BUTTON, "Cancel"))

    async def gone() -> bool | None:
        return True if dialog.handle not in [w.handle for w in await office.desktop.windows()] else None

    assert await office.desktop.wait_until(gone, deadline_s=PATIENCE_S)


async def test_a_second_launch_that_hands_over_gives_the_new_window(office: Office, tmp_path: Path) -> None:
    document = tmp_path / "second.odt"
    write_odt(document, *REPORT)
    window = await office.desktop.launch(WRITER, document)
    assert "second" in window.name
    assert window.pid == office.writer.pid
    assert window.handle not in {office.writer.handle, office.calc.handle}


@pytest.mark.full("half a minute of looking; test_settling tries the same on fixtures")
@pytest.mark.requires("desktop.states-final")
async def test_states_of_an_observation_that_is_final_do_not_change_by_themselves(office: Office) -> None:
    desktop, window = office.desktop, office.writer
    await desktop.activate(window)
    keys = [
        Chord("b", ("ctrl",)),
        Chord("i", ("ctrl",)),
        Chord("u", ("ctrl",)),
        Chord("end"),
        Chord("x"),
        Chord("z", ("ctrl",)),
    ]
    provisional: list[bool] = []
    for number in range(10):
        await desktop.press([keys[number % len(keys)]])
        await desktop.settle(window)
        provisional.append((await desktop.observe(window, picture=False)).provisional)
        final = await _final(desktop, window)
        later = await _after(desktop, window, 0.6)
        assert _states(final) == _states(later), f"after action {number}"
    assert True in provisional


async def test_what_the_status_bar_says_is_seen(office: Office) -> None:
    page = await office.control(office.writer, Role.LABEL, value="Page 1 of 1")
    bar = next(c for c in (await office.see(office.writer)).controls if c.handle == page.parent)
    assert bar.type is Role.STATUS


async def _final(desktop: LinuxDesktop, window: TargetInfo) -> Observation:
    """The first observation whose states are final: on a busy machine events may come after `settle`."""

    async def final() -> Observation | None:
        await desktop.settle(window, until=Until.FINAL_STATES)
        seen = await desktop.observe(window, picture=False)
        return None if seen.provisional else seen

    found = await desktop.wait_until(final, deadline_s=PATIENCE_S)
    assert found is not None, "the states never became final"
    return found


async def _after(desktop: LinuxDesktop, window: TargetInfo, seconds: float) -> Observation:
    async def never() -> None:
        return None

    await desktop.wait_until(never, deadline_s=seconds)
    return await desktop.observe(window, picture=False)


def _states(seen: Observation) -> dict[str, frozenset[str]]:
    return {control.handle: control.states for control in seen.controls}
