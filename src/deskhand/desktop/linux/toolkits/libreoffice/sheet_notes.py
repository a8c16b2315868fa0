"""Notes on a spreadsheet's content out of view: how far it is used, and hidden sheets.

A scroll bar's maximum is the last used row (or column) and as many as are in view beyond it, where that is further than
one row below the view. LibreOffice computes it when the view moves, another sheet is shown or the window gets another
size, and not after a paste, Delete or Undo. So it holds for that moment; `UsedArea` moves the view to be sure.
"""

# upstream: not reported
# seen in: 7.4.7

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from deskhand.core.cell_names import column_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.node_requests import Request
from deskhand.desktop.linux.atspi.roles import DOCUMENT_SPREADSHEET, PAGE_TAB_LIST, SCROLL_BAR, TABLE, VERTICAL

_LEAST: Final = "MinimumValue"
_MOST: Final = "MaximumValue"
_SHEETS: Final = "total-pages"
_TWO: Final = 2


@dataclass(slots=True)
class _Line:
    """A row or column in view: its height or width, and if a cell in it has a text. Merged cells are larger."""

    size: int = sys.maxsize
    filled: bool = False

    def take(self, size: int, cell: Node) -> None:
        self.size = min(self.size, size)
        self.filled = self.filled or bool(cell.text)


Lines = Mapping[int, _Line]
"""Rows or columns by their number from 0."""


def ask_for_notes(node: Node) -> list[Request]:
    """Return the requests for what notes on a spreadsheet follow from."""
    if node.role == SCROLL_BAR:
        return [(node.ref.get(calls.VALUE, name), partial(_take_number, name)) for name in (_LEAST, _MOST)]
    if node.role == DOCUMENT_SPREADSHEET:
        return [(calls.get_attributes(node.ref), _take_sheets)]
    return [(calls.get_child_count(node.ref), _take_tabs)] if node.role == PAGE_TAB_LIST else []


def _take_number(name: str, node: Node, reply: Reply) -> None:
    node.numbers[name] = int(calls.float_in(reply) or 0)


def _take_sheets(node: Node, reply: Reply) -> None:
    told = calls.attributes_in(reply).get(_SHEETS, "")
    if told.isdecimal():
        node.numbers[_SHEETS] = int(told)


def _take_tabs(node: Node, reply: Reply) -> None:
    node.numbers[_SHEETS] = calls.int_in(reply)


def note_sheets(nodes: Mapping[Ref, Node]) -> None:
    """Set the note of each table of cells."""
    tables = [node for node in nodes.values() if node.role == TABLE and _is_of_sheet(node, nodes)]
    if not tables:
        return
    notes = [*_used(nodes, tables), *_hidden(nodes)]
    for table in tables:
        table.note = "; ".join(notes)


def _is_of_sheet(table: Node, nodes: Mapping[Ref, Node]) -> bool:
    above = nodes.get(table.parent) if table.parent else None
    return above is not None and above.role == DOCUMENT_SPREADSHEET


def _hidden(nodes: Mapping[Ref, Node]) -> list[str]:
    """Return a note on sheets that have no tab."""
    sheets = {node.numbers.get(_SHEETS, 0) for node in nodes.values() if node.role == DOCUMENT_SPREADSHEET}
    tabs = [node.numbers.get(_SHEETS, 0) for node in nodes.values() if node.role == PAGE_TAB_LIST]
    if len(sheets) != 1 or len(tabs) != 1 or not tabs[0]:
        return []
    hidden = sheets.pop() - tabs[0]
    return [f"{hidden} hidden sheet{'' if hidden == 1 else 's'}"] if hidden > 0 else []


def _used(nodes: Mapping[Ref, Node], tables: Iterable[Node]) -> list[str]:
    """Return notes on rows and columns that are used out of view, or may be: the last one in view is not empty.

    Of several panes the last one is scrolled; the bars of the others have no place.
    """
    views = [_lines_of(nodes, table) for table in tables]
    bars = [node for node in nodes.values() if node.role == SCROLL_BAR and not node.rect.empty]
    rows = max((rows for rows, _ in views), key=max)
    columns = max((columns for _, columns in views), key=max)
    frozen = [{line for view in views for line in view[axis]} for axis in (0, 1)]
    row = _last_used([bar for bar in bars if bar.state & VERTICAL], rows, frozen[0])
    column = _last_used([bar for bar in bars if not bar.state & VERTICAL], columns, frozen[1])
    told = {f"row {row}": row, f"column {column_name(column - 1)}": column}
    maybe = {"below": not row and rows[max(rows)].filled, "to the right": not column and columns[max(columns)].filled}
    return [*_joined("used to {} when last scrolled", told), *_joined("may go on {}", maybe)]


def _joined(note: str, parts: Mapping[str, int]) -> list[str]:
    """Return the note with those of the parts that hold; nothing where none does."""
    those = [part for part, holds in parts.items() if holds]
    return [note.format(" and ".join(those))] if those else []


def _lines_of(nodes: Mapping[Ref, Node], table: Node) -> tuple[Lines, Lines]:
    """Return the rows and the columns of a table that are in view, after one before the first."""
    rows, columns = {-1: _Line()}, {-1: _Line()}
    for ref in table.children:
        cell, place = nodes.get(ref), calls.place_in_sheet(ref)
        if cell is not None and place is not None and not cell.rect.empty:
            row, column = map(int, place.split(","))
            _line(rows, row).take(cell.rect.height, cell)
            _line(columns, column).take(cell.rect.width, cell)
    return rows, columns


def _line(lines: dict[int, _Line], number: int) -> _Line:
    line = lines.get(number)
    if line is None:
        line = lines[number] = _Line()
    return line


def _last_used(bars: Sequence[Node], shown: Lines, in_view: Collection[int]) -> int:
    """Return the number of the last used line, from 1, if it is further than one beyond the view; else 0.

    The last line in view counts as one in part if it is smaller than the one before it. `in_view`: the lines of all
    panes. The bar counts from the first line that is not frozen, but with hidden lines before the view not from there.
    """
    lines = sorted(shown)[1:]
    if len(bars) != 1 or len(lines) < _TWO:
        return 0
    bar = bars[0]
    most, now = bar.numbers.get(_MOST, 0), int(bar.number or 0)
    if most <= 0:  # a sheet that runs from right to left counts down from 0
        most, now = -bar.numbers.get(_LEAST, 0), -now
    if lines[0] - now != sum(0 <= line < lines[0] for line in in_view):
        return 0
    end = lines[-1] + (shown[lines[-1]].size >= shown[lines[-2]].size)
    used = most + (lines[0] - now) - (end - lines[0])
    return used if used > end + _TWO else 0
