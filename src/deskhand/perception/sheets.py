"""The part of a spreadsheet that is in view, and the selected one, in a few words."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from deskhand.core.cell_names import CELL_NAME, column_name, column_number
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.perception.text_layout import Line

_MOST_RANGES: Final = 3
_LARGE: Final = 1.5
"""Height or width of a cell that may be merged, as a multiple of the usual one."""
_MOST_TEXTS: Final = 6
_AS_TEXT: Final = "number_as_text"
_WORD: Final = re.compile(r"[^\W_]{2,}")
_SHORT: Final = 3
"""Letters of a word that is too common."""


class _Place(NamedTuple):
    """Row of a cell, from 1, and column, from 0."""

    row: int
    column: int


def with_sheet_notes(targets: Sequence[TargetInfo]) -> tuple[list[TargetInfo], dict[str, str]]:
    """Return the controls, and a note for each spreadsheet, by its handle: ranges in view, hidden, selected, and with
    numbers stored as text.

    The panes of a sheet with frozen rows or columns are one table, the largest of them. States that are in the note
    are taken from the cells: that of numbers stored as text, and where several cells are selected, that one.
    """
    targets = _with_joined_panes(targets)
    sheets = _cells_by_sheet(targets)
    notes, told = dict[str, str](), dict[str, set[str]]()
    beyond = {each.handle: each.note for each in targets if each.note}
    for handle, cells in sheets.items():
        chosen, texts = _with_state("selected", cells), _with_state(_AS_TEXT, cells)
        for state, places in (("selected", chosen if len(chosen) > 1 else ()), (_AS_TEXT, texts)):
            for place in places:
                told.setdefault(cells[place].handle, set()).add(state)
        if cells:
            parts = (f"{_range(cells)} in view", beyond.get(handle, ""), *_hidden_lines(cells), _as_text({*texts}))
            notes[handle] = "; ".join(part for part in (*parts, _selection(cells, chosen)) if part)
    return [_without(each, told[each.handle]) if each.handle in told else each for each in targets], notes


def _cells_by_sheet(targets: Sequence[TargetInfo]) -> dict[str, dict[_Place, TargetInfo]]:
    sheets = {each.handle: dict[_Place, TargetInfo]() for each in targets if Trait.OF_SHEET in each.traits}
    for each in targets:
        if each.parent in sheets and (place := _place(each)):
            sheets[each.parent][place] = each
    return sheets


def _with_state(state: str, cells: Mapping[_Place, TargetInfo]) -> list[_Place]:
    return [place for place, cell in cells.items() if state in cell.states]


def _hidden_lines(cells: Mapping[_Place, TargetInfo]) -> tuple[str, str]:
    rows, columns = dict[int, int](), dict[int, int]()
    for place, cell in cells.items():
        rows[place.row] = min(cell.rect.height, rows.get(place.row, cell.rect.height))
        columns[place.column] = min(cell.rect.width, columns.get(place.column, cell.rect.width))
    return _hidden("row", rows, str), _hidden("column", columns, column_name)


def rows_of_task(lines: Sequence[Line], task: str) -> dict[int, int]:
    """Return the rows of spreadsheets with a number, an address, or a word of the task, by their indexes: in how many
    rows the rarest such word is.
    """
    words = _words(task)
    found = {index: words & _words(line.text) for index, line in enumerate(lines) if line.of_sheet}
    rows = Counter(word for row in found.values() for word in row)
    return {index: min(rows[word] for word in row) for index, row in found.items() if row}


def _words(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    return frozenset(word for word in words if len(word) > _SHORT or not word.isalpha())


def with_notes(lines: Sequence[Line], notes: Mapping[str, str]) -> list[Line]:
    """Return the lines, each with the note of its control, by its handle, at its end."""
    return [
        replace(line, text=f"{line.text} ({note})") if (note := notes.get(line.targets[0].handle)) else line
        for line in lines
    ]


def _with_joined_panes(targets: Sequence[TargetInfo]) -> list[TargetInfo]:
    panes: dict[str, list[TargetInfo]] = {}
    for each in targets:
        if each.type is Role.TABLE and Trait.OF_SHEET in each.traits:
            panes.setdefault(each.name, []).append(each)
    joined = list(targets)
    for tables in panes.values():
        joined = _joined(joined, tables) if len(tables) > 1 else joined
    return joined


def _joined(targets: Sequence[TargetInfo], panes: Sequence[TargetInfo]) -> list[TargetInfo]:
    """Put the cells of all panes into the largest, and leave out the others with the documents around them."""
    inside, children = {pane.handle for pane in panes}, Counter(each.parent for each in targets)
    main = max(panes, key=lambda pane: children[pane.handle])
    around = {pane.parent for pane in panes if children[pane.parent] == 1}
    gone = (inside | around) - {main.handle, main.parent}
    cells = [each for each in targets if each.parent in inside]
    joined: list[TargetInfo] = []
    for each in targets:
        if each.handle not in gone and each.parent not in inside:
            joined.append(each)
        if each.handle == main.handle:
            moved = (replace(cell, parent=main.handle) for cell in cells)
            joined += sorted(moved, key=lambda cell: _place(cell) or _Place(0, 0))
    return joined


def _place(cell: TargetInfo) -> _Place | None:
    address = CELL_NAME.fullmatch(cell.name)
    if address is None:
        return None
    return _Place(int(address[2]), column_number(address[1]))


def _range(places: Collection[_Place]) -> str:
    rows, columns = [place.row for place in places], [place.column for place in places]
    return f"{column_name(min(columns))}{min(rows)}:{column_name(max(columns))}{max(rows)}"


def _hidden(kind: str, shown: Mapping[int, int], name: Callable[[int], str]) -> str:
    """The rows or columns between the first and the last one in view that are not shown. `shown`: the least height or
    width of a cell in each.

    Not after one in which all cells are large: these may be merged with those of the next.
    """
    most = _LARGE * median(shown.values())
    before = dict(pairwise(sorted(shown)))
    gaps = {number for first, second in before.items() if shown[first] <= most for number in range(first + 1, second)}
    starts = sorted(number for number in gaps if number - 1 not in gaps)
    ends = sorted(number for number in gaps if number + 1 not in gaps)
    ranges = [name(a) if a == b else f"{name(a)}-{name(b)}" for a, b in zip(starts, ends, strict=True)]
    told = ", ".join(ranges[:_MOST_RANGES]) + (", …" if len(ranges) > _MOST_RANGES else "")
    return f"{kind}{'s' if len(gaps) > 1 else ''} {told} not shown" if ranges else ""


def _selection(cells: Collection[_Place], chosen: Sequence[_Place]) -> str:
    """The selected range, or the number of cells that are no range; empty for less than two."""
    if len(chosen) < 2:
        return ""
    rows, columns = [place.row for place in chosen], [place.column for place in chosen]
    inside = [
        cell for cell in cells if min(rows) <= cell.row <= max(rows) and min(columns) <= cell.column <= max(columns)
    ]
    return (
        f"selected in view: {_range(chosen)}" if len(inside) == len(chosen) else f"{len(chosen)} cells selected in view"
    )


def _without(cell: TargetInfo, states: Set[str]) -> TargetInfo:
    return replace(cell, states=cell.states - states)


def _as_text(places: Set[_Place]) -> str:
    """The ranges, one below the other in each column, of numbers stored as text."""
    down = sorted(places, key=lambda place: (place.column, place.row))
    starts = [place for place in down if _Place(place.row - 1, place.column) not in places]
    ends = [place for place in down if _Place(place.row + 1, place.column) not in places]
    ranges = [_range([a, b]) if a != b else _range([a]).partition(":")[0] for a, b in zip(starts, ends, strict=True)]
    told = ", ".join(ranges[:_MOST_TEXTS]) + (", …" if len(ranges) > _MOST_TEXTS else "")
    return f"numbers stored as text: {told}" if ranges else ""
