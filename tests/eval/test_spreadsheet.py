"""The demo's own check must fail wherever the file is not what was asked for."""

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
