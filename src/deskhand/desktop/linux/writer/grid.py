"""A table from the clipboard: the grid from its HTML form, the exact texts from its plain form.

The plain form has one line for each paragraph, cell after cell, and an empty line for each place that a merged cell
covers from above. The HTML form has rewrapped texts, but says how many lines each cell has, and which cells are merged.
"""

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Final

_BLOCKS: Final = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS: Final = frozenset({"td", "th"})
_ENDS: Final = _BLOCKS | _CELLS | {"li"}


@dataclass(slots=True)
class _Cell:
    columns: int
    rows: int
    lines: int = 0


class _Parser(HTMLParser):
    """Tables inside of cells count as lines of the outer cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Cell]] = []
        self._depth = 0
        self._cell: _Cell | None = None
        self._in_block = False
        self._has_text = False
        self._breaks = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        elif tag == "tr" and self._depth == 1:
            self.rows.append([])
        elif tag in _CELLS and self._depth == 1 and self.rows:
            found = dict(attrs)
            self._cell = _Cell(int(found.get("colspan") or 1), int(found.get("rowspan") or 1))
            self.rows[-1].append(self._cell)
        elif tag in _BLOCKS and self._depth:
            self._end_block()
            self._in_block, self._has_text, self._breaks = True, False, 0
        elif tag == "br":
            self._breaks += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _ENDS:
            self._end_block()
        if tag in _CELLS and self._depth == 1:
            self._cell = None
        if tag == "table":
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        self._has_text = self._has_text or bool(data.strip())

    def _end_block(self) -> None:
        if self._in_block and self._cell is not None:
            # an empty paragraph is written as a single break
            self._cell.lines += self._breaks + 1 if self._has_text else max(1, self._breaks)
        self._in_block = False


def rows_of(html: str, plain: str) -> tuple[tuple[str, ...], ...] | None:
    """The table, row-major; None where the two forms do not agree.

    A merged cell's text stands at its first position, "" at the others.
    """
    parser = _Parser()
    parser.feed(html)
    lines = plain.removesuffix("\n").split("\n")
    covered: dict[tuple[int, int], int] = {}
    texts: dict[tuple[int, int], str] = {}
    at = 0
    for row, cells in enumerate(parser.rows):
        column = 0
        for cell in (*cells, None):
            while (row, column) in covered:
                at += covered[row, column]
                column += 1
            if cell is None:
                break
            texts[row, column] = "\n".join(lines[at : at + cell.lines])
            at += cell.lines
            for below in range(cell.rows):
                for beside in range(cell.columns):
                    covered[row + below, column + beside] = int(below > 0 and beside == 0)
            column += cell.columns
    if not covered or at != len(lines):
        return None
    height, width = (max(place[axis] for place in covered) + 1 for axis in (0, 1))
    if len(covered) != height * width:
        return None
    return tuple(tuple(texts.get((row, column), "") for column in range(width)) for row in range(height))
