"""The demo's own check must fail wherever the file is not what was asked for."""

import tracemalloc
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from deskhand.core.errors import UsageError
from deskhand.core.json import JsonValue
from deskhand.eval.spreadsheet import SpreadsheetChecker
from deskhand.eval.workbook import read_workbook

NS = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink"'
)
CELLS = [["Region", "Q1"], ["North", "120"], ["00123", "-5"]]
DATA: dict[str, JsonValue] = {"sales": {"rows": 3, "columns": 2, "cells": [list(row) for row in CELLS]}}


def number(value: str) -> str:
    kind = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"


def text(value: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'


@dataclass
class Ods:
    """A spreadsheet with a chart; change what is to be wrong."""

    rows: Sequence[Sequence[str]] = (
        (text("Region"), text("Q1")),
        (text("North"), number("120")),
        (text("00123"), number("-5")),
    )
    vertical: str = "true"
    kind: str = "chart:bar"
    values: str = "Sheet1.$B$2:Sheet1.$B$3"
    label: str = "Sheet1.$B$1"
    categories: str = "Sheet1.A2:Sheet1.A3"
    charts: int = 1

    def write(self, path: Path) -> Path:
        table = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in self.rows)
        objects = "".join(f'<draw:object xlink:href="./Object {n + 1}"/>' for n in range(self.charts))
        chart = (
            f"<office:document-content {NS}><style:style><style:chart-properties "
            f'chart:vertical="{self.vertical}"/></style:style><chart:chart chart:class="{self.kind}">'
            f'<chart:categories table:cell-range-address="{self.categories}"/>'
            f'<chart:series chart:values-cell-range-address="{self.values}" '
            f'chart:label-cell-address="{self.label}"/></chart:chart></office:document-content>'
        )
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(
                "content.xml",
                f"<office:document-content {NS}><table:table>{table}{objects}</table:table></office:document-content>",
            )
            for n in range(self.charts):
                archive.writestr(f"Object {n + 1}/content.xml", chart)
        return path


async def problems(path: Path, data: dict[str, JsonValue] = DATA) -> dict[str, str]:
    """The checks that do not hold, by name."""
    return {check.name: check.detail for check in await SpreadsheetChecker(path).check(data) if not check.ok}


async def test_the_right_file_holds(tmp_path: Path) -> None:
    assert await problems(Ods().write(tmp_path / "a.ods")) == {}


@pytest.mark.parametrize(("stored", "fine"), [("2026-03-12", True), ("2026-12-03", False)])
async def test_a_day_may_be_stored_as_that_date(stored: str, fine: bool, tmp_path: Path) -> None:
    value = f'office:value-type="date" office:date-value="{stored}"'
    day = f"<table:table-cell {value}><text:p>2026</text:p></table:table-cell>"
    file = Ods(rows=((text("Due"), number("1")), (day, number("2")))).write(tmp_path / "a.ods")
    found = await problems(file, {"sales": {"cells": [["Due", "1"], ["2026-03-12", "2"]]}})
    assert ("cells" not in found) is fine


@pytest.mark.requires("demo.caller-check")
@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (Ods(vertical="false"), "chart"),
        (Ods(kind="chart:line"), "chart"),
        (Ods(values="Sheet1.B2:Sheet1.B4"), "chart"),
        (Ods(label="Sheet1.B2"), "chart"),
        (Ods(categories=""), "chart"),
        (Ods(charts=0), "chart"),
        (Ods(charts=2), "chart"),
        (
            Ods(rows=[[text("Region"), text("Q1")], [text("North"), text("120")], [text("00123"), number("-5")]]),
            "cells",
        ),
        (
            Ods(rows=[[text("Region"), text("Q1")], [text("North"), number("120")], [number("123"), number("-5")]]),
            "cells",
        ),
        (
            Ods(rows=[[text("Region"), text("Q1")], [text("South"), number("120")], [text("00123"), number("-5")]]),
            "cells",
        ),
        (Ods(rows=[[text("Region"), text("Q1")], [text("North"), number("120")]]), "cells"),
        (
            Ods(
                rows=[
                    [text("Region"), text("Q1"), text("more")],
                    [text("North"), number("120")],
                    [text("00123"), number("-5")],
                ]
            ),
            "cells",
        ),
    ],
)
async def test_a_wrong_file_does_not_hold(tmp_path: Path, broken: Ods, check: str) -> None:
    assert list(await problems(broken.write(tmp_path / "a.ods"))) == [check]


async def test_a_formula_is_not_the_text_it_shows(tmp_path: Path) -> None:
    formula = '<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="120"/>'
    rows = [[text("Region"), text("Q1")], [text("North"), formula], [text("00123"), number("-5")]]
    assert await problems(Ods(rows=rows).write(tmp_path / "a.ods")) == {"cells": "B2: a formula where '120' should be"}


async def test_a_missing_and_a_damaged_file_do_not_hold(tmp_path: Path) -> None:
    assert list(await problems(tmp_path / "none.ods")) == ["file"]
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 not really")
    assert list(await problems(tmp_path / "bad.xlsx")) == ["file"]


async def test_without_the_table_nothing_can_be_right(tmp_path: Path) -> None:
    assert list(await problems(Ods().write(tmp_path / "a.ods"), {})) == ["cells"]


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.csv"):
        read_workbook(tmp_path / "a.csv")


def test_repeated_cells_count_each(tmp_path: Path) -> None:
    repeated = text("x").replace("<table:table-cell ", '<table:table-cell table:number-columns-repeated="3" ')
    workbook = read_workbook(Ods(rows=[[repeated, number("1")]], charts=0).write(tmp_path / "a.ods"))
    assert [cell.text for cell in workbook.rows[0]] == ["x", "x", "x", "1"]


def _table(folder: Path, rows: str) -> Path:
    """A sheet of these rows, as they are written."""
    content = f"<office:document-content {NS}><table:table>{rows}</table:table></office:document-content>"
    with zipfile.ZipFile(path := folder / "rows.ods", "w") as archive:
        archive.writestr("content.xml", content)
    return path


def _row(cells: str, count: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{count}">{cells}</table:table-row>'


def _times(cell: str, count: int) -> str:
    return cell.replace("<table:table-cell", f'<table:table-cell table:number-columns-repeated="{count}"', 1)


BLANK = "<table:table-cell/>"
WIDE = _times(BLANK, 16_384)


def _texts(path: Path) -> list[list[str]]:
    return [[cell.text for cell in row] for row in read_workbook(path).rows]


@pytest.mark.requires("eval.bounded")
def test_a_sheet_that_is_blank_to_its_end_takes_no_more_than_what_it_holds(tmp_path: Path) -> None:
    rows = _row(text("a") + text("b") + _times(BLANK, 16_382)) * 5 + _row(WIDE, 1_048_571)
    path = _table(tmp_path, rows)
    tracemalloc.start()
    try:
        found = _texts(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [["a", "b"]] * 5
    assert most < 1_000_000


@pytest.mark.requires("eval.bounded")
def test_what_stands_beyond_many_blank_rows_and_columns_keeps_its_place(tmp_path: Path) -> None:
    far = _times(BLANK, 12_000) + text("far")
    rows = read_workbook(_table(tmp_path, _row(text("top")) + _row(WIDE, 30_000) + _row(far) + _row(WIDE, 9))).rows
    assert (len(rows), len(rows[0]), rows[30_001][12_000].text) == (30_002, 12_001, "far")
    assert rows[1] is rows[30_000], "rows that are said once are kept once"


@pytest.mark.requires("eval.bounded")
def test_rows_that_hold_something_count_as_often_as_they_stand_there(tmp_path: Path) -> None:
    rows = read_workbook(_table(tmp_path, _row(text("x"), 1_048_576))).rows
    assert (len(rows), rows[0] is rows[-1], rows[-1][0].text) == (1_048_576, True, "x")


@pytest.mark.requires("eval.bounded")
@pytest.mark.parametrize(
    "rows",
    [
        _row(text("x"), 2_000_000_000),
        _row(_times(text("x"), 2_000_000_000)),
        (_row(text("x")) + _row(text("y"))) * 400 + _row(_times(BLANK, 16_000) + text("far")),
    ],
    ids=["rows", "columns", "area"],
)
async def test_what_is_too_much_to_check_says_so(tmp_path: Path, rows: str) -> None:
    (result,) = await SpreadsheetChecker(_table(tmp_path, rows)).check(DATA)
    assert (result.name, result.ok) == ("file", False)
    assert "too much to check" in result.detail or "more than 16384 columns" in result.detail


@pytest.mark.requires("eval.bounded")
def test_rows_of_the_head_and_of_groups_in_groups_stand_in_their_order(tmp_path: Path) -> None:
    inner = f"<table:table-row-group>{_row(text('3'), 2)}</table:table-row-group>"
    group = f"<table:table-row-group>{_row(text('2'))}{inner}</table:table-row-group>"
    head = f"<table:table-header-rows>{_row(text('1'))}</table:table-header-rows>"
    assert _texts(_table(tmp_path, head + group + _row(text("4")))) == [["1"], ["2"], ["3"], ["3"], ["4"]]


@pytest.mark.requires("eval.bounded")
def test_rows_and_cells_of_an_xlsx_keep_their_places_and_may_leave_them_out(tmp_path: Path) -> None:
    def sheet(rows: str) -> Path:
        with zipfile.ZipFile(path := tmp_path / "a.xlsx", "w") as archive:
            main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            archive.writestr(
                "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
            )
        return path

    far = sheet('<row r="2"><c r="B2"><v>1</v></c></row><row r="20000"><c r="A20000"><v>2</v></c></row>')
    rows = read_workbook(far).rows
    assert (len(rows), rows[1][1].text, rows[19_999][0].text) == (20_000, "1", "2")
    assert _texts(sheet("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>")) == [
        ["1", "2"],
        ["3", ""],
    ]
    with pytest.raises(ValueError, match="more than 16384 columns"):
        read_workbook(sheet('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>'))
