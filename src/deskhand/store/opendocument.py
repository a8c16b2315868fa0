"""Tables of OpenDocument files: rows and cells as they are stored, with their numbers of repetitions."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

NAMES: Final = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "number": "urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0",
    "chart": "urn:oasis:names:tc:opendocument:xmlns:chart:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
}


def qualified(prefix: str, word: str) -> str:
    """Return the name of an element or attribute as the parser has it."""
    return f"{{{NAMES[prefix]}}}{word}"


_GROUPS: Final = frozenset(qualified("table", word) for word in ("table-header-rows", "table-row-group", "table-rows"))
_CELLS: Final = frozenset(qualified("table", word) for word in ("table-cell", "covered-table-cell"))
_BREAKS: Final = {qualified("text", "tab"): "\t", qualified("text", "line-break"): "\n"}
_FLOATS: Final = frozenset({"float", "percentage", "currency"})


@dataclass(frozen=True, slots=True)
class StoredCell:
    """A cell. `value`: a number, or the text of a text or a date; None: it is empty. `kind`: as stored, or `error`.

    `text`: as it is shown. `style`: its own, empty for that of its row or column.
    """

    value: float | str | None = None
    kind: str = ""
    formula: str = ""
    text: str = ""
    style: str = ""


def parsed(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    """Raises: KeyError (there is no such part), ElementTree.ParseError."""
    return ElementTree.fromstring(archive.read(part))  # noqa: S314 - this machine's office suite wrote it


def attribute(node: ElementTree.Element, prefix: str, word: str) -> str:
    """Return an attribute; empty without one."""
    return node.get(qualified(prefix, word), "")


def repeated(node: ElementTree.Element, what: str) -> int:
    """Return the number of `rows` or `columns` that an element stands for."""
    return int(attribute(node, "table", f"number-{what}-repeated") or 1)


def rows_of(table: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, int]]:
    """The rows of a table in order, those in groups and in its header too, each with its number of repetitions."""
    for child in table:
        if child.tag == qualified("table", "table-row"):
            yield child, repeated(child, "rows")
        elif child.tag in _GROUPS:
            yield from rows_of(child)


def cells_of(row: ElementTree.Element) -> Iterator[tuple[StoredCell, int]]:
    """The cells of a row in order, those that a merged one covers too, each with its number of repetitions."""
    for node, count in cell_nodes_of(row):
        yield _cell(node), count


def cell_nodes_of(row: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, int]]:
    """The same as elements."""
    for node in row:
        if node.tag in _CELLS:
            yield node, repeated(node, "columns")


def _cell(node: ElementTree.Element) -> StoredCell:
    kind, formula = attribute(node, "office", "value-type"), attribute(node, "table", "formula")
    text = "\n".join(map(text_of, node.findall("text:p", NAMES)))
    value: float | str | None
    if attribute(node, "calcext", "value-type") == "error":
        kind, value = "error", text
    elif kind in _FLOATS:
        stored = attribute(node, "office", "value")
        value = float(stored) if stored else None
    elif kind == "string":
        value = node.get(qualified("office", "string-value"), text)
    else:
        values = (attribute(node, "office", f"{word}-value") for word in ("date", "time", "boolean"))
        value = next(filter(None, values), None)
    return StoredCell(value, kind, formula, text, attribute(node, "table", "style-name"))


def text_of(paragraph: ElementTree.Element) -> str:
    """The text of a paragraph; several blanks are an element with their number."""
    parts = [paragraph.text or ""]
    for child in paragraph:
        if child.tag == qualified("text", "s"):
            parts.append(" " * int(attribute(child, "text", "c") or 1))
        else:
            parts.append(_BREAKS.get(child.tag) or text_of(child))
        parts.append(child.tail or "")
    return "".join(parts)
