"""Notes on a spreadsheet's content out of view, computed from scroll bars, tabs and the cells in view."""

import pytest

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    DOCUMENT_SPREADSHEET,
    HORIZONTAL,
    PAGE_TAB_LIST,
    SCROLL_BAR,
    TABLE,
    VERTICAL,
)
from deskhand.desktop.linux.toolkits.libreoffice.sheet_notes import note_sheets

pytestmark = pytest.mark.requires("observe.compact")

HEIGHT, WIDTH, PART = 17, 80, 6
PLACE = Rect(0, 0, 9, 9)
Bar = tuple[int, int]
"""The present number of a scroll bar, and its maximum; below 0: its minimum."""


def bar(number: int, direction: int, told: Bar, rect: Rect = PLACE) -> Node:
    now, most = told
    ends = {"MinimumValue": min(most, 0), "MaximumValue": max(most, 0)}
    return Node(Ref(":1", f"/bar{number}"), None, direction, SCROLL_BAR, number=now, numbers=ends, rect=rect)


def pane(number: int, rows: range, columns: range, *, whole: bool = False, filled: int = 0) -> list[Node]:
    """A document with a table; the last row and column are in view in part. `filled`: the rows that have a text."""
    document = Node(Ref(":1", f"/document{number}"), None, 0, DOCUMENT_SPREADSHEET)
    table = Node(Ref(":1", f"/table{number}"), document.ref, 0, TABLE)
    cells: list[Node] = []
    for row in rows:
        for column in columns:
            size = (WIDTH if whole or column < columns[-1] else PART, HEIGHT if whole or row < rows[-1] else PART)
            cell = Node(calls.cell_of(table.ref, row, column), table.ref, 0)
            cell.rect, cell.text = Rect.from_extents(0, 0, *size), "x" if row < filled and column == 0 else ""
            cells.append(cell)
    table.children = [cell.ref for cell in cells]
    return [document, table, *cells]


def notes_of(*nodes: Node) -> set[str]:
    note_sheets({node.ref: node for node in nodes})
    return {node.note for node in nodes if node.role == TABLE}


@pytest.mark.parametrize(
    ("down", "across", "note"),
    [
        ((0, 100), (0, 46), ""),
        ((0, 101), (0, 46), "used to row 52 when last scrolled"),
        ((0, 169), (0, 46), "used to row 120 when last scrolled"),
        ((0, 100), (0, 47), "used to column Y when last scrolled"),
        ((0, 349), (0, 62), "used to row 300 and column AN when last scrolled"),
        ((0, 349), (0, -62), "used to row 300 and column AN when last scrolled"),
    ],
)
def test_the_last_used_row_and_column_follow_from_the_scroll_bars(down: Bar, across: Bar, note: str) -> None:
    """As LibreOffice reports them for sheets of that size, in a view of 50 rows and 23 columns."""
    bars = [bar(1, VERTICAL, down), bar(2, HORIZONTAL, across)]
    assert notes_of(*bars, *pane(1, range(50), range(23))) == {note}


def test_a_scrolled_sheet_and_one_whose_last_row_is_wholly_in_view_count_as_well() -> None:
    bars = [bar(1, VERTICAL, (125, 349)), bar(2, HORIZONTAL, (0, 46))]
    assert notes_of(*bars, *pane(1, range(125, 175), range(23))) == {"used to row 300 when last scrolled"}
    bars = [bar(1, VERTICAL, (0, 350)), bar(2, HORIZONTAL, (0, 48))]
    assert notes_of(*bars, *pane(1, range(50), range(23), whole=True)) == {"used to row 300 when last scrolled"}


def test_of_frozen_panes_the_last_is_scrolled_and_all_have_the_note() -> None:
    rows, columns = (range(2), range(125, 172)), (range(1), range(1, 23))
    panes = [node for n, r in enumerate(rows) for m, c in enumerate(columns) for node in pane(2 * n + m, r, c)]
    bars = [bar(1, VERTICAL, (123, 344)), bar(2, HORIZONTAL, (0, 60))]
    none = [bar(3, VERTICAL, (0, 302), NOWHERE), bar(4, HORIZONTAL, (0, 41), NOWHERE)]
    assert notes_of(*bars, *none, *panes) == {"used to row 300 and column AN when last scrolled"}


@pytest.mark.parametrize(("filled", "note"), [(49, ""), (50, "may go on below")])
def test_a_sheet_whose_last_row_in_view_has_a_text_may_go_on(filled: int, note: str) -> None:
    bars = [bar(1, VERTICAL, (0, 100)), bar(2, HORIZONTAL, (0, 46))]
    assert notes_of(*bars, *pane(1, range(50), range(23), filled=filled)) == {note}
    assert notes_of(*bars, *pane(1, range(50), range(1), filled=filled)) == {
        f"{note} and to the right" if note else "may go on to the right"
    }


def test_a_split_window_with_two_bars_of_a_direction_has_no_such_note() -> None:
    bars = [bar(1, VERTICAL, (0, 349)), bar(2, VERTICAL, (0, 349)), bar(3, HORIZONTAL, (0, 46))]
    assert notes_of(*bars, *pane(1, range(50), range(23))) == {""}


@pytest.mark.parametrize(
    ("sheets", "tabs", "note"), [(2, 2, ""), (4, 3, "1 hidden sheet"), (43, 40, "3 hidden sheets")]
)
def test_sheets_without_a_tab_are_hidden(sheets: int, tabs: int, note: str) -> None:
    document, *inside = pane(1, range(50), range(23))
    document.numbers["total-pages"] = sheets
    of_tabs = Node(Ref(":1", "/tabs"), None, 0, PAGE_TAB_LIST, numbers={"total-pages": tabs})
    assert notes_of(of_tabs, document, *inside) == {note}
    other = Node(Ref(":1", "/other"), None, 0, PAGE_TAB_LIST, numbers={"total-pages": 1})
    assert notes_of(of_tabs, other, document, *inside) == {""}


def test_with_hidden_columns_before_the_view_the_last_used_one_is_not_noted() -> None:
    """As LibreOffice reports it for eight columns, of which A and B are hidden."""
    bars = [bar(1, VERTICAL, (0, 100)), bar(2, HORIZONTAL, (0, 51))]
    assert notes_of(*bars, *pane(1, range(50), range(2, 25))) == {""}
