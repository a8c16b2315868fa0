"""Tables from the clipboard: the grid from the HTML form, the exact texts from the plain form.

The plain form has the paragraphs of one cell after the other, with an empty cell for each place that a merged one
covers from above. 7.4 begins a line with each cell; 25.2 with each row only, with tabs between the cells of a row;
after a table inside of a cell it mixes the two. The HTML form has rewrapped texts, but exposes the number of lines of
each cell, the number of tabs in each of them, and merged cells.
"""

# upstream: not reported
# seen in: 7.4.7, 25.2

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import islice
from typing import Final, TypeAlias

_BLOCKS: Final = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS: Final = frozenset({"td", "th"})
_ENDS: Final = _BLOCKS | _CELLS | {"li"}
_DIGITS: Final = 4
_PLACES: Final = 1_000_000
"""More than a table of Writer has."""

_WRAPPED: Final = re.compile(r"\n\t*")
"""A line's end and the next one's indentation, which the texts of the HTML form do not have."""

Texts: TypeAlias = dict[tuple[int, int], str]
"""Texts of cells by row and column, from 0; that of a merged cell is at its first place."""


@dataclass(slots=True)
class _Cell:
    columns: int
    rows: int
    lines: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Box:
    """A place with a text in the plain form: a cell, or a place that one covers from above.

    `lines` are those of the HTML form: with the tabs, but perhaps not the blanks of the text.
    """

    column: int
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Form:
    """Separators of the lines of the plain form, as patterns.

    `tabs`: cells may end with tabs, so that those of the texts must be counted.
    """

    in_cell: str
    after_cell: str
    after_row: str
    at_end: str = ""
    tabs: bool = True

    def line(self, html: str) -> str:
        return "(" + r"\t".join([r"[^\n\t]*"] * (html.count("\t") + 1)) + ")" if self.tabs else r"([^\n]*)"


_LINES: Final = _Form("\n", "\n", "\n", tabs=False)
_TABS: Final = _Form("\n", "\t", "\n")
_CONFUSED: Final = _Form(r"[\n\t]", r"[\n\t]", r"[\n\t]", r"[\n\t]*")


class _Parser(HTMLParser):
    """Tables inside of cells count as lines of the outer cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Cell]] = []
        self.nested = False
        self._depth = 0
        self._cell: _Cell | None = None
        self._lines: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            self.nested = self.nested or self._depth > 1
        elif tag == "tr" and self._depth == 1:
            self.rows.append([])
        elif tag in _CELLS and self._depth == 1 and self.rows:
            found = dict(attrs)
            self._cell = _Cell(_span(found.get("colspan")), _span(found.get("rowspan")))
            self.rows[-1].append(self._cell)
        elif tag in _BLOCKS and self._depth:
            self._end_block()
            self._lines = [""]
        elif tag == "br" and self._lines is not None:
            self._lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in _ENDS:
            self._end_block()
        if tag in _CELLS and self._depth == 1:
            self._cell = None
        if tag == "table":
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._lines is not None:
            self._lines[-1] += data

    def _end_block(self) -> None:
        if self._lines is not None and self._cell is not None:
            lines = [_WRAPPED.sub("", line) for line in self._lines]
            if len(lines) > 1 and not any(lines):
                lines.pop()  # an empty paragraph is written as a single break
            self._cell.lines += lines
        self._lines = None


def _span(told: str | None) -> int:
    """Of how many columns or rows a cell is, 0 where that is no number that LibreOffice would write."""
    if told is None:
        return 1
    return int(told) if told.isascii() and told.isdigit() and len(told) <= _DIGITS else 0


def rows_of(html: str, plain: str) -> tuple[tuple[str, ...], ...] | None:
    """The table, row-major; None where the two forms do not agree.

    A merged cell's text stands at its first position, "" at the others.
    """
    parser = _Parser()
    parser.feed(html)
    rows, width = _boxes(parser.rows)
    texts = _texts(rows, plain, _LINES) or _texts(rows, plain, _TABS)
    if texts is None and parser.nested:
        texts = _texts(rows, plain, _CONFUSED)
    if texts is None or not width:
        return None
    return tuple(tuple(texts.get((row, column), "") for column in range(width)) for row in range(len(rows)))


def _boxes(rows: Sequence[Sequence[_Cell]]) -> tuple[list[list[_Box]], int]:
    """Return the boxes of each row, and the number of columns; 0 if the cells do not form a rectangle."""
    sizes = [cell.columns * cell.rows for cells in rows for cell in cells]
    if not all(sizes) or sum(sizes) > _PLACES:
        return [], 0
    covered: dict[tuple[int, int], bool] = {}
    boxes = [_boxes_in_row(row, cells, covered) for row, cells in enumerate(rows)]
    height, width = (max((place[axis] for place in covered), default=-1) + 1 for axis in (0, 1))
    whole = height == len(rows) and len(covered) == height * width
    return boxes, width if whole else 0


def _boxes_in_row(row: int, cells: Sequence[_Cell], covered: dict[tuple[int, int], bool]) -> list[_Box]:
    """Return the boxes of a row, and add the places of its cells to `covered`: True below a cell's first column."""
    boxes: list[_Box] = []
    column = 0
    for cell in (*cells, None):
        while (row, column) in covered:
            if covered[row, column]:
                boxes.append(_Box(column, ("",)))
            column += 1
        if cell is None:
            break
        boxes.append(_Box(column, tuple(cell.lines)))
        for below in range(cell.rows):
            for beside in range(cell.columns):
                covered[row + below, column + beside] = below > 0 and beside == 0
        column += cell.columns
    return boxes


def _texts(rows: Sequence[Sequence[_Box]], plain: str, form: _Form) -> Texts | None:
    """The texts of a plain form; None where it has another form, or in a confused one other words than the HTML."""
    texts: Texts = {}
    at = 0
    for row, boxes in enumerate(rows):
        cells = (form.in_cell.join(form.line(line) for line in box.lines) for box in boxes)
        found = re.compile(form.after_cell.join(cells) + form.after_row).match(plain, at)
        if found is None:
            return None
        at = found.end()
        lines = iter(found.groups())
        for box in boxes:
            own = list(islice(lines, len(box.lines)))
            if form is _CONFUSED and [*map(_words, own)] != [*map(_words, box.lines)]:
                return None
            texts[row, box.column] = "\n".join(own)
    return texts if re.fullmatch(form.at_end, plain[at:]) else None


def _words(text: str) -> str:
    return "".join(text.split())
