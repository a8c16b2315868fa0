"""A sheet of a saved copy of a spreadsheet: values, formulas and formats, read from its file (OpenDocument)."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskhand.core.errors import ActionRefused

_NAMES: Final = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "number": "urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
}
_PREFIX: Final = re.compile(r"^(of|msoxl|oooc):")
_VENDOR: Final = re.compile(r"\b(COM\.MICROSOFT|ORG\.LIBREOFFICE|ORG\.OPENOFFICE|COM\.SUN\.STAR\.[\w.]+?)\.")
_OUTSIDE_TEXTS: Final = re.compile(r'"(?:[^"]|"")*"|[^"]+')
_GROUPS: Final = frozenset({"table-header-rows", "table-row-group", "table-rows"})
_STANDARD: Final = "General"
"""The number format that shows as many decimals as there are."""
_OF_TIME: Final = {"year": "Y", "month": "M", "day": "D", "hours": "H", "minutes": "M", "seconds": "S"}

NUMBERS: Final = frozenset({"float", "percentage", "currency", "date", "time", "boolean"})
"""Kinds of cells with a number, by its format."""

Place = tuple[int, int]


def _name(prefix: str, word: str) -> str:
    return f"{{{_NAMES[prefix]}}}{word}"


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
class CopiedCell:
    """A cell. `value`: a number, or the text of a text or a date; None: it is empty. `kind`: as stored."""

    value: float | str | None = None
    kind: str = ""
    formula: str = ""
    text: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class SheetCopy:
    """The cells of an area, by row and column from 0, and the formats of styles."""

    cells: Mapping[Place, CopiedCell]
    formats: Mapping[str, CellFormat] = field(default_factory=dict[str, CellFormat])

    def at(self, row: int, column: int) -> CopiedCell:
        return self.cells.get((row, column), CopiedCell())

    def format_at(self, row: int, column: int) -> CellFormat:
        return self.formats.get(self.at(row, column).style, CellFormat())

    def values(self, row: int, columns: range) -> tuple[float | str | None, ...]:
        return tuple(self.at(row, column).value for column in columns)


def read_sheet(file: Path, name: str, rows: range, columns: range) -> SheetCopy:
    """Read an area of one sheet. Raises: ActionRefused if it cannot be read."""
    try:
        with zipfile.ZipFile(file) as archive:
            content, styles = _parse(archive, "content.xml"), _parse(archive, "styles.xml")
    except (zipfile.BadZipFile, KeyError, OSError, ElementTree.ParseError) as error:
        raise ActionRefused(
            f"the copy of the document cannot be read: {error}", fix="save it, and look at it"
        ) from error
    table = next((each for each in content.iter(_name("table", "table")) if _get(each, "table", "name") == name), None)
    if table is None:
        raise ActionRefused(f"the copy of the document has no sheet {name!r}", fix="save it, and open it")
    return SheetCopy(dict(_cells(table, rows, columns)), _formats(content, styles))


def _parse(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    return ElementTree.fromstring(archive.read(part))  # noqa: S314 - this machine's office suite just wrote it


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


def _cells(table: ElementTree.Element, rows: range, columns: range) -> Iterator[tuple[Place, CopiedCell]]:
    defaults = list(_default_styles(table, columns.stop))
    row = 0
    for node in _row_nodes(table):
        count = _count(node, "rows")
        found = list(_cells_of_row(node, columns, defaults)) if row < rows.stop and row + count > rows.start else []
        for place in range(max(row, rows.start), min(row + count, rows.stop)):
            yield from (((place, column), cell) for column, cell in found)
        row += count
        if row >= rows.stop:
            return


def _row_nodes(node: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for child in node:
        word = child.tag.rpartition("}")[2]
        if word == "table-row":
            yield child
        elif word in _GROUPS:
            yield from _row_nodes(child)


def _default_styles(table: ElementTree.Element, end: int) -> Iterator[str]:
    column = 0
    for node in table.iter(_name("table", "table-column")):
        for _ in range(min(_count(node, "columns"), end - column)):
            yield _get(node, "table", "default-cell-style-name")
            column += 1


def _cells_of_row(row: ElementTree.Element, columns: range, defaults: list[str]) -> Iterator[tuple[int, CopiedCell]]:
    column, of_row = 0, _get(row, "table", "default-cell-style-name")
    for node in row:
        if node.tag.rpartition("}")[2] not in {"table-cell", "covered-table-cell"}:
            continue
        count = _count(node, "columns")
        for place in range(max(column, columns.start), min(column + count, columns.stop)):
            default = of_row or (defaults[place] if place < len(defaults) else "")
            yield place, _cell(node, _get(node, "table", "style-name") or default)
        column += count


def _cell(node: ElementTree.Element, style: str) -> CopiedCell:
    kind, formula = _get(node, "office", "value-type"), _get(node, "table", "formula")
    text = "\n".join("".join(paragraph.itertext()) for paragraph in node.findall("text:p", _NAMES))
    value: float | str | None
    if _get(node, "calcext", "value-type") == "error":
        kind, value = "error", text
    elif kind in {"float", "percentage", "currency"}:
        value = float(_get(node, "office", "value"))
    elif kind == "string":
        value = node.get(_name("office", "string-value"), text)
    else:
        values = [_get(node, "office", f"{word}-value") for word in ("date", "time", "boolean")]
        value = next(filter(None, values), None)
    return CopiedCell(value, kind, formula, text, style)


def _formats(*documents: ElementTree.Element) -> dict[str, CellFormat]:
    styles: dict[str, ElementTree.Element] = {}
    numbers: dict[str, str | None] = {}
    for document in documents:
        for node in document.iter():
            if node.tag == _name("style", "style") and _get(node, "style", "family") == "table-cell":
                styles.setdefault(_get(node, "style", "name"), node)
            elif node.tag.startswith(f"{{{_NAMES['number']}}}") and node.tag.endswith("-style"):
                numbers.setdefault(_get(node, "style", "name"), _code(node))
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
        if number := _get(node, "style", "data-style-name"):
            values.setdefault("data-style", number)
        name = _get(node, "style", "parent-style-name")
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
    if style.find("style:map", _NAMES) is not None:
        return None
    parts: list[str] = []
    for node in style:
        part = _part_of_code(node, _get(style, "number", "country"))
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
    if not _get(node, "number", "decimal-places"):
        return _STANDARD
    least, places = (
        int(_get(node, "number", "min-integer-digits") or 0),
        int(_get(node, "number", "decimal-places") or 0),
    )
    shown = int(_get(node, "number", "min-decimal-places") or places)
    digits = "0" * least
    whole = "#,##" + (digits or "#") if _get(node, "number", "grouping") == "true" else digits or "#"
    return whole + ("." + "0" * shown + "#" * (places - shown) if places else "")


def _time_code(node: ElementTree.Element, word: str) -> str:
    is_long = _get(node, "number", "style") == "long"
    letter = _OF_TIME[word]
    if word == "year":
        return letter * (4 if is_long else 2)
    if word == "month" and _get(node, "number", "textual") == "true":
        return letter * (4 if is_long else 3)
    return letter * (2 if is_long else 1)


def _count(node: ElementTree.Element, what: str) -> int:
    return int(_get(node, "table", f"number-{what}-repeated") or 1)


def _get(node: ElementTree.Element, prefix: str, word: str) -> str:
    return node.get(_name(prefix, word), "")
