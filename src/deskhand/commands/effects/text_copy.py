"""Texts and tables of a saved copy of a document, read from its file (OpenDocument)."""

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskhand.core.errors import ActionRefused

_PARTS: Final = ("content.xml", "styles.xml")
_TEXTS: Final = frozenset({"p", "h"})
_BREAKS: Final = {"tab": "\t", "line-break": "\n"}
_ASIDE: Final = frozenset({"note", "frame", "annotation", "custom-shape", "table", "tracked-changes"})
"""Elements with paragraphs of their own inside a paragraph."""


class Kind(StrEnum):
    """The kind of a paragraph: one that can be replaced, or the reason why it is not."""

    TEXT = "text"
    COMMENT = "comment"
    FORMULA = "cell with a formula"
    NUMBER = "cell with a number"


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table: its name, the texts of its cells, and the text of the paragraph before it."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    after: str


@dataclass(frozen=True, slots=True)
class TextCopy:
    """Paragraphs with their numbers, by kind and text, in all parts of a document; the tables of its body in order."""

    paragraphs: Counter[tuple[Kind, str]]
    tables: tuple[CopiedTable, ...]

    def of(self, *kinds: Kind) -> Counter[str]:
        found = Counter[str]()
        for (kind, text), count in self.paragraphs.items():
            if kind in kinds:
                found[text] += count
        return found


def read_texts(file: Path) -> TextCopy:
    """Raises: ActionRefused if it cannot be read."""
    try:
        with zipfile.ZipFile(file) as archive:
            roots = [ElementTree.fromstring(archive.read(part)) for part in _PARTS]  # noqa: S314 - just written here
    except (zipfile.BadZipFile, KeyError, OSError, ElementTree.ParseError) as error:
        raise ActionRefused(f"the copy of the document cannot be read: {error}", fix="save it, and open it") from error
    found = Counter[tuple[Kind, str]]()
    for root in roots:
        for kind, text, count in _paragraphs(root, Kind.TEXT, 1):
            found[kind, text] += count
    return TextCopy(found, tuple(_tables(roots[0])))


def _paragraphs(node: ElementTree.Element, kind: Kind, count: int) -> Iterator[tuple[Kind, str, int]]:
    word = _word(node)
    if word == "tracked-changes":
        return
    if word == "annotation":
        kind = Kind.COMMENT
    elif word in {"table-cell", "covered-table-cell"}:
        kind, count = _kind_of_cell(node, kind), count * _repeated(node, "columns")
    elif word == "table-row":
        count *= _repeated(node, "rows")
    if word in _TEXTS:
        yield kind, _text(node), count
    for child in node:
        yield from _paragraphs(child, kind, count)


def _kind_of_cell(node: ElementTree.Element, kind: Kind) -> Kind:
    if _attribute(node, "formula"):
        return Kind.FORMULA
    return kind if _attribute(node, "value-type") in {"", "string"} else Kind.NUMBER


def _text(node: ElementTree.Element) -> str:
    """The text of a paragraph without those of notes, frames and comments in it."""
    parts = [node.text or ""]
    for child in node:
        word = _word(child)
        if word == "s":
            parts.append(" " * int(_attribute(child, "c") or 1))
        elif word in _BREAKS:
            parts.append(_BREAKS[word])
        elif word not in _ASIDE:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _tables(root: ElementTree.Element) -> Iterator[CopiedTable]:
    for parent in root.iter():
        before = ""
        for child in parent:
            word = _word(child)
            if word in _TEXTS:
                before = _text(child)
            elif word == "table":
                yield CopiedTable(_attribute(child, "name"), tuple(_rows(child)), before)


def _rows(table: ElementTree.Element) -> Iterator[tuple[str, ...]]:
    for row in (node for node in table.iter() if _word(node) == "table-row"):
        cells = (cell for cell in row if _word(cell) == "table-cell")
        yield tuple("\n".join(_text(part) for part in cell if _word(part) in _TEXTS) for cell in cells)


def replaced(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Replace all texts at once, where two begin at one place the longer."""
    ordered, parts, at = sorted(pairs, key=lambda pair: -len(pair[0])), list[str](), 0
    while at < len(text):
        found = next(((old, new) for old, new in ordered if text.startswith(old, at)), None)
        parts.append(found[1] if found else text[at])
        at += len(found[0]) if found else 1
    return "".join(parts)


def counts_in(texts: Counter[str], pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Number of replacements of each."""
    marks = [(old, chr(0xF0000 + number)) for number, (old, _) in enumerate(pairs)]
    counts = [0] * len(pairs)
    for text, count in texts.items():
        marked = replaced(text, marks)
        counts = [total + count * marked.count(mark) for total, (_, mark) in zip(counts, marks, strict=True)]
    return counts


def _word(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]


def _attribute(node: ElementTree.Element, word: str) -> str:
    return next((value for key, value in node.attrib.items() if key.rpartition("}")[2] == word), "")


def _repeated(node: ElementTree.Element, what: str) -> int:
    return int(_attribute(node, f"number-{what}-repeated") or 1)
