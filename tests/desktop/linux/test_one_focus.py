"""Of all controls of a window, only the one that has the keyboard says so."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_office import CALC, WRITER
from desktop.linux.test_office_tools import document
from documents import Text, write_odt
from spreadsheets import Sheet, write_ods
from support import QT6, ROOT, need

PROGRAM = str(ROOT / "tests/apps/focus_qt.py")
HAVING = {"city": "Bonn", "fruit": "Pear", "size": "Small", "name": "Ada"}


def having_keyboard(seen: Observation) -> list[str]:
    return [control.value or control.name for control in seen.controls if "focused" in control.states]


async def is_called(desktop: LinuxDesktop, title: str) -> bool | None:
    return True if any(window.name == title for window in await desktop.windows()) else None


@pytest.mark.desktop
@pytest.mark.requires("observe.roles")
@pytest.mark.parametrize("python", ["/usr/bin/python3", str(QT6)])
async def test_neither_the_box_around_a_field_nor_items_of_other_lists_of_qt_say_it(
    tmp_path: Path, python: str
) -> None:
    need(Path(python))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("focus", (python, PROGRAM), window="^Focus"))
        await desktop.activate(window)
        await desktop.press([Chord("tab"), Chord("down"), Chord("tab"), Chord("down")])  # each has a current item now
        for has_it in ("name", "city", "fruit", "size"):
            await desktop.press([Chord("tab")])
            assert await desktop.wait_until(lambda title=f"Focus {has_it}": is_called(desktop, title), deadline_s=20)
            wanted = [HAVING[has_it]] if python == str(QT6) or has_it in {"name", "city"} else []  # Qt 5 does not tell
            assert having_keyboard(await desktop.observe(window, picture=False)) == wanted


@pytest.mark.desktop
@pytest.mark.requires("observe.roles")
@pytest.mark.parametrize("python", ["/usr/bin/python3", str(QT6)])
async def test_the_tab_of_qt_in_front_is_selected_and_says_it_only_while_the_keyboard_is_in_its_book(
    tmp_path: Path, python: str
) -> None:
    need(Path(python))
    async with linux_desktop(tmp_path) as desktop:
        argv = (python, str(ROOT / "tests/apps/tabs_qt.py"))
        window = await desktop.launch(Application("tabs", argv, window="^Tabs"))
        await desktop.activate(window)
        for has_it, wanted in (("field", "Ada"), ("tabs", "Tab 1")):
            await desktop.wait_until(lambda title=f"Tabs {has_it}": is_called(desktop, title), deadline_s=20)
            seen = await desktop.observe(window, picture=False)
            assert having_keyboard(seen) == [wanted]
            assert [c.name for c in seen.controls if "selected" in c.states] == ["Tab 1"]
            await desktop.press([Chord("tab")])


@pytest.mark.desktop
@pytest.mark.requires("observe.chromium")
async def test_the_page_of_a_browser_does_not_say_it_while_the_address_bar_has_the_keyboard(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>Keys</title><input id=i aria-label=Field value=here><script>i.focus()</script>", "utf-8")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("chromium", ("chromium", page.as_uri()), window="^Keys"))

        async def is_at(name: str) -> bool | None:
            focused = [c.name for c in (await desktop.observe(window, picture=False)).controls if "focused" in c.states]
            return True if focused == [name] else None

        assert await desktop.wait_until(lambda: is_at("Field"), deadline_s=20)
        await desktop.press([Chord("l", ("ctrl",))])
        assert await desktop.wait_until(lambda: is_at("Address and search bar"), deadline_s=10)


@pytest.mark.full("comments that always show are rare")
@pytest.mark.desktop
@pytest.mark.requires("desktop.sheet-cells")
async def test_a_comment_of_calc_and_a_button_that_was_clicked_do_not_say_it_beside_the_cell(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    names = "".join(f' xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "table", "text"))
    file = tmp_path / "note.fods"
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{names} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        '<table:table table:name="T"><table:table-row><table:table-cell office:value-type="string">'
        '<office:annotation office:display="true"><text:p>Note</text:p></office:annotation><text:p>a</text:p>'
        "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>",
        "utf-8",
    )
    async with document(office, CALC, file) as it:
        seen = await it.see(it.window)
        assert "Callout" in [control.name for control in seen.controls]
        assert [control.name for control in seen.controls if "focused" in control.states] == ["Sheet T", "A1"]
        await office.click(next(control.rect.center for control in seen.controls if control.name == "Bold"))
        seen = await it.see(it.window)
        assert [control.name for control in seen.controls if "focused" in control.states] == ["Sheet T", "A1"]


@pytest.mark.full("a chart edited while its cell is out of view is rare")
@pytest.mark.desktop
@pytest.mark.requires("desktop.sheet-cells")
async def test_a_chart_of_calc_that_was_edited_does_not_say_it_when_the_cell_was_scrolled_out_of_view(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, CALC, write_ods(tmp_path / "a.ods", Sheet(filled=(6, 2)))) as it:
        await it.write([["Region", "Sum"], ["North", "6"], ["South", "5"]])
        assert (await it.run("select_item", it.window, Role.TABLE, "Sheet Sheet1", item="A1:B3")).effect
        assert (await it.run("invoke", it.window, Role.BUTTON, "Chart")).effect is Effect.CONFIRMED
        await it.press(await it.until_window("Chart Type"), "Finish")
        edited = [control.type for control in (await it.see(it.window)).controls if "focused" in control.states]
        assert Role.FIGURE in edited
        assert (await it.run("click_input", it.window, Role.CELL, "A2")).effect is Effect.CONFIRMED
        turned = await it.run("wheel_mouse_input", it.window, Role.CELL, "A4", wheel_dist=-1)
        assert turned.effect is Effect.CONFIRMED
        seen = await it.see(it.window)
        assert "A2" not in [control.name for control in seen.controls]
        assert Role.FIGURE in [control.type for control in seen.controls]
        assert [control.name for control in seen.controls if "focused" in control.states] == ["Sheet Sheet1"]
        await it.desktop.press([Chord("7"), Chord("9"), Chord("enter")])
        assert 'office:value="79"' in await it.saved(), "the sheet has the keyboard"


@pytest.mark.full("lists of cells are rare")
@pytest.mark.desktop
@pytest.mark.requires("observe.office", "effect.about")
async def test_nothing_of_calc_says_it_beside_the_list_that_a_cell_dropped_down(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_ods(tmp_path / "a.ods", Sheet(filled=(6, 2), choices={(2, 1): ("red", "green")}))
    async with document(office, CALC, file) as it:
        assert (await it.run("click_input", it.window, Role.BUTTON, "Bold")).effect is Effect.CONFIRMED
        assert (await it.run("click_input", it.window, Role.CELL, "B3")).effect is Effect.CONFIRMED
        opened = await Tools(it.desktop).run(it.window, "keyboard_input", None, keys="{ALT}{DOWN}")
        assert (opened.effect, "button" in opened.evidence) == (Effect.CONFIRMED, False), opened
        having = [c for c in (await it.see(it.window)).controls if "focused" in c.states]
        assert {control.type for control in having} == {Role.LIST, Role.LISTITEM}, having
        await it.desktop.press([Chord("esc")])


@pytest.mark.full("comments are rarely written")
@pytest.mark.desktop
@pytest.mark.requires("observe.office")
async def test_the_paragraph_that_a_comment_is_about_does_not_say_it_beside_the_comment(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    async with document(office, WRITER, write_odt(tmp_path / "letter.odt", Text("One paragraph."))) as it:
        desktop, window = it.desktop, it.window
        await desktop.activate(window)
        await desktop.press([Chord("c", ("ctrl", "alt"))])

        async def having() -> list[TargetInfo]:
            seen = (await desktop.observe(window, picture=False)).controls
            return [each for each in seen if each.type is Role.PARAGRAPH and "focused" in each.states]

        async def in_comment() -> bool | None:
            found = await having()
            return True if found and all(each.value == "" for each in found) else None

        assert await desktop.wait_until(in_comment, deadline_s=20), await having()
        await desktop.press([Chord("esc")])

        async def in_text() -> bool | None:
            return True if [each.value for each in await having()] == ["One paragraph."] else None

        assert await desktop.wait_until(in_text, deadline_s=20), await having()
