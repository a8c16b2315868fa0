"""Whole tables of real Writer documents."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from deskhand.core.errors import ActionDeadline, ActionRefused, ElementStale
from deskhand.core.geometry import NOWHERE
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.libreoffice.writer import document_tables as tables_of_writer
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Incomplete
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from desktop.linux.office import left_as_found, office_desktop
from documents import Block, Merged, Table, Text, pages, write_docx, write_odt
from support import ROOT

pytestmark = pytest.mark.desktop

WRITER: Final = Application(
    "writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), window="LibreOffice Writer$"
)
CALC: Final = Application("calc", ("soffice", "--calc"), window="LibreOffice Calc$")
FIXTURE: Final = ROOT / "tests/apps/gtk3_fixture.py"
NUMBERS: Final = itertools.count()

SALES: Final = (
    ("Region", "Q1", "Q2"),
    ("North", "120", "150"),
    ("South", "80", "95"),
    ("East", "200", "170"),
    ("West", "60", "140"),
)
SMALL: Final = (("k", "v"), ("x", "1"))
LONG: Final = (
    ("Month", "Product", "Units", "Price"),
    *((f"M{row:02d}", f"Product {row}", str(row * 7), f"{row * 1.5:.2f}") for row in range(1, 80)),
)
HOSTILE: Final = (
    ("North-East", "march", "00123", "=1+1"),
    ("1/2", "teh", "-5", "1,234.50"),
    ("12%", "", 'say "so"', "a\tb"),
    ("漢字テスト", "one\ntwo\n\nfour", "  blanks  ", "<b>&amp;"),
    ("", "", "", ""),
    ("'quoted'", "é€😀", "“curly”", "end"),
)


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LinuxDesktop]:
    """One desktop for all; each test opens a document of its own."""
    async with office_desktop(tmp_path_factory.mktemp("office")) as desktop:
        yield desktop


@pytest.fixture(autouse=True)
async def others_closed(desktop: LinuxDesktop) -> AsyncIterator[None]:
    """The documents that a test opens slow those of the next ones down."""
    async with left_as_found(desktop):
        yield


async def open_odt(desktop: LinuxDesktop, directory: Path, *blocks: Block) -> TargetInfo:
    return await desktop.launch(WRITER, write_odt(directory / f"text{next(NUMBERS)}.odt", *blocks))


def tables(seen: Observation) -> list[TargetInfo]:
    return [control for control in seen.controls if control.type is Role.TABLE]


async def the_table(desktop: LinuxDesktop, window: TargetInfo, name: str = "Sales") -> TargetInfo:
    """The table's control, once the document is laid out as far as that; it is looked for where it does not show."""

    async def look() -> TargetInfo | None:
        for other_pages in (False, True):
            seen = await desktop.observe(window, picture=False, other_pages=other_pages)
            found = next((table for table in tables(seen) if table.name == name), None)
            if found:
                return found
        return None

    table = await desktop.wait_until(look, deadline_s=10.0)
    assert table, f"no table {name}"
    return table


async def read(desktop: LinuxDesktop, window: TargetInfo, name: str = "Sales") -> tuple[tuple[str, ...], ...]:
    return await desktop.read_table(await the_table(desktop, window, name))


@pytest.mark.full("the others take the same way", but=["hostile"])
@pytest.mark.parametrize("rows", [SALES, SMALL, HOSTILE], ids=["5x3", "2x2", "hostile"])
async def test_a_table_in_view_is_read_as_it_was_written(
    desktop: LinuxDesktop, tmp_path: Path, rows: tuple[tuple[str, ...], ...]
) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(rows, "Sales"), Text("end"))
    assert await read(desktop, window) == rows


@pytest.mark.full("the same table is read in view, and others below the view")
async def test_a_hostile_table_below_the_view_is_read_as_it_was_written(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, *pages(2), Table(HOSTILE, "Sales"), Text("end"))
    assert await read(desktop, window) == HOSTILE


async def test_a_table_over_three_pages_is_one_control_and_one_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, *pages(2), Table(LONG, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    seen = await desktop.observe(window)
    assert [(found.name, found.rect) for found in tables(seen)] == [("Sales", NOWHERE)]
    assert "offscreen" in table.states
    assert "showing" not in table.states
    document = seen.find(table.parent)
    assert document
    assert document.type is Role.DOCUMENT
    assert await desktop.read_table(table) == LONG
    assert await desktop.table_shape(table) == (80, 4)
    assert await desktop.read_table(table, range(78, 80), range(1)) == (("M78",), ("M79",))
    with pytest.raises(ActionRefused):
        await desktop.read_table(table, range(79, 81), range(1))


async def test_a_word_table_over_pages_is_read_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    file = write_docx(tmp_path / "word.docx", *pages(1), Text("next", new_page=True), Table(LONG), Text("end"))
    window = await desktop.launch(WRITER, file)
    assert await read(desktop, window, "Table1") == LONG


@pytest.mark.full("each such table is read in another test")
async def test_tables_are_listed_once_each_in_document_order(desktop: LinuxDesktop, tmp_path: Path) -> None:
    blocks = (Table(SMALL, "First"), Text("mid"), Table(SALES, "T-2"), *pages(2), Table(LONG, "Last"), Text("end"))
    window = await open_odt(desktop, tmp_path, *blocks)
    last = await the_table(desktop, window, "Last")
    seen = tables(await desktop.observe(window))
    assert [("showing" in table.states, table.name) for table in seen] == [
        (True, "First"),
        (True, "T-2"),
        (False, "Last"),
    ]
    assert [len(await desktop.read_table(table)) for table in seen] == [2, 5, 80]
    assert (await desktop.resolve(last)).handle == last.handle


async def test_cells_of_a_small_table_are_controls_named_by_address_that_take_text(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(SALES, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    seen = await desktop.observe(window)
    cells = {control.name: control for control in seen.controls if control.parent == table.handle}
    assert {name: cell.value for name, cell in cells.items()} == {
        f"{letter}{row}": text
        for row, texts in enumerate(SALES, start=1)
        for letter, text in zip("ABC", texts, strict=True)
    }
    target = await desktop.resolve(cells["B2"])
    await desktop.set_text(target, "121")
    assert (await desktop.read_table(table))[1] == ("North", "121", "150"), "the unsaved change is read"


@pytest.mark.full("documents with tables are tried")
async def test_a_document_without_tables_has_none(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, *pages(3))
    seen = await desktop.observe(window)
    assert tables(seen) == []
    assert seen.truncated is None


@pytest.mark.full("test_spreadsheet_cells has cells of a scrolled sheet")
async def test_each_cell_in_view_of_a_long_table_is_seen_wherever_it_is_scrolled_to(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(LONG, "Sales"), Text("end"))
    await the_table(desktop, window)
    for notches in (0, -3, -5, 2):
        if notches:
            await desktop.scroll(window.rect.center, notches)
        await desktop.settle(window, deadline_s=10.0)
        seen = await desktop.observe(window, picture=False)
        table = next(control for control in tables(seen) if not control.rect.empty)
        cells = [control for control in seen.controls if control.parent == table.handle and not control.rect.empty]
        rows = [tuple(cell.value for cell in cells[start : start + 4]) for start in range(0, len(cells), 4)]
        at = LONG.index(rows[0])
        assert tuple(rows) == LONG[at : at + len(rows)]
        assert len(rows) * cells[5].rect.height > 0.9 * table.rect.height


@pytest.mark.full("a table below the view is read in another test")
async def test_a_table_after_sixty_pages_is_found_and_read(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, *pages(60), Table(LONG, "Sales"), Text("end"))
    await desktop.settle(window, deadline_s=10.0)
    assert tables(await desktop.observe(window, picture=False)) == []
    table = await the_table(desktop, window)
    assert await desktop.read_table(table) == LONG
    assert [found.name for found in tables(await desktop.observe(window, picture=False))] == ["Sales"]


@pytest.mark.full("tables of merged cells are rare")
async def test_merged_cells_have_their_text_at_their_first_place(desktop: LinuxDesktop, tmp_path: Path) -> None:
    rows = (
        (Merged("A", columns=2), None, "C", ""),
        (Merged("D", rows=2), "E", Merged("F", rows=2, columns=2), None),
        (None, "H", None, None),
        ("I", "", "two\n\nlines", "a\ttab"),
    )
    window = await open_odt(desktop, tmp_path, *pages(2), Table(rows, "Sales", heading=False), Text("end"))
    assert await read(desktop, window) == (
        ("A", "", "C", ""),
        ("D", "E", "F", ""),
        ("", "H", "", ""),
        ("I", "", "two\n\nlines", "a\ttab"),
    )


@pytest.mark.full("a table over three pages is read in another test")
async def test_a_row_that_stands_on_two_pages_is_read_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    high = "\n".join(f"line {number}" for number in range(80))
    rows = (("k", "v"), ("high", high), ("low", "1"))
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(rows, "Sales"), Text("end"))
    assert await read(desktop, window) == rows


async def test_a_table_that_the_application_would_die_of_is_refused(desktop: LinuxDesktop, tmp_path: Path) -> None:
    rows = (("a", "b"), ("c", Merged("m", rows=2)), ("d", None))
    window = await open_odt(desktop, tmp_path, *pages(4), Table(rows, "Sales", heading=False), Text("end"))
    with pytest.raises(ActionRefused, match="merged"):
        await read(desktop, window)
    assert tables(await desktop.observe(window)), "Writer is alive"


@pytest.mark.full("the others take the same way", but=["A footnote."])
@pytest.mark.parametrize("note", ["", "A footnote."])
async def test_reading_leaves_the_caret_where_it_was(desktop: LinuxDesktop, note: str, tmp_path: Path) -> None:
    blocks = (Text("First words."), Text("Noted.", note=note), *pages(2), Table(HOSTILE, "Sales"), Text("end"))
    window = await open_odt(desktop, tmp_path, *blocks)
    table = await the_table(desktop, window)
    await desktop.activate(window)
    before = await desktop.observe(window)
    assert await desktop.read_table(table) == HOSTILE

    async def shows_the_beginning() -> bool | None:
        now = await desktop.observe(window, picture=False)
        return True if any(control.value == "First words." for control in now.controls) else None

    assert any(control.value == "First words." for control in before.controls)
    assert await desktop.wait_until(shows_the_beginning, deadline_s=20.0), "the view came back with the caret"


HIGH: Final = "\n".join(f"line {number}" for number in range(80))
SPLIT: Final = (("k", "v"), ("high", HIGH), ("low", "1"))
"""Its second row stands on two pages: it is read by copying it."""


@pytest.mark.full("an empty clipboard is put back by the same way", but=["texts"])
@pytest.mark.requires("typing.clipboard")
@pytest.mark.parametrize("before", [{}, {"UTF8_STRING": b"kept", "text/x-own": b"too"}], ids=["nothing", "texts"])
async def test_what_was_on_the_clipboard_is_there_again_after_a_table_was_copied(
    desktop: LinuxDesktop, tmp_path: Path, before: dict[str, bytes]
) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(SPLIT, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    await desktop.offer_clipboard(before)
    assert await desktop.read_table(table) == SPLIT
    assert await desktop.whole_clipboard(most_bytes=1_000_000) == before


@pytest.mark.full("16 MB on the clipboard are rare")
async def test_a_table_is_not_copied_where_what_is_on_the_clipboard_could_not_be_put_back(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(SPLIT, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    await desktop.offer_clipboard({"UTF8_STRING": b"x" * 16_000_001})
    try:
        with pytest.raises(ActionRefused, match="clipboard could not be put back"):
            await desktop.read_table(table)
        assert await desktop.clipboard_fetches() > 0
        assert await desktop.read_clipboard() == b"x" * 16_000_001
    finally:
        await desktop.offer_clipboard({})


@pytest.mark.full("a caret in a footnote below a table is rare")
async def test_a_caret_that_could_not_be_put_back_is_not_moved(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        blocks = (Text("Noted.", note="A footnote."), Table(SPLIT, "Sales"), Text("end"))
        window = await open_odt(desktop, tmp_path, *blocks)
        table = await the_table(desktop, window)
        await desktop.activate(window)

        async def note() -> TargetInfo | None:
            seen = await desktop.observe(window, picture=False)
            found = next((control for control in seen.controls if "A footnote." in control.value), None)
            if found is None:
                await desktop.scroll(window.rect.center, -2)
                await desktop.settle(window)
            return found

        below = await desktop.wait_until(note, deadline_s=20.0)
        assert below is not None
        await desktop.put_caret(below, 3, 3)
        with pytest.raises(ActionRefused, match="without moving the caret"):
            await desktop.read_table(table)
        assert (await desktop.caret(below)).end == 3


@pytest.mark.full("the caret that stays where it was is tried")
async def test_that_a_caret_was_not_put_back_is_told(
    desktop: LinuxDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def moves_on(*_: object) -> None:
        raise Incomplete("the text goes on changing")

    window = await open_odt(desktop, tmp_path, Text("Report"), Table(SPLIT, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    monkeypatch.setattr(tables_of_writer, "restore_caret", moves_on)
    with pytest.raises(ActionDeadline, match="was read; the caret could not be put back"):
        await desktop.read_table(table)


@pytest.mark.full("such tables are rare")
async def test_a_table_of_more_columns_than_letters_is_read_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    head = tuple(f"h{column}" for column in range(56))
    rows = (head, (*(f"v{column}" for column in range(55)), HIGH), ("",) * 56)
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(rows, "Sales", heading=False), Text("end"))
    assert await read(desktop, window) == rows


@pytest.mark.full("tables that are renamed meanwhile are rare")
async def test_a_table_whose_name_is_gone_is_stale(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, Text("Report"), Table(SALES, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    gone = TargetInfo(table.kind, "Other", table.type, handle=table.handle.replace("#Sales", "#Other"))
    with pytest.raises(ElementStale, match="Other"):
        await desktop.read_table(gone)
    with pytest.raises(ActionRefused, match="whole table"):
        await desktop.focus(table)


@pytest.mark.full("deadlines of tables are tried in test_lying_tables")
async def test_a_deadline_gives_no_part_of_a_table(desktop: LinuxDesktop, tmp_path: Path) -> None:
    window = await open_odt(desktop, tmp_path, *pages(2), Table(LONG, "Sales"), Text("end"))
    table = await the_table(desktop, window)
    started = monotonic()
    with pytest.raises(ActionDeadline, match="whole"):
        await desktop.read_table(table, deadline_s=0.01)
    assert monotonic() - started < 15.0


@pytest.mark.full("test_office reads blocks of a sheet that is too large")
async def test_a_spreadsheet_is_too_large_to_be_read_whole(desktop: LinuxDesktop) -> None:
    window = await desktop.launch(CALC)

    async def sheet() -> TargetInfo | None:
        found = tables(await desktop.observe(window, picture=False))
        return found[0] if found else None

    table = await desktop.wait_until(sheet, deadline_s=10.0)
    assert table
    with pytest.raises(ActionRefused, match="too large"):
        await desktop.read_table(table)


@pytest.mark.full("wine/test_both_worlds reads its table")
async def test_the_sample_document_holds_the_sales_table(desktop: LinuxDesktop) -> None:
    window = await desktop.launch(WRITER, ROOT / "src/deskhand/samples/report.odt")
    assert await read(desktop, window) == SALES
