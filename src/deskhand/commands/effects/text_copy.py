"""Texts and tables of a saved copy of a document, read from its file (OpenDocument)."""

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskhand.core.errors import ActionRefused

_PARTS: Final = ("content.xml", "styles.xml")
_TEXTS: Final = frozenset({"p", "h"})
_BODIES: Final = frozenset({"text", "section"})
_BREAKS: Final = {"tab": "\t", "line-break": "\n"}
_INSIDE: Final = frozenset({"span", "a", "text-input", "meta", "meta-field", "ruby", "ruby-base"})
"""Elements whose text is that of their paragraph."""
_BESIDE: Final = frozenset({"annotation", "ruby-text", "tracked-changes"})
"""Elements that are no part of the text around them."""
_OBJECT: Final = "\ufffc"
"""Stands for a field, a note, or a drawing in the line: no text to find reaches over it."""
_INDEXES: Final = frozenset(
    {
        "table-of-content",
        "illustration-index",
        "table-index",
        "object-index",
        "user-index",
        "alphabetical-index",
        "bibliography",
    }
)
_DRAWING: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SOFT_HYPHEN: Final = "\u00ad"
_FIRST_MARK: Final = 0xF0000
"""The first of the characters that stand for texts: private ones outside of the first plane."""
_VALUES: Final = ("value", "date-value", "time-value", "boolean-value")
_MOST_REPEATED: Final = 1024


class Kind(StrEnum):
    """The kind of a paragraph: one that has to be replaced, or the reason why it may stay."""

    TEXT = "text"
    COMMENT = "comments"
    INDEX = "indexes"
    ASIDE = "drawings, headers, footers, or protected or hidden parts"
    FORMULA = "cells with formulas"
    NUMBER = "cells with numbers"


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table: its name, the texts of its cells, and the text of the paragraph before it."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    after: str


@dataclass(frozen=True, slots=True)
class TextCopy:
    """Paragraphs with their numbers, by kind and text, in all parts of a document; all its tables, in order.

    `fixed`: formulas, and the numbers of cells without one, which no replacement of texts may change. `tracked`:
    changes are recorded, or recorded ones are in it.
    """

    paragraphs: Counter[tuple[Kind, str]]
    tables: tuple[CopiedTable, ...]
    fixed: Counter[str] = field(default_factory=Counter[str])
    tracked: bool = False

    def of(self, *kinds: Kind) -> Counter[str]:
        found = Counter[str]()
        for (kind, text), count in self.paragraphs.items():
            if kind in kinds:
                found[text] += count
        return found


def read_texts(file: Path) -> TextCopy:
    """Raises: ActionRefused if it cannot be read."""
    roots = _roots(file)
    found = Counter[tuple[Kind, str]]()
    for root, begin in zip(roots, (Kind.TEXT, Kind.ASIDE), strict=True):
        for kind, text, count in _paragraphs(root, begin, 1):
            found[kind, text] += count
    tracked = any(_word(node) == "tracked-changes" for node in roots[0].iter())
    tables = tuple(table for root in roots for table in _tables(root))
    return TextCopy(found, tables, Counter(_fixed(roots[0])), tracked)


def precedes_paragraph(file: Path, text: str) -> bool | None:
    """True if the paragraph with a text is followed by another one, not by a table or the end; None if it is not in the
    body itself, but in a table, list, frame or note.

    Raises: ActionRefused if it cannot be read.
    """
    for parent in (node for node in _roots(file)[0].iter() if _word(node) in _BODIES):
        for child, following in pairwise([*parent, None]):
            if child is not None and _word(child) in _TEXTS and text in _text(child):
                return following is not None and _word(following) in _TEXTS
    return None


def _roots(file: Path) -> list[ElementTree.Element]:
    try:
        with zipfile.ZipFile(file) as archive:
            return [ElementTree.fromstring(archive.read(part)) for part in _PARTS]  # noqa: S314 - just written here
    except (zipfile.BadZipFile, KeyError, OSError, ElementTree.ParseError) as error:
        raise ActionRefused(f"the copy of the document cannot be read: {error}", fix="save it, and open it") from error


def _paragraphs(node: ElementTree.Element, kind: Kind, count: int) -> Iterator[tuple[Kind, str, int]]:
    word = _word(node)
    if word == "tracked-changes":
        return
    if word in {"table-cell", "covered-table-cell"}:
        kind, count = _kind_of_cell(node, kind), count * _repeated(node, "columns")
    elif word == "table-row":
        count *= _repeated(node, "rows")
    else:
        kind = _kind_inside(node, word, kind)
    if word in _TEXTS:
        yield kind, _text(node), count
    for child in node:
        yield from _paragraphs(child, kind, count)


def _kind_inside(node: ElementTree.Element, word: str, kind: Kind) -> Kind:
    if word == "annotation":
        return Kind.COMMENT
    if word in _INDEXES:
        return Kind.INDEX
    is_closed = _attribute(node, "protected") == "true" or _attribute(node, "display") in {"none", "condition"}
    if kind is Kind.TEXT and (node.tag.startswith(_DRAWING) or (word == "section" and is_closed)):
        return Kind.ASIDE
    return kind


def _kind_of_cell(node: ElementTree.Element, kind: Kind) -> Kind:
    if _attribute(node, "value-type") not in {"", "string"}:
        return Kind.NUMBER
    if _attribute(node, "formula"):
        return Kind.FORMULA
    return Kind.ASIDE if kind is Kind.TEXT and _attribute(node, "protected") == "true" else kind


def _fixed(root: ElementTree.Element) -> Iterator[str]:
    for cell in (node for node in root.iter() if _word(node) == "table-cell"):
        values = (_attribute(cell, name) for name in ("formula", *_VALUES))
        if value := next(filter(None, values), ""):
            yield from [value] * min(_repeated(cell, "columns"), _MOST_REPEATED)


def _text(node: ElementTree.Element) -> str:
    """The text of a paragraph without those of notes, drawings and comments in it."""
    parts = [node.text or ""]
    for child in node:
        parts += [_inner_text(child, _word(child)), child.tail or ""]
    return "".join(parts)


def _inner_text(node: ElementTree.Element, word: str) -> str:
    if word == "s":
        return " " * int(_attribute(node, "c") or 1)
    if word in _BREAKS:
        return _BREAKS[word]
    if word in _INSIDE:
        return _text(node)
    if word in _BESIDE:
        return ""
    if node.tag.startswith(_DRAWING):
        return _OBJECT if _attribute(node, "anchor-type") == "as-char" else ""
    return _OBJECT if node.text or len(node) else ""


def _tables(root: ElementTree.Element) -> Iterator[CopiedTable]:
    for parent in root.iter():
        before = ""
        for child in parent:
            word = _word(child)
            if word in _TEXTS:
                before = _text(child)
            elif word == "table":
                yield CopiedTable(_attribute(child, "name"), tuple(_rows(child)), before)
                before = ""
            elif inside := [node for node in child.iter() if _word(node) in _TEXTS]:  # such as a list
                before = _text(inside[-1])


def _rows(table: ElementTree.Element) -> Iterator[tuple[str, ...]]:
    for row in (node for node in table.iter() if _word(node) == "table-row"):
        cells = (cell for cell in row if _word(cell) == "table-cell")
        yield tuple("\n".join(_text(part) for part in cell if _word(part) in _TEXTS) for cell in cells)


def replaced(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Replace all texts at once, the longest first. Soft hyphens in a text do not count, as in LibreOffice."""
    marks = [chr(_FIRST_MARK + number) for number in range(len(pairs))]
    for (old, _), mark in sorted(zip(pairs, marks, strict=True), key=lambda each: -len(each[0][0])):
        text = re.sub(f"{_SOFT_HYPHEN}*".join(map(re.escape, old)), mark, text)
    for (_, new), mark in zip(pairs, marks, strict=True):
        text = text.replace(mark, new)
    return text


def counts_in(texts: Counter[str], pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Number of replacements of each."""
    marks = [(old, chr(_FIRST_MARK + len(pairs) + number)) for number, (old, _) in enumerate(pairs)]
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
