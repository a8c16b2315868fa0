"""Choices of LibreOffice's closed drop-downs, which are those of lists observed open before."""

import re
import zipfile
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.perception.text_layout import line_of
from desktop.linux.deceiving import Tools
from desktop.linux.test_office import CALC
from desktop.linux.test_office_drawings import IMPRESS
from desktop.linux.test_office_tools import PATIENCE_S, WRITER, Document, document
from documents import Text, write_odt
from drawings import Title, write_drawing
from spreadsheets import Sheet, write_ods

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("observe.dropdown-values")]


async def drop_downs(opened: Document, dialog: TargetInfo) -> list[str]:
    controls = (await opened.see(dialog)).controls
    return [line_of(each) for each in controls if Trait.OPENS_LIST in each.traits]


async def choose(opened: Document, window: TargetInfo, name: str, item: str) -> None:
    chosen = await opened.run("select_item", window, Role.BUTTON, name, item=item)
    assert chosen.effect is Effect.CONFIRMED, chosen


async def saved_styles(opened: Document) -> str:
    await opened.saved()
    with zipfile.ZipFile(opened.file) as archive:
        return archive.read("styles.xml").decode()


async def until_listed(opened: Document, dialog: TargetInfo, line: str) -> None:
    async def listed() -> bool | None:
        return True if (await drop_downs(opened, dialog))[:1] == [line] else None

    found = await opened.desktop.wait_until(listed, deadline_s=PATIENCE_S)
    assert found, (line, await drop_downs(opened, dialog))


@pytest.mark.full("choices of a page style take the same way")
async def test_the_choice_of_a_drop_down_is_listed_once_its_list_was_open(office: LinuxDesktop, tmp_path: Path) -> None:
    async with document(office, CALC, write_ods(tmp_path / "sums.ods", Sheet(filled=(0, 0)))) as sums:
        await sums.write([["3", "b", "x"], ["1", "c", "z"], ["2", "a", "y"]])
        dialog = await sums.dialog("Data", "Sort...", "Sort")
        unknown = 'button "Column" (opens a list)'
        assert (await drop_downs(sums, dialog))[:2] == [unknown, unknown]
        tools = Tools(sums.desktop)
        first = await tools.find(dialog, "Column", Role.BUTTON)
        chosen = await tools.run(dialog, "select_item", first, item="C")
        assert (chosen.effect, chosen.evidence) == (
            Effect.CONFIRMED,
            'listitem "C" is selected, and its list closed',
        ), chosen
        assert (await drop_downs(sums, dialog))[:2] == ['button "Column" = "C" (focused, opens a list)', unknown]
        turned = await tools.run(dialog, "keyboard_input", first, keys="{UP}")
        assert (turned.effect, turned.evidence) == (Effect.CONFIRMED, 'button "Column" [1] now has the value "B"')
        await sums.desktop.do_action(first)
        await sums.desktop.press([Chord("up")])
        await until_listed(sums, dialog, 'button "Column" (checked, opens a list)')
        await sums.desktop.press([Chord("esc")])
        await until_listed(sums, dialog, 'button "Column" = "B" (focused, opens a list)')
        await sums.press(dialog, "OK")
        saved = await sums.saved()
    assert re.findall(r"<text:p>([abc])</text:p>", saved) == ["a", "b", "c"], "sorted by the column that was listed"


async def test_a_choice_that_the_program_changes_is_listed_as_it_is_saved(office: LinuxDesktop, tmp_path: Path) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "letter.odt", Text("Dear Ada"))) as letter:
        dialog = await letter.dialog("Format", "Page Style...", "Page Style: Default Page Style")
        turned = await letter.run("select_item", dialog, Role.TAB, "Page")
        assert turned.effect is Effect.CONFIRMED, turned
        await choose(letter, dialog, "Format", "A5")
        await choose(letter, dialog, "Page layout", "Mirrored")
        listed = {line for line in await drop_downs(letter, dialog) if " = " in line}
        assert listed == {
            'button "Format" = "A5" (opens a list)',
            'button "Page layout" = "Mirrored" (focused, opens a list)',
        }
        wider = await letter.run("set_value", dialog, Role.SPINBUTTON, "Width:", value=7)
        assert wider.effect is Effect.CONFIRMED, wider
        await until_listed(letter, dialog, 'button "Format" = "User" (opens a list)')
        await letter.press(dialog, "OK")
        styles = await saved_styles(letter)
    assert re.search(r'<style:page-layout [^>]*style:page-usage="mirrored"', styles)
    assert re.search(r'fo:page-width="(7in|17\.78cm)"', styles), "no named format is so wide"


@pytest.mark.full("choices of a dialog take the same way")
async def test_a_choice_in_the_sidebar_is_listed_as_it_is_saved(office: LinuxDesktop, tmp_path: Path) -> None:
    async with document(office, IMPRESS, write_drawing(tmp_path / "talk.odp", [Title("Welcome")])) as talk:
        await choose(talk, talk.window, "Orientation", "Landscape")
        assert 'button "Orientation" = "Landscape" (focused, opens a list)' in await drop_downs(talk, talk.window)
        await talk.run("click_input", talk.window, Role.LISTITEM, "P1")  # the sidebar would take the next keys
        assert 'style:print-orientation="landscape"' in await saved_styles(talk)
