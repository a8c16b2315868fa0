"""Content of a saved spreadsheet, read with the standard library alone: cells with their types, and charts."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskhand.core.errors import UsageError
from deskhand.store.opendocument import NAMES, StoredCell, cells_of, parsed, qualified, rows_of

_OOXML: Final = {
    "s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
}
_MOST_ROWS: Final = 1_048_576
_MOST_COLUMNS: Final = 16_384
"""Limits of a sheet."""
_MOST_CELLS: Final = 4_000_000
"""Limit of the filled area; a repeated row counts once."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text as stored, and whether it is a number or a formula; `day`: of a date, such as 2026-03-12."""

    text: str
    number: float | None = None
    formula: bool = False
    day: str = ""


_BLANK: Final = Cell("")
_Rows = Iterable[tuple[list[Cell], int]]
"""Rows without blanks at their ends, each with its number of repetitions."""


@dataclass(frozen=True, slots=True)
class Series:
    """Ranges without sheet names and dollar signs: `B2:B5`."""

    values: str
    name: str


@dataclass(frozen=True, slots=True)
class Chart:
    bar: bool
    horizontal: bool
    categories: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class Workbook:
    """The first sheet, without blank rows and columns at its end, and the charts of the file.

    Rows that the file stores once with a repeat count are one object here too.
    """

    rows: tuple[tuple[Cell, ...], ...]
    charts: tuple[Chart, ...]


def read_workbook(path: Path) -> Workbook:
    """Raises: UsageError for a suffix that is neither .ods nor .xlsx; OSError; ValueError for a file that is broken or
    too large.
    """
    readers = {".ods": _read_ods, ".xlsx": _read_xlsx}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path.name} is not a supported spreadsheet", fix="use .ods or .xlsx")
    try:
        with zipfile.ZipFile(path) as archive:
            return reader(archive)
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error


def _of_excel(prefix: str, word: str) -> str:
    return f"{{{_OOXML[prefix]}}}{word}"


def _filled(rows: _Rows) -> tuple[tuple[Cell, ...], ...]:
    """Rows up to the last filled one, each as wide as the widest. Raises: ValueError if that is too much."""
    kept: list[tuple[list[Cell], int]] = []
    waiting: list[tuple[list[Cell], int]] = []
    for row, count in rows:
        waiting.append((row, count))
        if row:
            kept += waiting
            waiting = []
    height, width = sum(count for _, count in kept), max((len(row) for row, _ in kept), default=0)
    if height > _MOST_ROWS or width > _MOST_COLUMNS or len(kept) * width > _MOST_CELLS:
        raise ValueError(
            f"its first sheet is filled over {height} rows and {width} columns, which is too much to check"
        )
    found: list[tuple[Cell, ...]] = []
    for row, count in kept:
        found += [tuple(row + [_BLANK] * (width - len(row)))] * count
    return tuple(found)


def _read_ods(archive: zipfile.ZipFile) -> Workbook:
    content = parsed(archive, "content.xml")
    table = content.find(".//table:table", NAMES)
    rows = () if table is None else _filled(_ods_rows(table))
    objects = [
        draw.get(qualified("xlink", "href"), "").removeprefix("./")
        for draw in content.iter(qualified("draw", "object"))
    ]
    charts = [_ods_chart(parsed(archive, f"{name}/content.xml")) for name in objects if name]
    return Workbook(rows, tuple(chart for chart in charts if chart is not None))


def _ods_rows(table: ElementTree.Element) -> Iterator[tuple[list[Cell], int]]:
    for row, repetitions in rows_of(table):
        cells: list[Cell] = []
        blanks = 0
        for stored, count in cells_of(row):
            cell = _ods_cell(stored)
            if cell == _BLANK:
                blanks += count
                continue
            if len(cells) + blanks + count > _MOST_COLUMNS:
                raise ValueError(f"a row has more than {_MOST_COLUMNS} columns")
            cells += [_BLANK] * blanks + [cell] * count
            blanks = 0
        yield cells, repetitions


def _ods_cell(stored: StoredCell) -> Cell:
    formula = bool(stored.formula)
    if stored.kind in {"", "string", "error"}:
        return Cell(stored.text, None, formula)
    number = stored.value if stored.kind == "float" and isinstance(stored.value, float) else float("nan")
    return Cell(stored.text, number, formula, str(stored.value) if stored.kind == "date" else "")


def _ods_chart(content: ElementTree.Element) -> Chart | None:
    chart = content.find(".//chart:chart", NAMES)
    if chart is None:
        return None
    vertical = any(
        properties.get(qualified("chart", "vertical")) == "true"
        for properties in content.iter(qualified("style", "chart-properties"))
    )
    categories = chart.find(".//chart:categories", NAMES)
    return Chart(
        bar=chart.get(qualified("chart", "class")) == "chart:bar",
        horizontal=vertical,
        categories=_range("" if categories is None else categories.get(qualified("table", "cell-range-address"), "")),
        series=tuple(
            Series(
                _range(node.get(qualified("chart", "values-cell-range-address"), "")),
                _range(node.get(qualified("chart", "label-cell-address"), "")),
            )
            for node in chart.iter(qualified("chart", "series"))
        ),
    )


def _range(text: str) -> str:
    """`Sheet1.$B$2:Sheet1.$B$5`, `Sheet1!$B$2:$B$5` → `B2:B5`; a single cell is returned as such."""
    ends = [re.sub(r"^.*[.!]", "", part).replace("$", "") for part in text.split(":") if part]
    return ":".join(dict.fromkeys(ends))


def _read_xlsx(archive: zipfile.ZipFile) -> Workbook:
    names = archive.namelist()
    shared = _shared_strings(archive) if "xl/sharedStrings.xml" in names else []
    sheet = parsed(archive, "xl/worksheets/sheet1.xml")
    rows = _filled(_xlsx_rows(sheet, shared))
    charts = [parsed(archive, name) for name in sorted(names) if re.fullmatch(r"xl/charts/chart\d+\.xml", name)]
    return Workbook(rows, tuple(_xlsx_chart(chart) for chart in charts))


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    root = parsed(archive, "xl/sharedStrings.xml")
    return [
        "".join(node.text or "" for node in item.iter(_of_excel("s", "t"))) for item in root.findall("s:si", _OOXML)
    ]


def _xlsx_rows(sheet: ElementTree.Element, shared: list[str]) -> Iterator[tuple[list[Cell], int]]:
    """Rows and cells; one without an address follows the one before it."""
    above = 0
    for row in sheet.iter(_of_excel("s", "row")):
        number = int(row.get("r", above + 1))
        if number <= above:
            raise ValueError(f"row {number} stands behind row {above}")
        if number > above + 1:
            yield [], number - above - 1
        above = number
        line: list[Cell] = []
        column = -1
        for node in row.findall("s:c", _OOXML):
            address = node.get("r")
            column = _column(address) if address else column + 1
            if column >= _MOST_COLUMNS:
                raise ValueError(f"a row has more than {_MOST_COLUMNS} columns")
            cell = _xlsx_cell(node, shared)
            if cell != _BLANK:
                line += [_BLANK] * (column + 1 - len(line))
                line[column] = cell
        yield line, 1


def _column(address: str) -> int:
    column = 0
    for letter in re.match(r"[A-Z]+", address).group():  # type: ignore[union-attr] - every address begins with letters
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def _xlsx_cell(node: ElementTree.Element, shared: list[str]) -> Cell:
    value = node.findtext("s:v", "", _OOXML)
    formula = node.find("s:f", _OOXML) is not None
    kind = node.get("t", "n")
    if kind == "s":
        return Cell(shared[int(value)], None, formula)
    if kind in {"str", "inlineStr"}:
        inline = "".join(t.text or "" for t in node.iter(_of_excel("s", "t")))
        return Cell(value or inline, None, formula)
    if kind == "n" and value:
        return Cell(value, float(value), formula)
    return Cell(value, float("nan") if value else None, formula)


def _xlsx_chart(root: ElementTree.Element) -> Chart:
    bars = root.find(".//c:barChart", _OOXML)
    direction = None if bars is None else bars.find("c:barDir", _OOXML)
    series = [] if bars is None else bars.findall("c:ser", _OOXML)
    return Chart(
        bar=bars is not None,
        horizontal=direction is not None and direction.get("val") == "bar",
        categories=_range(series[0].findtext("c:cat//c:f", "", _OOXML)) if series else "",
        series=tuple(
            Series(_range(s.findtext("c:val//c:f", "", _OOXML)), _range(s.findtext("c:tx//c:f", "", _OOXML)))
            for s in series
        ),
    )
