"""The tools in LibreOffice's dialogs and lists, judged by the document that is saved then."""

import re
import zipfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.errors import TargetCovered
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application, Quiet, Until
from deskhand.models.selectors import find
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.office import opened
from desktop.linux.test_office import CALC, WRITER
from documents import Text, write_odb, write_odt
from spreadsheets import Sheet, write_ods
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.long]

PATIENCE_S: Final = 20.0
BASE: Final = Path("/usr/lib/libreoffice/program/libdbulo.so")
GERMAN: Final = (
    '<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse">'
    "<value>de-DE</value></prop></item>\n</oor:items>"
)


@dataclass
class Document:
    """A document in its window, and the dialog that is open, where one is."""

    desktop: LinuxDesktop
    window: TargetInfo
    file: Path

    async def see(self, window: TargetInfo) -> Observation:
        await self.desktop.settle(window)
        return await self.desktop.observe(window, picture=False)

    async def until_window(self, name: str) -> TargetInfo:
        async def look() -> TargetInfo | None:
            return next((w for w in await self.desktop.windows() if w.name == name), None)

        found = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        assert found is not None, name
        return found

    async def dialog(self, menu: str, item: str, name: str) -> TargetInfo:
        """Opens a dialog by a menu's item."""
        tools = Tools(self.desktop)
        await self.desktop.do_action(await tools.find(self.window, menu, Role.MENU))
        await self.desktop.do_action(await tools.find(self.window, item, Role.MENUITEM))
        return await self.until_window(name)

    async def run(self, tool: str, window: TargetInfo, role: Role, name: str, **arguments: JsonValue) -> Result:
        tools = Tools(self.desktop)
        return await tools.run(window, tool, await tools.find(window, name, role), **arguments)

    async def write(self, rows: list[JsonValue]) -> None:
        """Into the first cells of a spreadsheet."""
        written = await Tools(self.desktop).run(self.window, "write_table", None, start="A1", rows=rows)
        assert written.effect is Effect.CONFIRMED, written

    async def press(self, window: TargetInfo, name: str) -> None:
        assert (await self.run("invoke", window, Role.BUTTON, name)).effect is Effect.CONFIRMED

    async def saved(self) -> str:
        """What stands in the file once it is saved."""
        before = self.file.stat().st_mtime_ns
        await self.desktop.activate(self.window)
        await self.desktop.press([Chord("s", ("ctrl",))])

        async def written() -> str | None:
            if self.file.stat().st_mtime_ns == before:
                return None
            try:
                with zipfile.ZipFile(self.file) as archive:
                    return archive.read("content.xml").decode()
            except (zipfile.BadZipFile, KeyError, OSError):
                return None

        found = await self.desktop.wait_until(written, deadline_s=PATIENCE_S)
        assert found is not None, "it was not saved"
        return found


@asynccontextmanager
async def document(desktop: LinuxDesktop, program: Application, file: Path) -> AsyncGenerator[Document]:
    """A document in an office that goes on without it."""
    async with opened(desktop, program, file) as window:
        yield Document(desktop, window, file)


@asynccontextmanager
async def german_desktop(folder: Path) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(folder) as desktop:
        settings = Path(desktop.environment["XDG_CONFIG_HOME"]) / "libreoffice/4/user/registrymodifications.xcu"
        settings.write_text(settings.read_text().replace("</oor:items>", GERMAN))
        yield desktop


@pytest.mark.full("a German spreadsheet is tried in another test")
@pytest.mark.requires("typing.numbers")
async def test_a_number_goes_into_a_german_dialog_with_its_comma_and_is_read_with_it(tmp_path: Path) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("One paragraph."))
    async with german_desktop(tmp_path / "desktop") as desktop:
        letter = Document(desktop, await desktop.launch(WRITER, file), file)
        dialog = await letter.dialog("Format", "Paragraph...", "Paragraph")
        before = "Before text:"
        assert (await letter.see(dialog)).controls
        result = await letter.run("set_value", dialog, Role.SPINBUTTON, before, value=1.27)
        assert result.effect is Effect.CONFIRMED
        assert result.evidence in {'wanted 1.27, reads "1,27"', 'wanted 1.27, reads "1,27 cm"'}  # the unit comes later
        spacing = await Tools(letter.desktop).find(dialog, "Above paragraph:", Role.SPINBUTTON)
        await letter.desktop.focus(spacing)
        keys = (Chord("a", ("ctrl",)), Chord("3"), Chord("decimal"), Chord("2"), Chord("5"), Chord("tab"))
        await letter.desktop.press(keys)
        await letter.press(dialog, "OK")
        saved = await letter.saved()
    (style,) = re.findall(r"<style:paragraph-properties [^>]*margin-left[^>]*>", saved)
    assert 'fo:margin-left="1.27cm"' in style
    assert re.search(r'fo:margin-top="3\.25\d?cm"', style), "the number pad's key gives what stands before decimals"


@pytest.mark.requires("typing.numbers")
async def test_a_table_with_decimals_is_written_into_a_german_spreadsheet(tmp_path: Path) -> None:
    file = write_ods(tmp_path / "sums.ods", Sheet(filled=(0, 0)))
    async with german_desktop(tmp_path / "desktop") as desktop:
        sums = Document(desktop, await desktop.launch(CALC, file), file)
        await sums.see(sums.window)
        rows: list[JsonValue] = [["1.5", "x"], ["1234.25", "0.001"]]
        result = await Tools(sums.desktop).run(sums.window, "write_table", None, start="A1", rows=rows)
        assert (result.effect, result.evidence) == (Effect.CONFIRMED, "A1:B2 reads back equal")
        saved = await sums.saved()
    assert re.findall(r'office:value="([^"]*)"', saved) == ["1.5", "1234.25", "0.001"]


@pytest.mark.full("documents for reading only are rare; test_sheet_ranges refuses one")
@pytest.mark.requires("command.write-table")
async def test_a_spreadsheet_for_reading_only_is_refused_at_once_until_it_may_be_changed(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_ods(tmp_path / "sums.ods", Sheet(filled=(0, 0)))
    viewer = replace(CALC, argv_with_file=("soffice", "--view", "{file}"))
    async with document(office, viewer, file) as sums:
        await sums.see(sums.window)
        tools, rows = Tools(sums.desktop), list[JsonValue]([["1.5"]])
        refused = await tools.run(sums.window, "write_table", None, start="A1", rows=rows)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        assert "reading only" in refused.evidence
        await sums.press(sums.window, "Edit Document")
        editable = await sums.until_window("sums.ods - LibreOffice Calc")
        written = await tools.run(editable, "write_table", None, start="A1", rows=rows)
        assert written.effect is Effect.CONFIRMED, written
        saved = await sums.saved()
    assert re.findall(r'office:value="([^"]*)"', saved) == ["1.5"]


@pytest.mark.full("lists of toolkits are scrolled in test_scrolled_away")
@pytest.mark.requires("act.scrolled")
async def test_items_that_are_scrolled_away_in_a_dialogs_lists_are_scrolled_to_and_chosen(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_ods(tmp_path / "dates.ods", Sheet(filled=(1, 1)))
    async with document(office, CALC, file) as dates:
        dialog = await dates.dialog("Format", "Cells...", "Format Cells")
        assert (await dates.run("select_item", dialog, Role.LISTITEM, "Date")).effect is Effect.CONFIRMED
        language = await dates.run("select_item", dialog, Role.GENERIC, "Language", item="Danish")
        assert language.effect is Effect.CONFIRMED, language
        again = await dates.run("select_item", dialog, Role.GENERIC, "Language", item="Afrikaans (Namibia)")
        assert again.effect is Effect.CONFIRMED, again
        seen = await dates.see(dialog)
        formats = next(c for c in seen.controls if c.handle == _parent_of(seen, "99/12/31"))
        last = "1999-12-31T13:37:46"
        assert last not in {control.name for control in seen.controls}
        chosen = await Tools(dates.desktop).run(dialog, "select_item", replace(formats, id="1"), item=last)
        assert chosen.effect is Effect.CONFIRMED, chosen
        await dates.press(dialog, "OK")
        saved = await dates.saved()
    (style,) = re.findall(r"<number:date-style .*?</number:date-style>", saved)
    assert 'number:language="af"' in style
    assert 'number:country="NA"' in style
    assert "<number:text>T</number:text>" in style


def _parent_of(seen: Observation, name: str) -> str:
    return next(control.parent for control in seen.controls if control.name == name)


@pytest.mark.requires("command.effect")
async def test_check_boxes_in_a_dialogs_list_say_whether_they_are_checked_and_are_set(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    name = "Insert rows"
    async with document(office, CALC, write_ods(tmp_path / "a.ods", Sheet())) as it:
        tools = Tools(it.desktop)
        await it.desktop.do_action(await tools.find(it.window, "Tools", Role.MENU))
        await it.desktop.do_action(await tools.find(it.window, "Protect Sheet...", Role.MENUITEMCHECKBOX))
        dialog = await it.until_window("Protect Sheet")
        seen = {control.name: control for control in (await it.see(dialog)).controls if control.type is Role.LISTITEM}
        assert "checked" in seen["Select protected cells"].states
        assert {"checked", "checkable"} & seen[name].states == {"checkable"}
        assert (await it.run("invoke", dialog, Role.LISTITEM, name)).error is not None
        for checked in (True, False, True):
            done = await it.run("set_value", dialog, Role.LISTITEM, name, value=checked)
            assert done.effect is Effect.CONFIRMED, done
            now = await tools.find(dialog, name, Role.LISTITEM)
            assert ("checked" in now.states) is checked
        await it.press(dialog, "OK")
        assert re.search(r"<loext:table-protection[^>]*insert-rows=\"true\"", await it.saved())


@pytest.mark.full("other check boxes of dialogs are tried")
@pytest.mark.requires("observe.office")
async def test_check_boxes_in_columns_are_told_where_a_click_sets_them(office: LinuxDesktop, tmp_path: Path) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "a.odt", Text("One."))) as it:
        await it.desktop.do_action(await Tools(it.desktop).find(it.window, "Tools", Role.MENU))
        await it.desktop.do_action(await Tools(it.desktop).find(it.window, "AutoCorrect", Role.MENU))
        await it.desktop.do_action(await Tools(it.desktop).find(it.window, "AutoCorrect Options...", Role.MENUITEM))
        dialog = await it.until_window("AutoCorrect")
        assert (await it.run("click_input", dialog, Role.TAB, "Options")).effect is Effect.CONFIRMED

        async def boxes() -> list[TargetInfo]:
            """Two of each row."""
            controls = (await it.see(dialog)).controls
            return [each for each in controls if each.type is Role.CELL and "checkable" in each.states][:8]

        assert len({box.rect.left for box in await boxes()}) == 2
        for number in range(8):
            before = await boxes()
            done = await Tools(it.desktop).run(dialog, "click_input", before[number])
            assert done.effect is Effect.CONFIRMED, done
            after = await boxes()
            changed = [n for n in range(8) if ("checked" in before[n].states) != ("checked" in after[n].states)]
            assert changed == [number]


@pytest.mark.full("one dialog; others are worked with")
async def test_format_cells_has_no_tabs_but_those_that_show_and_one_that_is_selected(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, CALC, write_ods(tmp_path / "a.ods", Sheet())) as it:
        dialog = await it.dialog("Format", "Cells...", "Format Cells")
        tabs = [control for control in (await it.see(dialog)).controls if control.type is Role.TAB]
        assert all(tab.name and not tab.rect.empty for tab in tabs)
        assert [tab.name for tab in tabs if "selected" in tab.states] == ["Numbers"]


@pytest.mark.full("such lists are rare; other lists that drop down are tried")
@pytest.mark.requires("act.scrolled", "command.effect")
async def test_an_item_of_several_columns_that_is_dropped_down_is_clicked_and_applied(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_odt(tmp_path / "letter.odt", Text("One paragraph."))
    async with document(office, WRITER, file) as letter:
        await letter.desktop.press([Chord("a", ("ctrl",))])
        dialog = await letter.dialog("Format", "Character...", "Character")
        chosen = await letter.run("select_item", dialog, Role.GENERIC, "Language:", item="Breton")
        assert (chosen.effect, chosen.evidence) == (Effect.CONFIRMED, 'generic "Language:" [1] shows "Breton"')
        await letter.press(dialog, "OK")
        saved = await letter.saved()
    assert 'fo:language="br"' in saved


@pytest.mark.full("keys into cells are confirmed by the file in test_confirmed_cells")
@pytest.mark.requires("effect.about", "desktop.states-final")
async def test_a_tool_bar_that_tells_late_of_the_cell_before_confirms_no_keys_and_its_buttons_are_read_as_they_are(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, CALC, write_ods(tmp_path / "a.ods", Sheet(filled=(6, 2)))) as it:
        assert (await it.run("click_input", it.window, Role.BUTTON, "Bold")).effect is Effect.CONFIRMED
        assert (await it.desktop.settle(it.window, until=Until.FINAL_STATES)).reason is Quiet.SETTLED
        assert (await it.run("click_input", it.window, Role.CELL, "B3")).effect is Effect.CONFIRMED
        nothing = await Tools(it.desktop).run(it.window, "keyboard_input", None, keys="{VK_CONTROL}{VK_SHIFT}{F12}")
        assert nothing.effect is Effect.UNVERIFIABLE, nothing
        assert (await it.run("click_input", it.window, Role.CELL, "A1")).effect is Effect.CONFIRMED
        pressed = await it.run("click_input", it.window, Role.BUTTON, "Bold")
        assert (pressed.effect, pressed.evidence) == (Effect.CONFIRMED, 'button "Bold" [1] is now not checked')


@pytest.mark.requires("effect.about", "command.effect")
async def test_a_check_item_of_a_menu_is_confirmed_by_what_it_does(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "sums.ods", Sheet(filled=(0, 0)))
    async with document(office, CALC, file) as sums:
        await sums.see(sums.window)
        await sums.write([["Region", "Sum"], ["North", "5"], ["South", "6"]])
        await sums.desktop.do_action(await Tools(sums.desktop).find(sums.window, "Data", Role.MENU))
        result = await sums.run("invoke", sums.window, Role.MENUITEMCHECKBOX, "AutoFilter")
        saved = await sums.saved()
    assert result.effect is Effect.CONFIRMED, result
    assert 'table:display-filter-buttons="true"' in saved


@pytest.mark.full("the other takes the same way", but=["True"])
@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize("decimals", [True, False])
async def test_prices_become_numbers_that_show_their_decimals_on_request(
    office: LinuxDesktop, tmp_path: Path, *, decimals: bool
) -> None:
    file = write_ods(tmp_path / "prices.ods", Sheet(filled=(0, 0)))
    rows: list[JsonValue] = [["Item", "Price"], ["Lamp", "12.50"], ["Desk", "-8.00"], ["Code", "007"]]
    async with document(office, CALC, file) as it:
        tool = Tools(office)
        written = await tool.run(it.window, "write_table", None, start="A1", rows=rows, decimals=decimals)
        assert written.effect is Effect.CONFIRMED, written
        saved = await it.saved()
    cells = re.findall(r'office:value-type="(\w+)"(?: office:value="([^"]*)")?[^>]*><text:p>([^<]*)', saved)
    kind = ("float", "12.5", "12.50") if decimals else ("string", "", "12.50")
    assert cells[3] == kind
    assert cells[5] == (("float", "-8", "-8.00") if decimals else ("string", "", "-8.00"))
    assert cells[7] == ("string", "", "007")
    assert ("decimals=true" in written.evidence) is not decimals


@pytest.mark.full("test_tools has the same on a desktop in memory")
@pytest.mark.requires("command.write-table")
async def test_the_message_of_a_protected_sheet_is_quoted_where_it_stops_a_block(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    plain, file = write_ods(tmp_path / "plain.ods", Sheet(filled=(0, 0))), tmp_path / "protected.ods"
    with zipfile.ZipFile(plain) as read, zipfile.ZipFile(file, "w") as written:
        for name in read.namelist():
            content = read.read(name)
            written.writestr(name, content.replace(b"<table:table ", b'<table:table table:protected="true" ', 1))
    async with document(office, CALC, file) as it:
        for _ in range(2):  # the message stays in front after the first
            result = await Tools(office).run(it.window, "write_table", None, start="A1", rows=[["a", "b"]])
            assert result.error is not None
            assert "Protected cells can not be modified" in result.error.message, result
            assert "answer it first" in result.error.fix
        await it.press(next(w for w in await office.windows() if w.type is Role.DIALOG), "OK")


@pytest.mark.full("split sheets are rare; frozen ones are tried")
@pytest.mark.requires("observe.office")
async def test_a_selector_means_one_pane_of_a_split_sheet(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "panes.ods", Sheet(filled=(0, 0)))
    async with document(office, CALC, file) as it:
        await it.write([["Report", "", ""], ["City", "Q1", "Q2"], ["Rome", "1", "2"]])
        assert (await it.run("select_item", it.window, Role.TABLE, "Sheet Sheet1", item="B3")).ok
        await it.press(it.window, "Freeze Rows and Columns")
        seen = await it.see(it.window)
        tables = [control for control in seen.controls if control.type is Role.TABLE]
        assert len(tables) == 4, "one for each pane"
        for wanted in ({"role": "table"}, {"role": "cell", "name": "A1"}, {"role": "cell", "name": "B3"}):
            found = find(Selector.model_validate(wanted), seen.controls, seen.window)
            assert isinstance(found, TargetInfo), found
            read = await Tools(office).run(it.window, "set_edit_text", found, text="7") if "name" in wanted else None
            assert read is None or read.ok, read
        assert re.findall(r"<text:p>(.*?)</text:p>", await it.saved())[:6] == ["7", "City", "Q1", "Q2", "Rome", "7"]


@pytest.mark.requires("command.choose-file")
async def test_a_file_is_chosen_in_a_dialog_that_shows_its_folder_as_buttons(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """One that opens files has no field for a name until somebody asks for it."""
    other = write_odt(tmp_path / "other.odt", Text("other"))
    async with document(office, WRITER, write_odt(tmp_path / "first.odt", Text("first"))) as first:
        await first.see(first.window)
        await first.desktop.activate(first.window)
        await first.desktop.press([Chord("o", ("ctrl",))])
        dialog = await first.until_window("Open")
        await first.see(dialog)
        result = await Tools(first.desktop).run(first.window, "choose_file", None, path=str(other))
        assert result.effect is Effect.CONFIRMED, result
        await first.until_window("other.odt - LibreOffice Writer")


@pytest.mark.requires("act.scrolled", "command.effect")
async def test_a_drop_down_beside_other_controls_is_chosen_from(office: LinuxDesktop, tmp_path: Path) -> None:
    """In the dialog that sorts each has the name of the label beside it."""
    file = write_ods(tmp_path / "sums.ods", Sheet(filled=(0, 0)))
    async with document(office, CALC, file) as sums:
        window = await sums.see(sums.window)
        assert {"Font Name", "Font Size"} <= {each.name for each in window.controls if each.type is Role.BUTTON}
        assert [each.name for each in window.controls if each.value == "10 pt"] == ["Font Size"]
        await sums.write([["Region", "Sum"], ["North", "6"], ["South", "5"]])
        chosen = await sums.run("select_item", sums.window, Role.TABLE, "Sheet Sheet1", item="A1:B3")
        assert chosen.effect is Effect.CONFIRMED, chosen
        dialog = await sums.dialog("Data", "Sort...", "Sort")
        seen = await sums.see(dialog)
        dropdowns = [each for each in seen.controls if Trait.OPENS_LIST in each.traits]
        assert [each.name for each in dropdowns] == ["Column"] * 3
        first = replace(dropdowns[0], id="1")
        result = await Tools(sums.desktop).run(dialog, "select_item", first, item="Sum")
        assert result.effect is Effect.CONFIRMED, result
        await sums.press(dialog, "OK")
        saved = await sums.saved()
    assert saved.index("South") < saved.index("North")


@pytest.mark.full("one list that few choose from; other lists that drop down are tried")
@pytest.mark.requires("act.choose", "command.effect")
async def test_the_format_of_a_file_is_chosen_in_the_file_chooser_also_where_its_menu_is_scrolled(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "first.odt", Text("first"))) as first:
        await first.see(first.window)
        await first.desktop.activate(first.window)
        await first.desktop.press([Chord("s", ("ctrl", "shift"))])
        dialog = await first.until_window("Save")
        tools = Tools(first.desktop)
        for format_ in ("Text (.txt)", "All Formats", "Word 2007–365 VBA (.docm)", "Rich Text (.rtf)"):
            seen = await first.see(dialog)
            box = next(control for control in seen.controls if control.type is Role.COMBOBOX)
            chosen = await tools.run(dialog, "select_item", box, item=format_)
            assert (chosen.effect, chosen.error) == (Effect.CONFIRMED, None), chosen
        await first.press(dialog, "Save")

        async def written() -> bool | None:
            file = tmp_path / "first.rtf"
            return (file.exists() and file.read_bytes().startswith(b"{\\rtf")) or None

        assert await first.desktop.wait_until(written, deadline_s=PATIENCE_S)


@pytest.mark.full("shapes over sheets are rare; test_office_drawings has keys for shapes")
@pytest.mark.requires("act.tools", "command.effect")
async def test_keys_for_a_cell_do_not_go_to_the_shape_that_is_selected(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "drawn.ods", Sheet(filled=(4, 3), shape="Box"))
    async with document(office, CALC, file) as it:
        tools, sheet = Tools(it.desktop), it.window

        async def select_box() -> None:
            chosen = await it.run("click_input", sheet, Role.GROUP, "Box")
            assert (chosen.effect, chosen.error) == (Effect.CONFIRMED, None), chosen

        await select_box()
        typed = await it.run("keyboard_input", sheet, Role.CELL, "A1", keys="typed{ENTER}")
        await select_box()
        put = await it.run("set_edit_text", sheet, Role.CELL, "B2", text="put")
        await select_box()
        table = await tools.find(sheet, "Sheet Sheet1", Role.TABLE)
        chosen = await tools.run(sheet, "select_item", table, item="C3")
        assert "selected" not in (await tools.find(sheet, "Box", Role.GROUP)).states
        await it.desktop.press([*map(Chord, "keys"), Chord("enter")])
        shape = await tools.find(sheet, "Box", Role.GROUP)
        cells = [control for control in (await it.see(sheet)).controls if control.type is Role.CELL]
        under = next(cell for cell in cells if shape.rect.contains(cell.rect.center))
        covered = await tools.run(sheet, "click_input", under, double=True)
        assert covered.error is not None
        assert covered.error.type == TargetCovered.__name__
        assert [typed.effect, put.effect, chosen.effect] == [Effect.CONFIRMED] * 3, (typed, put, chosen)
        saved = await it.saved()
    texts = re.findall("<text:p>([^<]*)</text:p>", saved)
    assert texts[:3] == ["typed", "r0c1", "r0c2"], texts
    assert texts[4:9:4] == ["put", "keys"], texts
    assert len(texts) == 12, "nothing is written into the shape"


@pytest.mark.full("other check boxes of dialogs are tried")
@pytest.mark.requires("observe.office", "act.tools")
async def test_check_boxes_beside_fields_are_set_and_border_lines_tell_nothing_of_themselves(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "orphans.odt", Text("first"))) as it:
        dialog = await it.dialog("Format", "Paragraph...", "Paragraph")
        assert (await it.run("select_item", dialog, Role.TAB, "Text Flow")).effect is Effect.CONFIRMED
        for checked in (False, True):
            done = await it.run("set_value", dialog, Role.CHECKBOX, "Orphan control", value=checked)
            assert (done.effect, done.error) == (Effect.CONFIRMED, None), done
            field = await Tools(it.desktop).find(dialog, "Orphan control", Role.SPINBUTTON)
            assert ("enabled" in field.states) == checked
        four = await it.run("set_value", dialog, Role.SPINBUTTON, "Orphan control", value=4)
        assert four.effect is Effect.CONFIRMED, four
        assert (await it.run("select_item", dialog, Role.TAB, "Borders")).effect is Effect.CONFIRMED
        await it.run("select_item", dialog, Role.LISTITEM, "All Four Borders")
        lines = [c for c in (await it.see(dialog)).controls if c.name.endswith("border line")]
        assert len(lines) == 4
        assert all("checked_untold" in line.states and line.rect.empty for line in lines)
        await it.press(dialog, "OK")
        saved = await it.saved()
    assert 'fo:orphans="4"' in saved
    assert re.search(r'fo:border="[^"n]', saved), "none would be another"


@pytest.mark.full("one dialog that few open")
@pytest.mark.requires("observe.office", "act.scrolled")
async def test_templates_are_told_where_they_are_seen_also_once_their_list_is_scrolled(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    program = Application("impress", ("soffice", "--impress"), window="Impress$")
    async with opened(office, program, None) as window:
        it = Document(office, window, tmp_path)
        await it.see(it.window)
        await office.activate(it.window)
        await office.press([Chord("n", ("ctrl", "shift"))])
        dialog = await it.until_window("Templates")

        async def listed() -> list[TargetInfo]:
            return [control for control in (await it.see(dialog)).controls if control.type is Role.LISTITEM]

        async def scrolled() -> list[TargetInfo] | None:
            now = await listed()
            return now if now and now[0].name not in {item.name for item in before} - {before[-1].name} else None

        before = await listed()
        place = next(c for c in (await it.see(dialog)).controls if c.handle == before[0].parent).rect
        assert 0 <= before[0].rect.top - place.top < 16
        for name in (before[0].name, before[-1].name):
            clicked = await it.run("click_input", dialog, Role.LISTITEM, name)
            assert (clicked.effect, clicked.error) == (Effect.CONFIRMED, None), clicked
        await office.scroll(place.center, -4)
        after = await office.wait_until(scrolled, deadline_s=PATIENCE_S)
        assert after, "nothing moved"
        for item in (after[0], after[-1]):
            assert item.rect.intersection(place) == item.rect
            clicked = await it.run("click_input", dialog, Role.LISTITEM, item.name)
            assert (clicked.effect, clicked.error) == (Effect.CONFIRMED, None), clicked


@pytest.mark.full("one dialog that few open")
@pytest.mark.requires("observe.office")
async def test_heads_of_columns_that_are_scrolled_out_of_a_dialogs_table_are_not_seen(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "marks.odt", Text("One."))) as marks:
        dialog = await marks.dialog("Insert", "Bookmark...", "Bookmark")
        seen = (await marks.see(dialog)).controls
        table = next(control for control in seen if control.type is Role.TABLE)
        heads = [control for control in seen if control.type is Role.COLUMNHEADER]
        assert [head.name for head in heads] == ["Page", "Name", "Text"], "a picture shows no more"
        assert all(head.rect.intersection(table.rect) == head.rect for head in heads)


@pytest.mark.full("one list that few open")
@pytest.mark.requires("act.tools")
async def test_a_style_that_is_not_selected_is_the_one_applied(office: LinuxDesktop, tmp_path: Path) -> None:
    """LibreOffice applies the one that is selected in its list, whichever it is told to activate."""
    async with document(office, WRITER, write_odt(tmp_path / "styles.odt", Text("One."))) as styles:
        await styles.desktop.activate(styles.window)
        await styles.desktop.press([Chord("f11")])
        await Tools(styles.desktop).find(styles.window, "Endnote", Role.LISTITEM)
        result = await styles.run("invoke", styles.window, Role.LISTITEM, "Endnote")
        assert result.effect is Effect.CONFIRMED, result
        saved = await styles.saved()
        await styles.desktop.press([Chord("f11")])  # the next document would have the sidebar too
    assert re.search(r'<text:p text:style-name="Endnote">One\.', saved), saved[-600:]


@pytest.mark.full("popups are tried in test_popups")
@pytest.mark.requires("act.tools")
async def test_a_popup_of_which_nothing_is_told_is_said_to_be_there(office: LinuxDesktop, tmp_path: Path) -> None:
    """The tools for which a tool bar has no room, behind the arrows at its right end."""
    async with document(office, WRITER, write_odt(tmp_path / "narrow.odt", Text("One."))) as narrow:
        before = await narrow.see(narrow.window)
        bar = next(each for each in before.controls if each.type is Role.TOOLBAR and each.name == "Formatting")
        place = before.window.rect
        arrows = {
            "x": (place.right - 9 - place.left) / place.width,
            "y": (bar.rect.center.y - place.top) / place.height,
        }
        result = await Tools(narrow.desktop).run(narrow.window, "click_on_coordinates", None, **arrows)
        assert result.effect is Effect.UNVERIFIABLE
        assert "of its popup at " in result.evidence
        seen = await narrow.see(narrow.window)
        assert seen.truncated is not None
        assert "use a picture" in seen.truncated.reason
        await narrow.desktop.press([Chord("esc")])
        assert (await narrow.see(narrow.window)).truncated is None


@pytest.mark.full("one program that few use")
@pytest.mark.requires("observe.office")
async def test_a_database_is_open_once_its_lists_show(office: LinuxDesktop, tmp_path: Path) -> None:
    """It has no document that could be waited for."""
    need(BASE)
    opens = replace(CALC, argv_with_file=("soffice", "--base", "{file}"), window="Base$")
    async with opened(office, opens, write_odb(tmp_path / "towns.odb")) as window:
        seen = await office.observe(window, picture=False)
        assert Role.LIST in {control.type for control in seen.controls}


@pytest.mark.full("one dialog that few open")
@pytest.mark.requires("observe.office", "act.choose")
async def test_a_column_of_what_is_imported_is_chosen_by_a_click_on_its_cell(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """LibreOffice tells the cells of the preview as though it stood in the screen's corner."""
    file = tmp_path / "towns.csv"
    file.write_text("No,Name,City\n31,Anna,Rome\n32,Bob,Paris\n")
    opens = replace(CALC, argv_with_file=("soffice", "--calc", "{file}"), window="^Text Import")
    async with document(office, opens, file) as it:
        clicked = await it.run("click_input", it.window, Role.CELL, "Anna")
        assert (clicked.effect, clicked.evidence) == (Effect.CONFIRMED, 'cell "Anna" [1] is now selected')
        hidden = await it.run("select_item", it.window, Role.GENERIC, "Column type:", item="Hide")
        assert hidden.effect is Effect.CONFIRMED, hidden
        await it.press(it.window, "OK")
        seen = await it.see(await it.until_window("towns.csv - LibreOffice Calc"))
        told = {control.name: control.value for control in seen.controls if control.type is Role.CELL}
        assert (told["A2"], told["B2"], told["C2"]) == ("31", "Rome", "")


@pytest.mark.full("a name that the Name Box refuses is rare")
@pytest.mark.requires("effect.about")
async def test_what_refuses_a_text_that_was_entered_is_told_not_the_text(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "sums.ods", Sheet(filled=(3, 3)))
    async with document(office, CALC, file) as sums:
        seen = await sums.see(sums.window)
        name_box = next(c for c in seen.controls if c.type is Role.TEXTBOX and c.value == "A1")
        tools = Tools(sums.desktop)
        assert (await tools.run(sums.window, "click_input", name_box)).effect is Effect.CONFIRMED
        refused = await tools.run(sums.window, "keyboard_input", None, keys="9bad name{ENTER}")
        assert (refused.effect, "appeared" in refused.evidence) == (Effect.UNVERIFIABLE, True), refused
        assert (await tools.run(sums.window, "keyboard_input", None, keys="{ENTER}")).effect is Effect.CONFIRMED
        entered = await tools.run(sums.window, "keyboard_input", None, keys="{ESC}{ESC}word{ENTER}")
        assert (entered.effect, "word" in entered.evidence) == (Effect.CONFIRMED, True), entered
