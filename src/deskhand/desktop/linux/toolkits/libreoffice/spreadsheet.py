"""Visible cells of a spreadsheet: a table of 2^31 cells, of which a thousand are visible.

LibreOffice returns the cell at a point; a cell reports its address as its name, its visible extents (none if it is
hidden or out of view), and its text. Each request costs LibreOffice 40 to 60 µs. Object, text and extents of each cell
are requested: only the extents show that it is merged with others, which may have a text of their own that is not
displayed. Of a text that reads as a number other than 0 the number is requested: it is 0 if the cell has a text. Of a
cell without text the attributes are requested too, which cost three times as much: a cell with an error
exposes no text, and only its formula shows that it is not empty.

In a sheet that runs from right to left a cell reports that it begins at its right edge and continues to the right,
clipped to the visible part. So the columns are derived from the reported left edges.
"""

# upstream: not reported
# seen in: 7.4.7, 25.2

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final

from deskhand.core.cell_names import column_name
from deskhand.core.errors import DesktopError
from deskhand.core.geometry import EVERYWHERE, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Post, Reply
from deskhand.desktop.linux.atspi.node import CELL_LIMIT, TEXT_KEPT, Node
from deskhand.desktop.linux.atspi.roles import (
    EDITABLE,
    EMPTY,
    FOCUSED,
    NUMBER_AS_TEXT,
    RESULT_UNTOLD,
    SELECTED,
    TABLE_CELL,
)

Place = tuple[int, int]
"""Row and column, from 0."""

LINE_LIMIT: Final = 400
"""Rows (or columns) between the first and the last in view up to which each is asked for its place; where there are
more, most of them are hidden."""

_STEP: Final = 6
"""Pixels between two hit tests for rows and columns: no legible one is smaller."""

_ASTRAY: Final = "cells of a spreadsheet are not where its rows and columns are, as while it is scrolled"
_CELLS_UNTOLD: Final = "a spreadsheet does not say which cells it shows"

_ADDRESS: Final = re.compile(r"(?:.*[^A-Za-z0-9])?([A-Z]{1,3})([1-9]\d{0,6})").fullmatch
_ZERO: Final = re.compile(r"[^1-9]*").fullmatch
_READS_AS_NUMBER: Final = re.compile(
    r"[-+]?(?=[^1-9]*[1-9])(?:\d+|\d{1,3}(?:[.,'\u2019 \u00a0\u202f]\d{3})+)(?:[.,]\d+)?[ \u00a0]?%?"
).fullmatch
_NUMBER: Final = re.compile(r".*?(\d{1,18})").fullmatch


@dataclass(slots=True)
class _Cell:
    place: Place
    ref: Ref
    rect: Rect
    text: str = ""


class Sheet:
    """Reads the visible cells of one table. `keep` takes a node; `lack` takes the reason why something is missing."""

    def __init__(self, post: Post, table: Node, keep: Callable[[Node], None], lack: Callable[[str], None]) -> None:
        self._post = post
        self._table = table
        self._view = table.rect.intersection(EVERYWHERE)
        self._keep = keep
        self._lack = lack
        self._state = 0
        self._asks_states = False
        self._oldest = 0
        self._rows: dict[int, tuple[int, int]] = {}
        self._columns: dict[int, tuple[int, int]] = {}
        self._from_right = False
        self._cells: dict[Place, _Cell] = {}
        self._nodes: dict[Place, Node] = {}
        self._bottoms: frozenset[int] = frozenset()
        self._rights: frozenset[int] = frozenset()
        self._left_out: set[Place] = set()
        self._left = 0
        self._then = self._ask_cells

    def read(self) -> None:
        """All cells in view."""
        self._ask_corners()

    def locate(self, place: Place, take: Callable[[Rect | None], None]) -> None:
        """Take the visible extents of a cell, None if it is out of view; nothing if they are missing."""
        self._then = partial(self._ask_place, place, take)
        self._ask_corners()

    def _ask_corners(self) -> None:
        view = self._view
        if view.empty:
            return
        corners = [(x, y) for y in (view.top, view.bottom - 1) for x in (view.left, view.right - 1)]
        self._post([self._at_point(*corner) for corner in corners], self._take_corners)

    def _at_point(self, x: int, y: int) -> Call:
        return calls.accessible_at_point(self._table.ref, x, y)

    def _take_corners(self, replies: list[Reply]) -> None:
        corners = list(map(calls.ref_in, replies))
        if not any(corners[:2]):
            self._lack(_CELLS_UNTOLD)
        elif not all(corners):  # it ends before its window does
            view = self._view
            points = [(x, y) for y in range(view.top, view.bottom, _STEP) for x in (view.left, view.right - 1)]
            points += [(x, view.top) for x in range(view.left, view.right, _STEP)]
            self._post([self._at_point(*point) for point in points], partial(self._take_ends, corners))
        else:
            self._ask_addresses(corners, [])

    def _take_ends(self, corners: Sequence[Ref | None], replies: list[Reply]) -> None:
        self._ask_addresses(corners, list(filter(None, map(calls.ref_in, replies))))

    def _ask_addresses(self, corners: Sequence[Ref | None], others: Sequence[Ref]) -> None:
        refs = list(dict.fromkeys([*filter(None, corners), *others]))
        self._oldest = _number(refs[0])
        selected = self._table.ref.get(calls.SELECTION, "NSelectedChildren")
        asked = [selected, calls.get_state(refs[0]), *map(calls.get_name, refs)]
        self._post(asked, partial(self._take_addresses, corners, refs))

    def _take_addresses(self, corners: Sequence[Ref | None], refs: Sequence[Ref], replies: list[Reply]) -> None:
        selected, state, *names = replies
        found = {ref: place_in(calls.text_in(name)) for ref, name in zip(refs, names, strict=True)}
        places = [place for place in found.values() if place]
        if len(places) < len(names):
            self._lack(_CELLS_UNTOLD)
            return
        self._state = calls.bits_in(state) & ~(FOCUSED | SELECTED)
        any_selected = calls.int_in(selected) != 0 or bool(calls.bits_in(state) & SELECTED)  # of all it counts none
        self._asks_states = any_selected or not self._state & EDITABLE
        at = [found[ref] if ref else None for ref in corners]
        # What is merged may begin out of view, never after what it is seen at.
        top = max(place[0] for place in at[:2] if place)
        left = min(max(side) for part in (at[::2], at[1::2]) if (side := [place[1] for place in part if place]))
        rows = range(top, max(row for row, _ in places) + 1)
        columns = range(left, max(column for _, column in places) + 1)
        if max(len(rows), len(columns)) > LINE_LIMIT:
            self._look_for_lines(rows, columns)
        else:
            self._ask_lines(rows, columns)

    def _look_for_lines(self, rows: range, columns: range) -> None:
        """Search the visible rows if most are hidden."""
        view = self._view
        points = [(view.left, y) for y in range(view.top, view.bottom, _STEP)]
        points += [(x, view.top) for x in range(view.left, view.right, _STEP)]

        def take_refs(replies: list[Reply]) -> None:
            refs = list(dict.fromkeys(filter(None, map(calls.ref_in, replies))))
            self._post([calls.get_name(ref) for ref in refs], take_names)

        def take_names(replies: list[Reply]) -> None:
            places = [place for reply in replies if (place := place_in(calls.text_in(reply)))]
            seen = _with_neighbours(rows, {row for row, _ in places})
            across = _with_neighbours(columns, {column for _, column in places})
            if seen and across:
                self._ask_lines(seen, across)
            else:  # it was scrolled meanwhile
                self._lack(_CELLS_UNTOLD)

        self._post([self._at_point(*point) for point in points], take_refs)

    def _ask_lines(self, rows: Sequence[int], columns: Sequence[int], by: Place | None = None) -> None:
        """The places of rows and columns, by the cells of one column and one row, the first ones of them or `by`."""
        row, column = by or (rows[0], columns[0])
        places = [*((each, column) for each in rows), *((row, each) for each in columns)]

        def take_refs(replies: list[Reply]) -> None:
            refs = [calls.ref_in(reply) or self._table.ref for reply in replies]
            self._post([calls.get_extents(ref) for ref in refs], take_extents)

        def take_extents(replies: list[Reply]) -> None:
            rects = [calls.rect_in(reply) for reply in replies]
            self._rows = _lines({row: (rect.top, rect.bottom) for row, rect in zip(rows, rects, strict=False)})
            across = rects[len(rows) :]
            self._columns = self._across({c: (rect.left, rect.right) for c, rect in zip(columns, across, strict=True)})
            if self._rows and self._columns:
                self._then()
            elif by is None:  # a pane may begin with a row, or a column, that is hidden
                shown = next(iter(self._rows), rows[-1]), next(iter(self._columns), columns[-1])
                self._ask_lines(rows, columns, shown)
            else:
                self._lack("a spreadsheet does not say where its cells are")

        self._post([calls.accessible_at(self._table.ref, *place) for place in places], take_refs)

    def _across(self, told: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
        """Return left and right of the visible columns, from a cell of each."""
        view = self._view
        begins = [left for left, right in told.values() if left < right]
        self._from_right = bool(begins) and begins[0] > max(view.left, begins[-1] if len(begins) > 1 else view.left)
        if not self._from_right:
            return _lines(told)
        if begins[0] != view.right - 1:
            self._lack("a spreadsheet that runs from right to left does not say where its cells are")
        return _lines_from_right(told, view.left)

    def _ask_cells(self) -> None:
        rows = list(self._rows)
        if len(rows) * len(self._columns) > CELL_LIMIT:
            rows = rows[: CELL_LIMIT // len(self._columns)]
            self._lack(f"a spreadsheet shows more than {CELL_LIMIT} cells; its first {len(rows)} rows were read")
        self._table.children = [self._ref((row, column)) for row in rows for column in self._columns]
        self._left = len(rows)
        for row in rows:
            asked = [calls.accessible_at(self._table.ref, row, column) for column in self._columns]
            self._post(asked, partial(self._take_row, row))

    def _ref(self, place: Place) -> Ref:
        return calls.cell_of(self._table.ref, *place)

    def _take_row(self, row: int, replies: list[Reply]) -> None:
        found: list[_Cell] = []
        (top, bottom) = self._rows[row]
        for (column, (left, right)), reply in zip(self._columns.items(), replies, strict=True):
            ref = calls.ref_in(reply)
            if ref is not None:
                found.append(_Cell((row, column), ref, Rect(left, top, right, bottom)))
        self._post([calls.get_text(cell.ref) for cell in found], partial(self._take_texts, found))

    def _take_texts(self, cells: Sequence[_Cell], replies: list[Reply]) -> None:
        for cell, reply in zip(cells, replies, strict=True):
            cell.text = calls.text_in(reply)[:TEXT_KEPT]
            self._cells[cell.place] = cell
            self._add(cell)
        self._ask_contents([cell for cell in cells if not cell.text])
        self._ask_numbers([cell for cell in cells if reads_as_number(cell.text)])
        self._left -= 1
        if not self._left:
            self._look_closer()

    def _add(self, cell: _Cell) -> Node:
        node = Node(self._ref(cell.place), self._table.ref, self._state, TABLE_CELL, address(cell.place))
        node.text, node.rect, node.depth = cell.text, cell.rect, self._table.depth + 1
        self._nodes[cell.place] = node
        self._keep(node)
        return node

    def _ask_contents(self, cells: Sequence[_Cell]) -> None:
        """Request the attributes of cells without text, which show if they are empty."""

        def take(replies: list[Reply]) -> None:
            for cell, reply in zip(cells, replies, strict=True):
                self._nodes[cell.place].state |= content_in(reply)

        self._post([calls.get_attributes(cell.ref) for cell in cells], take)

    def _ask_numbers(self, cells: Sequence[_Cell]) -> None:
        def take(replies: list[Reply]) -> None:
            for cell, reply in zip(cells, replies, strict=True):
                node = self._nodes[cell.place]
                node.state |= 0 if node.state & FOCUSED else number_in(reply)

        self._post([ask_number(cell.ref) for cell in cells], take)

    def _look_closer(self) -> None:
        """Asks for what does not follow from the rest: merged cells, and which cell has the cursor or is selected."""
        self._bottoms = frozenset(bottom for _, bottom in self._rows.values())
        self._rights = frozenset(right for _, right in self._columns.values())
        every = list(self._cells.values())
        self._post([calls.get_extents(cell.ref) for cell in every], partial(self._take_places, every))
        edge = [cell for cell in every if self._is_at_edge(cell.place)]
        centers = [cell.rect.center for cell in edge]
        self._post([self._at_point(point.x, point.y) for point in centers], partial(self._take_seen_at_edge, edge))
        old = [cell for cell in self._cells.values() if self._asks_states or _number(cell.ref) <= self._oldest]
        self._post([calls.get_state(cell.ref) for cell in old], partial(self._take_old_states, old))

    def _is_at_edge(self, place: Place) -> bool:
        return place[0] == next(iter(self._rows)) or place[1] == next(iter(self._columns))

    def _take_places(self, cells: Sequence[_Cell], replies: list[Reply]) -> None:
        told = [(cell, calls.rect_in(reply)) for cell, reply in zip(cells, replies, strict=True)]
        self._lay_astray([(cell, rect) for cell, rect in told if not self._fits(cell, rect)])
        if self._from_right:
            self._ask_spans([(cell, rect) for cell, rect in told if self._may_span(cell, rect)])
        else:
            self._merge(told)

    def _fits(self, cell: _Cell, told: Rect) -> bool:
        """True if a cell begins where its row and column do, and ends where one does."""
        if told == cell.rect:
            return True
        if told.empty or told.top != cell.rect.top or told.bottom not in self._bottoms:
            return False
        if self._from_right:  # it is told to end where the view does
            return told.left == cell.rect.right - 1
        return told.left == cell.rect.left and told.right in self._rights

    def _lay_astray(self, astray: Sequence[tuple[_Cell, Rect]]) -> None:
        """Place a cell outside of its row and column at its last extents; it covers nothing."""
        if not astray:
            return
        self._lack(_ASTRAY)
        for cell, rect in astray:
            if rect.empty or self._from_right:
                self._left_out.add(cell.place)
            else:
                self._nodes[cell.place].rect = cell.rect = rect
        self._arrange()

    def _may_span(self, cell: _Cell, told: Rect) -> bool:
        """True if it is larger than one cell, or fills the view to the right of its reported left edge."""
        size = (told.width, told.height)
        return size != (cell.rect.width, cell.rect.height) or told.right >= self._view.right

    def _ask_spans(self, told: Sequence[tuple[_Cell, Rect]]) -> None:
        """Count the columns of a merged cell in a sheet that runs from right to left."""

        def take(replies: list[Reply]) -> None:
            merged: list[tuple[_Cell, Rect]] = []
            for (cell, rect), reply in zip(told, replies, strict=True):
                columns = range(cell.place[1], cell.place[1] + max(1, calls.int_in(reply)))
                left = min(left for column, (left, _) in self._columns.items() if column in columns)
                merged.append((cell, Rect(left, rect.top, cell.rect.right, rect.bottom)))
            self._merge(merged)

        self._post([calls.column_extent_at(self._table.ref, *cell.place) for cell, _ in told], take)

    def _merge(self, told: Sequence[tuple[_Cell, Rect]]) -> None:
        for cell, rect in told:
            if rect != cell.rect and cell.place not in self._left_out:
                self._nodes[cell.place].rect = rect
                self._cover(cell.place, rect)
        self._arrange()

    def _cover(self, merged: Place, rect: Rect) -> None:
        """Leave out the cells under a merged one the next time that the table is arranged."""
        rows = [row for row, (top, _) in self._rows.items() if rect.top <= top < rect.bottom]
        columns = [column for column, (left, _) in self._columns.items() if rect.left <= left < rect.right]
        self._left_out.update({(row, column) for row in rows for column in columns} - {merged})

    def _arrange(self) -> None:
        """Takes the cells that are left out from the table's."""
        out = set(map(self._ref, self._left_out))
        self._table.children = [ref for ref in self._table.children if ref not in out]

    def _take_seen_at_edge(self, cells: Sequence[_Cell], replies: list[Reply]) -> None:
        """A merged cell that begins out of view covers cells at the edge."""
        seen = [(cell, ref) for cell, reply in zip(cells, replies, strict=True) if (ref := calls.ref_in(reply))]

        def take(replies: list[Reply]) -> None:
            parts = (replies[part::3] for part in range(3))
            before: dict[Ref, list[Ref]] = {}
            for (cell, ref), name, text, state in zip(seen, *parts, strict=True):
                place = place_in(calls.text_in(name))
                if place is None or place == cell.place or place in self._cells:
                    continue
                if cell.place in self._left_out:
                    continue  # covered by one that begins out of view too
                merged = _Cell(place, ref, cell.rect, calls.text_in(text)[:TEXT_KEPT])
                self._cells[place] = merged
                before[self._ref(cell.place)] = [self._add(merged).ref]
                self._take_states([merged], [state])
                self._ask_place(place, partial(self._take_seen_part, merged))
                if not merged.text:
                    self._ask_contents([merged])
            self._table.children = [each for ref in self._table.children for each in (*before.get(ref, ()), ref)]

        told = (calls.get_name, calls.get_text, calls.get_state)
        self._post([get(ref) for _, ref in seen for get in told], take)

    def _take_seen_part(self, merged: _Cell, rect: Rect | None) -> None:
        """The place of a merged cell that begins out of view is that of what it covers.

        What covers nothing is not merged: the sheet was scrolled meanwhile.
        """
        if rect is None:
            self._lack(_ASTRAY)
            self._left_out.add(merged.place)
        else:
            self._nodes[merged.place].rect = merged.rect = rect
            self._cover(merged.place, merged.rect)
        self._arrange()

    def _ask_place(self, place: Place, take: Callable[[Rect | None], None]) -> None:
        """Return the visible rows and columns of a merged cell."""
        row, column = place

        def put_together(replies: list[Reply]) -> None:
            down, across = (max(1, calls.int_in(reply)) for reply in replies)
            rows = [lines for line, lines in self._rows.items() if row <= line < row + down]
            columns = [lines for line, lines in self._columns.items() if column <= line < column + across]
            if not rows or not columns:
                take(None)
                return
            (left, right), (top, bottom) = (min(columns)[0], max(columns)[1]), (min(rows)[0], max(rows)[1])
            take(Rect(left, top, right, bottom))

        extents = (calls.row_extent_at, calls.column_extent_at)
        self._post([extent(self._table.ref, *place) for extent in extents], put_together)

    def _take_states(self, cells: Sequence[_Cell], replies: list[Reply]) -> None:
        for cell, reply in zip(cells, replies, strict=True):
            node = self._nodes[cell.place]
            told = calls.bits_in(reply)
            node.state = told | node.state & (EMPTY | RESULT_UNTOLD | (0 if told & FOCUSED else NUMBER_AS_TEXT))
            if node.state & FOCUSED and node.text:
                self._post(asked_of_kept(cell.ref), partial(_take_kept, node))

    def _take_old_states(self, cells: Sequence[_Cell], replies: list[Reply]) -> None:
        """Asks for all where the cursor is in none of those that it may be in."""
        self._take_states(cells, replies)
        if self._asks_states or not self._table.state & FOCUSED:
            return
        if not any(self._nodes[cell.place].state & FOCUSED for cell in cells):
            self._asks_states = True
            every = list(self._cells.values())
            self._post([calls.get_state(cell.ref) for cell in every], partial(self._take_states, every))


class Renewal:
    """Keeps the cells of a table as they were read before, and reads some of them again.

    `keep` takes a node; `anew` reads the whole table, where one of the cells does not stand where it stood, or where
    none of them has the keyboard, which the table has.
    """

    def __init__(
        self,
        post: Post,
        table: Node,
        cells: Sequence[Node],
        renew: frozenset[Ref],
        keep: Callable[[Node], None],
        anew: Callable[[], None],
    ) -> None:
        self._post = post
        self._table = table
        self._cells = cells
        self._old = [cell for cell in cells if cell.ref in renew]
        self._keep = keep
        self._anew = anew

    def read(self) -> None:
        if not self._old:
            self._keep_all()
            return
        places = [place for cell in self._old if (place := place_in(cell.name))]
        self._post([calls.accessible_at(self._table.ref, *place) for place in places], self._take_refs)

    def _take_refs(self, replies: list[Reply]) -> None:
        refs = [ref for reply in replies if (ref := calls.ref_in(reply))]
        if len(refs) < len(self._old):
            self._anew()
            return
        asked = [(calls.get_extents(ref), calls.get_text(ref), calls.get_state(ref)) for ref in refs]
        self._post([call for part in asked for call in part], partial(self._take, refs))

    def _take(self, refs: Sequence[Ref], replies: list[Reply]) -> None:
        bare: list[tuple[Node, Ref]] = []
        numbers: list[tuple[Node, Ref]] = []
        parts = zip(self._old, refs, replies[::3], replies[1::3], replies[2::3], strict=True)
        for cell, ref, rect, text, state in parts:
            if calls.rect_in(rect) != cell.rect or isinstance(text, DesktopError) or not calls.has_bits(state):
                self._anew()
                return
            cell.text = calls.text_in(text)[:TEXT_KEPT]
            cell.state = calls.bits_in(state)
            bare += [] if cell.text else [(cell, ref)]
            numbers += [(cell, ref)] if reads_as_number(cell.text) and not cell.state & FOCUSED else []
            if cell.state & FOCUSED and cell.text:
                self._post(asked_of_kept(ref), partial(_take_kept, cell))

        def take_contents(replies: list[Reply]) -> None:
            for (cell, _), reply in zip(bare, replies, strict=False):
                cell.state |= content_in(reply)
            for (cell, _), reply in zip(numbers, replies[len(bare) :], strict=True):
                cell.state |= number_in(reply)
            self._keep_all()

        if self._table.state & FOCUSED and not any(cell.state & FOCUSED for cell in self._cells):
            self._anew()  # the cursor is elsewhere
            return
        asked = [calls.get_attributes(ref) for _, ref in bare]
        self._post([*asked, *(ask_number(ref) for _, ref in numbers)], take_contents)

    def _keep_all(self) -> None:
        self._table.children = [cell.ref for cell in self._cells]
        for cell in self._cells:
            self._keep(cell)


def runs_from_left(corners: Sequence[str]) -> bool:
    """True if a sheet surely runs from left to right, by the names of the cells in its upper corners.

    Where a sheet ends before its window does it is the right one that has no cell.
    """
    left, right = map(place_in, corners)
    return left is not None and (right is None or left[1] < right[1])


def content_in(attributes: Reply) -> int:
    """Return the state bit of a cell without text: it is empty, or has a formula without an exposed result.

    None where they are not told.
    """
    if isinstance(attributes, DesktopError):
        return 0
    return RESULT_UNTOLD if calls.attributes_in(attributes).get("Formula") else EMPTY


def reads_as_number(text: str) -> bool:
    """True if a text is written as a number other than 0."""
    return _READS_AS_NUMBER(text) is not None


def ask_number(cell: Ref) -> Call:
    """Request the number of a cell, which is 0 if it has a text."""
    return cell.get(calls.VALUE, "CurrentValue")


def number_in(reply: Reply) -> int:
    """Return the state bit of a cell whose text reads as a number; none where its number is missing.

    Not for the cell with the cursor: after Delete it continues to report its text, and 0.
    """
    return 0 if isinstance(reply, DesktopError) or calls.float_in(reply) != 0 else NUMBER_AS_TEXT


def asked_of_kept(cell: Ref) -> list[Call]:
    """What tells whether a text still holds that a cell told before: LibreOffice keeps the object of the one with the
    cursor, which goes on telling its old text once a formula in it comes to an error.
    """
    return [calls.get_attributes(cell), ask_number(cell)]


def kept_in(text: str, attributes: Reply, number: Reply) -> int:
    """Return the state bit of such a cell. One with an error has the number 0, as has a text that is that number.

    A formula that comes to another text than a number has that number as well, so that nothing is known of it.
    """
    zero = calls.float_in(number) == 0 and not (_ZERO(text) and any(map(str.isdigit, text)))
    return content_in(attributes) & RESULT_UNTOLD if zero else 0


def _take_kept(node: Node, replies: list[Reply]) -> None:
    attributes, number = replies
    node.state |= kept_in(node.text, attributes, number)


def address(place: Place) -> str:
    """`B7` for row 6 and column 1."""
    row, column = place
    return f"{column_name(column)}{row + 1}"


def place_in(name: str) -> Place | None:
    """Return the place in a cell's name: `B7`, in some languages with a word before it."""
    found = _ADDRESS(name)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]) - 1, column - 1


def _number(ref: Ref) -> int:
    """The number of an object: a later one has a higher one. The cell with the cursor lives longer than a look."""
    found = _NUMBER(ref.path)
    return int(found[1]) if found else 0


def _lines(places: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Beginning and end of the lines that show; one that belongs to a merged cell ends where the next begins."""
    shown = {line: place for line, place in places.items() if place[0] < place[1]}
    ends = {line: after[0] for (line, _), (_, after) in pairwise(shown.items())}
    return {line: (begin, min(end, ends.get(line, end))) for line, (begin, end) in shown.items()}


def _lines_from_right(told: dict[int, tuple[int, int]], left: int) -> dict[int, tuple[int, int]]:
    """As above, for columns from right to left, each reported from its last pixel to the right."""
    shown = {column: place for column, place in told.items() if place[0] < place[1]}
    found = {column: (begin + 1 - (end - begin), begin + 1) for column, (begin, end) in shown.items()}
    begins = {column: after[1] for (column, _), (_, after) in pairwise(found.items())}
    if len(found) == 1:  # what is told of it ends where the view does
        begins = dict.fromkeys(found, left)
    return {column: (max(left, begins.get(column, begin)), end) for column, (begin, end) in found.items()}


def _with_neighbours(lines: range, seen: set[int]) -> list[int]:
    """Those seen, and those between them that a merged cell may cover."""
    found: list[int] = []
    for line, after in pairwise([*sorted(seen & set(lines)), lines.stop]):
        found += range(line, min(after, line + LINE_LIMIT // 8))
    return found
