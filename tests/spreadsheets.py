"""Spreadsheets for tests, written with nothing but the standard library."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from drawings import Shape, drawn

Place = tuple[int, int]
"""Row and column, from 0."""

_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns"
_NAMESPACES: Final = "".join(
    f' xmlns:{short}="{_OASIS}:{short}:1.0"' for short in ("office", "table", "text", "style", "config")
)
_SHAPES: Final = (
    f'<table:shapes xmlns:draw="{_OASIS}:drawing:1.0" xmlns:svg="{_OASIS}:svg-compatible:1.0">{{drawn}}</table:shapes>'
)
_HEAD: Final = f'<?xml version="1.0" encoding="UTF-8"?><office:{{root}}{_NAMESPACES}'
_HEAD_END: Final = (
    ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:ooo="http://openoffice.org/2004/office"'
    ' office:version="1.2">'
)
_FROM_RIGHT: Final = (
    '<style:style style:name="from-right" style:family="table">'
    '<style:table-properties style:writing-mode="rl-tb"/></style:style>'
)
_HIDDEN: Final = (
    '<style:style style:name="hidden" style:family="table">'
    '<style:table-properties table:display="false"/></style:style>'
)
_STYLED: Final = ' table:style-name="from-right"'
_MANIFEST: Final = (
    f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{_OASIS}:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    '<manifest:file-entry manifest:full-path="settings.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)


@dataclass(frozen=True)
class Sheet:
    """`filled` rows by columns of cells whose text is their place (`text`), but for what is said otherwise.

    `merged` has the rows and columns that a cell stands for, by its place; what it covers has no text. `hidden` rows
    are hidden by hand, `filtered` ones by a filter. `frozen` rows and columns stay where they are; `zoom` is in per
    cent. With `text_under` what is covered has a text that is not seen. `from_right`: columns run from right to left.
    `shape` is the name of one that is drawn on it, `shapes` are others. Into a cell with `choices` goes only what is
    one of them. `hidden_sheets` follow two that are shown.
    """

    filled: Place = (300, 40)
    blank: frozenset[Place] = frozenset()
    merged: Mapping[Place, Place] = field(default_factory=dict[Place, Place])
    hidden: frozenset[int] = frozenset()
    filtered: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    frozen: Place | None = None
    zoom: int = 100
    text_under: bool = False
    from_right: bool = False
    shape: str = ""
    shapes: Sequence[Shape] = ()
    choices: Mapping[Place, Sequence[str]] = field(default_factory=dict[Place, Sequence[str]])
    hidden_sheets: int = 0

    def covered(self) -> frozenset[Place]:
        return frozenset(
            (row + down, column + across)
            for (row, column), (rows, columns) in self.merged.items()
            for down in range(rows)
            for across in range(columns)
            if (down, across) != (0, 0)
        )

    def end_of(self, place: Place) -> Place:
        """The last place that a cell stands for, its own where it is not merged."""
        rows, columns = self.merged.get(place, (1, 1))
        return place[0] + rows - 1, place[1] + columns - 1

    def text(self, row: int, column: int) -> str:
        """What the cell says; empty outside of what is filled."""
        inside = row < self.filled[0] and column < self.filled[1]
        empty = (row, column) in self.blank or (row, column) in self.covered()
        return "" if empty or not inside else f"r{row}c{column}"


def address(row: int, column: int) -> str:
    """`AA10` for row 9 and column 26."""
    letters = ""
    while column >= 0:
        letters = chr(ord("A") + column % 26) + letters
        column = column // 26 - 1
    return f"{letters}{row + 1}"


def write_ods(path: Path, sheet: Sheet) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", _content(sheet))
        archive.writestr("settings.xml", _settings(sheet))
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
    return path


def _content(sheet: Sheet) -> str:
    rows, columns = sheet.filled
    widths = "".join(f"<table:table-column{_visibility(column in sheet.hidden_columns)}/>" for column in range(columns))
    shapes = [*([Shape(sheet.shape, (12, 6, 3, 2))] if sheet.shape else []), *sheet.shapes]
    on_it = _SHAPES.format(drawn="".join(map(drawn, shapes))) if shapes else ""
    body = "".join(_row(sheet, row) for row in range(rows))
    head = _HEAD.format(root="document-content") + _HEAD_END
    styles = f"<office:automatic-styles>{_FROM_RIGHT if sheet.from_right else ''}{_HIDDEN}</office:automatic-styles>"
    return (
        f"{head}{styles}<office:body><office:spreadsheet>"
        f"{_validations(sheet)}"
        f'<table:table table:name="Sheet1"{_STYLED if sheet.from_right else ""}>{on_it}{widths}{body}</table:table>'
        f"{''.join(_other(f'Sheet{2 + number}', hidden=number > 0) for number in range(1 + sheet.hidden_sheets))}"
        "</office:spreadsheet></office:body></office:document-content>"
    )


def _other(name: str, *, hidden: bool) -> str:
    """An empty sheet."""
    styled = ' table:style-name="hidden"' if hidden else ""
    cell = "<table:table-row><table:table-cell/></table:table-row>"
    return f'<table:table table:name="{name}"{styled}>{cell}</table:table>'


def _validations(sheet: Sheet) -> str:
    rules = "".join(
        f'<table:content-validation table:name="{address(*place)}" table:base-cell-address="Sheet1.{address(*place)}"'
        f' table:condition="of:cell-content-is-in-list({";".join(f"&quot;{text}&quot;" for text in texts)})">'
        '<table:error-message table:display="true" table:message-type="stop"/></table:content-validation>'
        for place, texts in sheet.choices.items()
    )
    return f"<table:content-validations>{rules}</table:content-validations>" if rules else ""


def _visibility(hidden: bool, word: str = "collapse") -> str:
    return f' table:visibility="{word}"' if hidden else ""


def _row(sheet: Sheet, row: int) -> str:
    hidden = _visibility(row in sheet.hidden) or _visibility(row in sheet.filtered, "filter")
    return f"<table:table-row{hidden}>{''.join(_cells(sheet, row))}</table:table-row>"


def _cells(sheet: Sheet, row: int) -> Iterable[str]:
    covered = sheet.covered()
    for column in range(sheet.filled[1]):
        place = (row, column)
        rows, columns = sheet.merged.get(place, (1, 1))
        spans = f' table:number-rows-spanned="{rows}" table:number-columns-spanned="{columns}"'
        text = sheet.text(row, column)
        spans += f' table:content-validation-name="{address(*place)}"' if place in sheet.choices else ""
        if place in covered:
            under = "<text:p>under</text:p>" if sheet.text_under else ""
            kind = ' office:value-type="string"' if sheet.text_under else ""
            yield f"<table:covered-table-cell{kind}>{under}</table:covered-table-cell>"
        elif not text:
            yield f"<table:table-cell{spans}/>"
        else:
            kind = f'"float" office:value="{text}"' if text.isdigit() else '"string"'
            yield f"<table:table-cell office:value-type={kind}{spans}><text:p>{text}</text:p></table:table-cell>"


def _settings(sheet: Sheet) -> str:
    items = {"ZoomType": ("short", 0), "ZoomValue": ("int", sheet.zoom), "ActiveSplitRange": ("short", 2)}
    if sheet.frozen:
        rows, columns = sheet.frozen
        frozen = {
            "HorizontalSplitMode": ("short", 2),
            "VerticalSplitMode": ("short", 2),
            "HorizontalSplitPosition": ("int", columns),
            "VerticalSplitPosition": ("int", rows),
            "ActiveSplitRange": ("short", 3),
            "PositionRight": ("int", columns),
            "PositionBottom": ("int", rows),
        }
        items |= frozen
    head = _HEAD.format(root="document-settings") + _HEAD_END
    return (
        f'{head}<office:settings><config:config-item-set config:name="ooo:view-settings">'
        '<config:config-item-map-indexed config:name="Views"><config:config-item-map-entry>'
        '<config:config-item config:name="ViewId" config:type="string">view1</config:config-item>'
        '<config:config-item-map-named config:name="Tables"><config:config-item-map-entry config:name="Sheet1">'
        f"{_items(items)}</config:config-item-map-entry></config:config-item-map-named>"
        '<config:config-item config:name="ActiveTable" config:type="string">Sheet1</config:config-item>'
        f"{_items({'ZoomType': ('short', 0), 'ZoomValue': ('int', sheet.zoom)})}"
        "</config:config-item-map-entry></config:config-item-map-indexed></config:config-item-set>"
        "</office:settings></office:document-settings>"
    )


def _items(items: Mapping[str, tuple[str, int]]) -> str:
    return "".join(
        f'<config:config-item config:name="{name}" config:type="{kind}">{value}</config:config-item>'
        for name, (kind, value) in items.items()
    )


_OFFICE: Final = f"{{{_OASIS}:office:1.0}}"
_TABLE: Final = f"{{{_OASIS}:table:1.0}}"
_TEXT: Final = f"{{{_OASIS}:text:1.0}}"


@dataclass(frozen=True)
class Stored:
    """The content of a cell in a saved file: its type (`string`, `float`, `boolean`, …), value, shown text, formula."""

    kind: str
    value: str
    text: str
    formula: str


def read_ods(path: Path, sheet: str = "Sheet1") -> dict[str, Stored]:
    """The cells with content of a saved spreadsheet, by address."""
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("content.xml"))  # noqa: S314 - saved by a test
    table = next(each for each in root.iter(f"{_TABLE}table") if each.get(f"{_TABLE}name") == sheet)
    cells: dict[str, Stored] = {}
    row = 0
    for line in table.iter(f"{_TABLE}table-row"):
        column = 0
        for cell in line:
            wide = int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
            if kind := cell.get(f"{_OFFICE}value-type", ""):
                stored = _stored(cell, kind)
                cells |= {address(row, column + each): stored for each in range(wide)}
            column += wide
        row += int(line.get(f"{_TABLE}number-rows-repeated", "1"))
    return cells


def _stored(cell: ElementTree.Element, kind: str) -> Stored:
    values = (cell.get(f"{_OFFICE}{name}") for name in ("value", "date-value", "time-value", "boolean-value"))
    text = "\n".join(_text_of(paragraph) for paragraph in cell.findall(f"{_TEXT}p"))
    return Stored(kind, next(filter(None, values), text), text, cell.get(f"{_TABLE}formula", ""))


def _text_of(element: ElementTree.Element) -> str:
    """The text of a paragraph; several blanks are an element with their number."""
    own = " " * int(element.get(f"{_TEXT}c", "1")) if element.tag == f"{_TEXT}s" else element.text or ""
    return own + "".join(_text_of(child) + (child.tail or "") for child in element)
