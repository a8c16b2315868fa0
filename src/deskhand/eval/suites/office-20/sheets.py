"""Spreadsheets as they were saved: `.ods` and `.xlsx`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeAlias

from reading import NAMES, Package, Part, Styles, Wrong, at, count, day, figure, plain, q, require, require_equal

Value: TypeAlias = str | float | bool | date | None


@dataclass(frozen=True)
class Cell:
    """Its value, its formula, the text it shows, and its look. Texts are never equal to numbers and dates."""

    value: Value = None
    formula: str = ""
    shown: str = ""
    bold: bool = False
    background: str = ""


@dataclass(frozen=True)
class Condition:
    """A conditional format: for which cells, such as `<10`, and the named style that it applies."""

    cells: str
    when: str
    style: str


@dataclass(frozen=True)
class Chart:
    kind: str
    horizontal: bool
    title: str
    categories: str
    series: tuple[tuple[str, str], ...]
    """Cells of the values, and of the name."""


@dataclass
class Sheet:
    name: str
    cells: dict[str, Cell] = field(default_factory=dict[str, Cell])
    hidden: dict[int, str] = field(default_factory=dict[int, str])
    """Rows that are not shown, from 1: `filter` or `collapse`."""
    conditions: list[Condition] = field(default_factory=list[Condition])
    charts: list[Chart] = field(default_factory=list[Chart])
    frozen: tuple[int, int] = (0, 0)
    """Rows and columns that stay in view."""

    def __getitem__(self, address: str) -> Cell:
        return self.cells.get(address, Cell())

    def column(self, letter: str, first: int, last: int) -> list[Value]:
        return [self[f"{letter}{row}"].value for row in range(first, last + 1)]

    def rows(self) -> list[list[Value]]:
        """All values, as far as the last filled row and column."""
        places = [place(address) for address, cell in self.cells.items() if cell.value is not None]
        height, width = (max((p[i] for p in places), default=-1) + 1 for i in (0, 1))
        require(height <= 10_000, f"{self.name} is filled as far as row {height}")
        return [[self[address(row, column)].value for column in range(width)] for row in range(height)]


class Sheets(dict[str, Sheet]):
    """The sheets of a file by name, in their order."""

    def __missing__(self, name: str) -> Sheet:
        raise Wrong(f"there is no sheet {name} but {', '.join(self)}")


def address(row: int, column: int) -> str:
    letters = ""
    while column >= 0:
        letters = chr(ord("A") + column % 26) + letters
        column = column // 26 - 1
    return f"{letters}{row + 1}"


def place(text: str) -> tuple[int, int]:
    letters, row = re.fullmatch(r"([A-Z]+)(\d+)", text).groups()  # type: ignore[union-attr] - addresses have this form
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(row) - 1, column - 1


def bare(text: str) -> str:
    """`$Trips.$B$2:$Trips.$B$5` → `B2:B5`, one cell as itself."""
    ends = [re.sub(r"^.*[.!]", "", end).replace("$", "") for end in text.split(":")]
    return ":".join(dict.fromkeys(ends))


def read_sheets(path: Path) -> Sheets:
    """Of an `.ods` or `.xlsx`."""
    package = Package(path)
    return _of_excel(package) if path.suffix == ".xlsx" else _of_calc(package)


def _of_calc(package: Package) -> Sheets:
    styles = Styles(package)
    sheets = {at(table, "table:name"): table for table in package.xml("content.xml").iter(q("table:table"))}
    found = Sheets({name: _sheet(name, table, package, styles) for name, table in sheets.items()})
    for views in package.find("settings.xml").iter(q("config:config-item-map-entry")):
        items = {at(item, "config:name"): item.text or "" for item in views}
        sheet = found.get(at(views, "config:name"))
        if sheet is not None and "VerticalSplitMode" in items:
            sheet.frozen = (_frozen(items, "Vertical"), _frozen(items, "Horizontal"))
    return found


def _frozen(items: Mapping[str, str], way: str) -> int:
    return int(figure(items.get(f"{way}SplitPosition", "0"))) if items.get(f"{way}SplitMode") == "2" else 0


def _sheet(name: str, table: Part, package: Package, styles: Styles) -> Sheet:
    sheet = Sheet(name)
    columns = [
        at(column, "table:default-cell-style-name")
        for column in table.iter(q("table:table-column"))
        for _ in range(min(count(column, "table:number-columns-repeated"), 200))
    ]
    above = 0
    for row in table.iter(q("table:table-row")):
        times = count(row, "table:number-rows-repeated")
        for number in range(above, above + min(times, 200)):
            if hidden := {"filter": "filter", "collapse": "collapse"}.get(at(row, "table:visibility"), ""):
                sheet.hidden[number + 1] = hidden
            _fill(sheet, number, row, columns, styles)
        above += times
    for entry in table.iter(q("calcext:conditional-format")):
        for condition in entry:
            style = styles.named("table-cell", at(condition, "calcext:apply-style-name"))
            cells = bare(at(entry, "calcext:target-range-address"))
            sheet.conditions.append(Condition(cells, at(condition, "calcext:value").replace(" ", ""), style))
    for drawn in table.iter(q("draw:object")):
        sheet.charts += _charts(package.find(f"{at(drawn, 'xlink:href').removeprefix('./')}/content.xml"))
    return sheet


def _fill(sheet: Sheet, row: int, node: Part, columns: Sequence[str], styles: Styles) -> None:
    column = 0
    for cell in node:
        if cell.tag not in {q("table:table-cell"), q("table:covered-table-cell")}:
            continue
        times = count(cell, "table:number-columns-repeated")
        for number in range(column, min(column + times, 200)):
            inherited = columns[number] if number < len(columns) else ""
            read = _cell(cell, at(cell, "table:style-name") or inherited or "Default", styles)
            if read.value is not None or read.formula:
                sheet.cells[address(row, number)] = read
        column += times


def _cell(node: Part, style: str, styles: Styles) -> Cell:
    kind = at(node, "office:value-type")
    shown = "\n".join(plain(text) for text in node.findall("text:p", NAMES))
    return Cell(
        _value(node, kind, shown),
        at(node, "table:formula").removeprefix("of:"),
        shown,
        styles.value("table-cell", style, "fo:font-weight") == "bold",
        styles.value("table-cell", style, "fo:background-color").replace("transparent", ""),
    )


def _value(node: Part, kind: str, shown: str) -> Value:
    if kind in {"float", "percentage", "currency"}:
        return figure(at(node, "office:value"))
    if kind == "date":
        return day(at(node, "office:date-value"))
    if kind == "boolean":
        return at(node, "office:boolean-value") == "true"
    return (at(node, f"office:{kind}-value") or shown) if kind else None


def _charts(root: Part) -> Iterator[Chart]:
    for chart in root.iter(q("chart:chart")):
        title = chart.find("chart:title", NAMES)
        categories = chart.find(".//chart:categories", NAMES)
        yield Chart(
            at(chart, "chart:class").removeprefix("chart:"),
            any(at(look, "chart:vertical") == "true" for look in root.iter(q("style:chart-properties"))),
            "" if title is None else plain(title),
            "" if categories is None else bare(at(categories, "table:cell-range-address")),
            tuple(
                (bare(at(one, "chart:values-cell-range-address")), bare(at(one, "chart:label-cell-address")))
                for one in chart.iter(q("chart:series"))
            ),
        )


def _of_excel(package: Package) -> Sheets:
    strings = [
        "".join(text.text or "" for text in item.iter(q("s:t")))
        for item in package.find("xl/sharedStrings.xml").findall("s:si", NAMES)
    ]
    names = [sheet.get("name", "") for sheet in package.xml("xl/workbook.xml").iter(q("s:sheet"))]
    found = Sheets()
    for number, name in enumerate(names, 1):
        found[name] = sheet = Sheet(name)
        for cell in package.xml(f"xl/worksheets/sheet{number}.xml").iter(q("s:c")):
            value = cell.findtext("s:v", None, NAMES)
            inline = "".join(text.text or "" for text in cell.iter(q("s:t")))
            kind = cell.get("t", "n")
            if value is not None or inline:
                read = (
                    strings[int(figure(value or "0"))]
                    if kind == "s"
                    else inline
                    if kind == "inlineStr"
                    else value or ""
                )
                formula = cell.findtext("s:f", "", NAMES)
                sheet.cells[cell.get("r", "")] = Cell(figure(read) if kind == "n" else read, formula)
    return found


def require_unchanged(before: Sheet, after: Sheet, *changed: str) -> None:
    """All cells but those named are as they were: values, formulas, number formats, bold, background."""
    for where in sorted({*before.cells, *after.cells} - set(changed), key=place):
        require_equal(after[where], before[where], f"{after.name}.{where}")
