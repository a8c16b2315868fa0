"""A sheet of a saved copy of a spreadsheet: values, formulas and formats, read from its file (OpenDocument)."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskhand.core.cell_names import column_name, column_number
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonValue
from deskhand.store.opendocument import (
    NAMES,
    StoredCell,
    attribute,
    cell_nodes_of,
    cells_of,
    parsed,
    qualified,
    repeated,
    rows_of,
)

_CONFIG: Final = "{urn:oasis:names:tc:opendocument:xmlns:config:1.0}"
_REFERENCE: Final = re.compile(
    r"\[(?:\$?('(?:[^']|'')*'|[^\[\].']*))?\.\$?([A-Z]{1,3})\$?(\d+)(?::[^\[\].]*\.\$?([A-Z]{1,3})\$?(\d+))?\]"
)
_MOST_NAMED: Final = 200
"""Characters of a list of addresses."""
_PREFIX: Final = re.compile(r"^(of|msoxl|oooc):")
_VENDOR: Final = re.compile(r"\b(COM\.MICROSOFT|ORG\.LIBREOFFICE|ORG\.OPENOFFICE|COM\.SUN\.STAR\.[\w.]+?)\.")
_OUTSIDE_TEXTS: Final = re.compile(r'"(?:[^"]|"")*"|[^"]+')
_STANDARD: Final = "General"
"""The number format that shows as many decimals as there are."""
_OF_TIME: Final = {"year": "Y", "month": "M", "day": "D", "hours": "H", "minutes": "M", "seconds": "S"}

NUMBERS: Final = frozenset({"float", "percentage", "currency", "date", "time", "boolean"})
"""Kinds of cells with a number, by its format."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CellFormat:
    """`number`: the code of its number format; None if it is one that is not read, empty for the standard one."""

    bold: bool = False
    italic: bool = False
    align: str = ""
    background: str = ""
    color: str = ""
    number: str | None = ""


@dataclass(frozen=True, slots=True)
class SheetCopy:
    """The cells of an area, by row and column from 0, and the formats of styles."""

    cells: Mapping[Place, StoredCell]
    formats: Mapping[str, CellFormat] = field(default_factory=dict[str, CellFormat])

    def at(self, row: int, column: int) -> StoredCell:
        return self.cells.get((row, column), StoredCell())

    def format_at(self, row: int, column: int) -> CellFormat:
        return self.formats.get(self.at(row, column).style, CellFormat())

    def values(self, row: int, columns: range) -> tuple[float | str | None, ...]:
        return tuple(self.at(row, column).value for column in columns)


def read_sheet(file: Path, name: str, rows: range, columns: range) -> SheetCopy:
    """Read an area of one sheet. Raises: ActionRefused if it cannot be read."""
    content, styles = _parts(file, "content.xml", "styles.xml")
    return SheetCopy(dict(_cells(_table(content, name), rows, columns)), _formats(content, styles))


def read_facts(file: Path, rows: range, columns: range) -> dict[str, JsonValue]:
    """Facts about an area of the sheet in front: they may prevent changes, or follow them.

    Of formulas only those count that name a cell of it themselves. Raises: ActionRefused if it cannot be read.
    """
    (content,), name = _parts(file, "content.xml"), active_sheet(file)
    table = _table(content, name)
    return {
        "sheet": name,
        "protected": attribute(table, "table", "protected") == "true",
        "merged": any(_is_merged(node) for node in _nodes_in(table, rows, columns)),
        "hidden": _has_hidden(table, rows, columns),
        "dependents": _dependents(content, name, rows, columns),
    }


def active_sheet(file: Path) -> str:
    """The name of the sheet in front. Raises: ActionRefused if it cannot be read."""
    (settings,) = _parts(file, "settings.xml")
    items = settings.iter(f"{_CONFIG}config-item")
    return next((item.text or "" for item in items if item.get(f"{_CONFIG}name") == "ActiveTable"), "")


def _parts(file: Path, *names: str) -> tuple[ElementTree.Element, ...]:
    try:
        with zipfile.ZipFile(file) as archive:
            return tuple(parsed(archive, name) for name in names)
    except (zipfile.BadZipFile, KeyError, OSError, ElementTree.ParseError) as error:
        raise ActionRefused(
            f"the copy of the document cannot be read: {error}", fix="save it, and look at it"
        ) from error


def _table(content: ElementTree.Element, name: str) -> ElementTree.Element:
    found = (each for each in content.iter(qualified("table", "table")) if attribute(each, "table", "name") == name)
    table = next(found, None)
    if table is None:
        raise ActionRefused(f"the copy of the document has no sheet {name!r}", fix="save it, and open it")
    return table


def _nodes_in(table: ElementTree.Element, rows: range, columns: range) -> Iterator[ElementTree.Element]:
    """The nodes of the cells of an area, those that are covered included."""
    for _, node in _placed(rows_of(table), rows):
        yield from (cell for _, cell in _placed(cell_nodes_of(node), columns))


def _placed(
    nodes: Iterable[tuple[ElementTree.Element, int]], places: range
) -> Iterator[tuple[int, ElementTree.Element]]:
    """Nodes with the first of the places that they are at, of those at any; `nodes` with their repetitions."""
    place = 0
    for node, count in nodes:
        end = place + count
        if place < places.stop and end > places.start:
            yield max(place, places.start), node
        place = end


def _is_merged(cell: ElementTree.Element) -> bool:
    spans = (attribute(cell, "table", f"number-{what}-spanned") for what in ("rows", "columns"))
    return cell.tag == qualified("table", "covered-table-cell") or any(span not in {"", "1"} for span in spans)


def _has_hidden(table: ElementTree.Element, rows: range, columns: range) -> bool:
    described = ((node, repeated(node, "columns")) for node in table.iter(qualified("table", "table-column")))
    lines = [node for _, node in (*_placed(rows_of(table), rows), *_placed(described, columns))]
    return any(attribute(node, "table", "visibility") in {"collapse", "filter"} for node in lines)


def _dependents(content: ElementTree.Element, name: str, rows: range, columns: range) -> str:
    """The cells outside of an area whose formulas refer to it, with their sheets, shortened."""
    found: list[str] = []
    for table in content.iter(qualified("table", "table")):
        sheet = attribute(table, "table", "name")
        for row, node in _placed(rows_of(table), range(1 << 20)):
            for column, cell in _placed(cell_nodes_of(node), range(1 << 14)):
                inside = sheet == name and row in rows and column in columns
                formula = "" if inside else attribute(cell, "table", "formula")
                if formula and _refers(formula, sheet, name, rows, columns):
                    found.append(f"{sheet}.{column_name(column)}{row + 1}")
    names = ";".join(found)
    return names if len(names) <= _MOST_NAMED else names[:_MOST_NAMED] + "…"


def _refers(formula: str, own: str, name: str, rows: range, columns: range) -> bool:
    for sheet, left, top, right, bottom in _REFERENCE.findall(formula):
        if (sheet.strip("$'").replace("''", "'") or own) != name:
            continue
        across = range(column_number(left), column_number(right or left) + 1)
        down = range(int(top) - 1, int(bottom or top))
        if _overlap(across, columns) and _overlap(down, rows):
            return True
    return False


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def normal_formula(text: str) -> str:
    """A formula in a form that is the same as typed and as stored: without spaces, with `;` between arguments."""
    text = _PREFIX.sub("", text)
    parts = [part if part.startswith('"') else _normal(part) for part in _OUTSIDE_TEXTS.findall(text)]
    return "".join(parts)


def _normal(part: str) -> str:
    part = _VENDOR.sub("", part.upper()).replace("[.", "").replace(":.", ":").replace("]", "").replace("[", "")
    return re.sub(r"\s+", "", part).replace(",", ";").replace("~", ";")


def normal_number_format(code: str) -> str:
    """A number format's code in a form that can be compared."""
    return re.sub(r"\[\$([^-\]]*)(-[^\]]*)?\]", r"\1", code).replace('"', "").replace("\\", "").upper()


def _cells(table: ElementTree.Element, rows: range, columns: range) -> Iterator[tuple[Place, StoredCell]]:
    defaults = list(_default_styles(table, columns.stop))
    row = 0
    for node, count in rows_of(table):
        found = list(_cells_of_row(node, columns, defaults)) if row < rows.stop and row + count > rows.start else []
        for place in range(max(row, rows.start), min(row + count, rows.stop)):
            yield from (((place, column), cell) for column, cell in found)
        row += count
        if row >= rows.stop:
            return


def _default_styles(table: ElementTree.Element, end: int) -> Iterator[str]:
    column = 0
    for node in table.iter(qualified("table", "table-column")):
        for _ in range(min(repeated(node, "columns"), end - column)):
            yield attribute(node, "table", "default-cell-style-name")
            column += 1


def _cells_of_row(row: ElementTree.Element, columns: range, defaults: list[str]) -> Iterator[tuple[int, StoredCell]]:
    column, of_row = 0, attribute(row, "table", "default-cell-style-name")
    for cell, count in cells_of(row):
        for place in range(max(column, columns.start), min(column + count, columns.stop)):
            default = of_row or (defaults[place] if place < len(defaults) else "")
            yield place, replace(cell, style=cell.style or default)
        column += count


def _formats(*documents: ElementTree.Element) -> dict[str, CellFormat]:
    styles: dict[str, ElementTree.Element] = {}
    numbers: dict[str, str | None] = {}
    for document in documents:
        for node in document.iter():
            if node.tag == qualified("style", "style") and attribute(node, "style", "family") == "table-cell":
                styles.setdefault(attribute(node, "style", "name"), node)
            elif node.tag.startswith(f"{{{NAMES['number']}}}") and node.tag.endswith("-style"):
                numbers.setdefault(attribute(node, "style", "name"), _code(node))
    return {name: _format(name, styles, numbers) for name in styles}


def _format(name: str, styles: Mapping[str, ElementTree.Element], numbers: Mapping[str, str | None]) -> CellFormat:
    """The format of a style, with the properties of those that it is derived from."""
    values: dict[str, str] = {}
    seen: set[str] = set()
    while name in styles and name not in seen:
        seen.add(name)
        node = styles[name]
        for part in node:
            for key, value in part.attrib.items():
                values.setdefault(key.rpartition("}")[2], value)
        if number := attribute(node, "style", "data-style-name"):
            values.setdefault("data-style", number)
        name = attribute(node, "style", "parent-style-name")
    return CellFormat(
        bold=values.get("font-weight") == "bold",
        italic=values.get("font-style") == "italic",
        align={"start": "left", "end": "right"}.get(values.get("text-align", ""), values.get("text-align", "")),
        background=values.get("background-color", ""),
        color=values.get("color", ""),
        number=numbers.get(values.get("data-style", ""), ""),
    )


def _code(style: ElementTree.Element) -> str | None:
    """The code of a number format; None if it has parts that are not read here."""
    if style.find("style:map", NAMES) is not None:
        return None
    parts: list[str] = []
    for node in style:
        part = _part_of_code(node, attribute(style, "number", "country"))
        if part is None:
            return None
        parts.append(part)
    code = "".join(parts)
    return "" if code == _STANDARD else code


def _part_of_code(node: ElementTree.Element, country: str) -> str | None:
    word = node.tag.rpartition("}")[2]
    if word in _OF_TIME:
        return _time_code(node, word)
    match word:
        case "text" | "text-properties":
            return node.text or ""
        case "currency-symbol":
            return node.text or ("$" if country == "US" else None)
        case "number":
            return _number_code(node)
        case "text-content":
            return "@"
        case _:
            return None


def _number_code(node: ElementTree.Element) -> str:
    if not attribute(node, "number", "decimal-places"):
        return _STANDARD
    least, places = (
        int(attribute(node, "number", "min-integer-digits") or 0),
        int(attribute(node, "number", "decimal-places") or 0),
    )
    shown = int(attribute(node, "number", "min-decimal-places") or places)
    digits = "0" * least
    whole = "#,##" + (digits or "#") if attribute(node, "number", "grouping") == "true" else digits or "#"
    return whole + ("." + "0" * shown + "#" * (places - shown) if places else "")


def _time_code(node: ElementTree.Element, word: str) -> str:
    is_long = attribute(node, "number", "style") == "long"
    letter = _OF_TIME[word]
    if word == "year":
        return letter * (4 if is_long else 2)
    if word == "month" and attribute(node, "number", "textual") == "true":
        return letter * (4 if is_long else 3)
    return letter * (2 if is_long else 1)
