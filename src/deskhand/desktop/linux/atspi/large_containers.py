"""Containers of very many children: those in view are found by their extents, the others are not requested.

There are two kinds. Views that manage their descendants make an object for a child when it is requested, and return the
one at a point of the screen: rows and columns are searched along two lines, then each cell is requested. Others, as a
web page, have all their children in reading order: the first and the last in view are searched by their extents.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, zip_longest
from typing import Final

from deskhand.core.geometry import EVERYWHERE, NOWHERE, Point, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Post, Reply
from deskhand.desktop.linux.atspi.node import CELL_LIMIT, Node
from deskhand.desktop.linux.atspi.roles import APART_ROLES, PAGE_TAB, POPUP_ROLES, SHOWING

Adopt = Callable[[Sequence[Ref]], None]
"""Takes the children found, in order; the callee leaves out the invisible ones."""

Lack = Callable[[str], None]
"""Takes the reason why a visible element may be missing."""

_LEAST: Final = 6
"""Pixels of the lowest row that can be read."""

_GAP: Final = 2
"""Pixels between two cells that belong to neither, at most."""

_SLIVER: Final = 4
"""Pixels of a row or column that have to be in view: frames are up to two wide and hide the elements behind."""

_LINES: Final = (1 / 2, 1 / 4, 1 / 8, 3 / 4)
"""Parts of the width at which a first cell is looked for: beside it may be a header, or nothing."""

_LEVELS: Final = 3
"""Levels of children of a row that are searched."""

_SAMPLES: Final = 32
_TRIES: Final = 3
_UNEVEN: Final = 32
"""Pixels by which an element of a line may begin higher than the one before it."""

_MARGIN: Final = 16
"""Children before the first in view and after the last that are read too."""


class Views:
    """The visible parts of the containers of one walk."""

    def __init__(self) -> None:
        self._views: dict[Ref, Rect] = {}
        self._places: dict[Ref, Rect] = {}

    def open(self, container: Node, above: Sequence[Node]) -> Rect:
        """Return the visible part of a container; `above`: its ancestors, the nearest first.

        The extents of a page inside its tab may count from the tab's corner: the ancestors of the tab contain it.
        """
        here = [container, *(node for node, outer in zip_longest(above, above[1:]) if not _is_tab(outer))]
        ends = (number for number, node in enumerate(here, 1) if node.surface or node.role in POPUP_ROLES)
        around = [node for node in here[: next(ends, None)] if not node.rect.empty and node.role not in APART_ROLES]
        view = EVERYWHERE if around else NOWHERE
        for node in around:
            view = view.intersection(node.rect)
        self._views[container.ref] = view
        return view

    def narrow(self, container: Node, view: Rect) -> None:
        self._views[container.ref] = view

    def place(self, ref: Ref, rect: Rect) -> None:
        """Ignore the place that this object reports."""
        self._places[ref] = rect

    def clip(self, node: Node) -> bool:
        """Cut the place of a node to its visible part; False if it has a place and none of it is visible."""
        if node.ref in self._places:
            node.rect = self._places[node.ref]
            return True
        view = self._views.get(node.parent) if node.parent else None
        if view is None or node.surface or node.role in POPUP_ROLES:
            return True
        self._views.setdefault(node.ref, view)
        if node.rect.empty:
            return True
        node.rect = node.rect.intersection(view)
        return not node.rect.empty


def _is_tab(outer: Node | None) -> bool:
    return outer is not None and outer.role == PAGE_TAB


class Lattice:
    """The cells in view of a container that manages its descendants, its header, and the heads of its rows.

    `one_column`: everything beside a cell is the cell too.
    """

    def __init__(  # noqa: PLR0913 - what a search stands in
        self, post: Post, container: Node, view: Rect, views: Views, adopt: Adopt, lack: Lack, *, one_column: bool
    ) -> None:
        self._post = post
        self._container = container
        self._view = view
        self._views = views
        self._adopt = adopt
        self._lack = lack
        self._one_column = one_column
        self._rows: dict[int, _Line] = {}
        self._columns: dict[int, _Line] = {}
        self._under_way = 0

    def read(self) -> None:
        """Looks for one cell first."""
        if self._view.empty:
            return
        center, steps = self._view.center, range(self._view.top, self._view.bottom, _LEAST * 2)
        lines = (self._view.left + _LEAST, *(self._view.left + int(self._view.width * part) for part in _LINES))
        rounds = [[center], *([Point(x, y) for y in steps] for x in lines)]
        self._look_for_one(rounds)

    def _at(self, point: Point) -> Call:
        return calls.accessible_at_point(self._container.ref, point.x, point.y)

    def _look_for_one(self, rounds: Sequence[Sequence[Point]]) -> None:
        """Look for a cell at the first points, then at the others."""
        if rounds:
            self._post([self._at(point) for point in rounds[0]], partial(self._take_first, rounds))
        else:
            self._lack("a container of very many elements does not report which of them are in view")

    def _take_first(self, rounds: Sequence[Sequence[Point]], replies: list[Reply]) -> None:
        found = [(point, ref) for point, reply in zip(rounds[0], replies, strict=True) if (ref := calls.ref_in(reply))]
        if found:
            point, ref = found[0]
            self._post([calls.get_extents(ref)], lambda replies: self._feel(point, calls.rect_in(replies[0])))
        else:
            self._look_for_one(rounds[1:])

    def _feel(self, point: Point, cell: Rect) -> None:
        """Down for rows, as dense as the first is high, and across for columns, one after the other.

        Along three lines each: a cell may be as wide as several columns, or as high as several rows.
        """
        step = max(cell.height - 1, _LEAST)
        aside, quarter = self._view.width // 4, self._view.height // 4
        downwards = [*range(self._view.top, self._view.bottom, step), self._view.bottom - 1]
        for x in (point.x, self._view.center.x - aside, self._view.center.x + aside)[: 1 if self._one_column else None]:
            self._look_for_rows([Point(x, y) for y in downwards], {})
        self._columns[cell.left] = _Line(cell, point)
        if self._one_column:
            return
        for y in (point.y, self._view.center.y - quarter, self._view.center.y + quarter):
            for onwards in (True, False):
                self._look_for_columns(Point(point.x, y), onwards=onwards)

    def _look(self, points: Sequence[Point], then: Callable[[list["_Line"]], None]) -> None:
        """The elements at the points; `_ask_cells` follows the last of them."""
        self._under_way += 1

        def take_refs(replies: list[Reply]) -> None:
            there = [(point, ref) for point, reply in zip(points, replies, strict=True) if (ref := calls.ref_in(reply))]
            hit = [point for point, _ in there]
            self._post([calls.get_extents(ref) for _, ref in there], partial(take_rects, hit))

        def take_rects(hit: Sequence[Point], replies: list[Reply]) -> None:
            rects = [calls.rect_in(reply).intersection(self._view) for reply in replies]
            then([_Line(rect, point) for rect, point in zip(rects, hit, strict=True) if not rect.empty])
            self._under_way -= 1
            if not self._under_way:
                self._ask_cells()

        self._post([self._at(point) for point in points], take_refs)

    def _look_for_rows(self, points: Sequence[Point], met: dict[int, "_Line"]) -> None:
        """Of cells that begin at the same place the lowest is the row. `met` are those along the line of the points."""

        def take(lines: list[_Line]) -> None:
            new = {line.rect.top: line for line in lines if line.rect.top not in met}
            met.update(new)
            for top, line in new.items():
                if top not in self._rows or line.rect.height < self._rows[top].rect.height:
                    self._rows[top] = line
            if not new:
                return
            rects = [line.rect for line in _in_order(met)]
            between = [
                (above.bottom + below.top) // 2
                for above, below in pairwise(rects)
                if below.top - above.bottom > 2 * _GAP
            ]
            around = [Point(points[0].x, y) for y in (rects[0].top - _GAP - 1, *between, rects[-1].bottom + _GAP)]
            self._look_for_rows([point for point in around if self._view.contains(point)], met)

        if points:
            self._look(points, take)

    def _look_for_columns(self, point: Point, *, onwards: bool) -> None:
        """Of cells that begin at the same place the narrowest is the column."""

        def take(lines: list[_Line]) -> None:
            for line in lines:
                known = self._columns.get(line.rect.left)
                if known is None or line.rect.width < known.rect.width:
                    self._columns[line.rect.left] = line
                x = line.rect.right + _GAP if onwards else line.rect.left - _GAP - 1
                if x != point.x and (x > point.x) is onwards:
                    self._look_for_columns(Point(x, point.y), onwards=onwards)

        if self._view.contains(point):
            self._look([point], take)

    def _ask_cells(self) -> None:
        rows, columns = _in_order(self._rows), _in_order(self._columns)
        if len(rows) * len(columns) > CELL_LIMIT:
            rows = rows[: CELL_LIMIT // len(columns)]
            self._lack(f"a container shows more than {CELL_LIMIT} cells; its first {len(rows)} rows were read")
        if not rows:
            self._lack("a container changed while it was read")
            return
        grid = _Grid([row.rect for row in rows], [column.rect for column in columns])
        points = [Point(column.hit.x, row.hit.y) for row in rows for column in columns]
        self._post([self._at(point) for point in points], partial(self._take_cells, grid))

    def _take_cells(self, grid: "_Grid", replies: list[Reply]) -> None:
        grid.fill([calls.ref_in(reply) for reply in replies])
        indexed = [*grid.plain_row, *grid.plain_column]
        if calls.TABLE not in self._container.interfaces or not all(indexed):
            self._finish(grid, self._view)
            return
        asked = [self._container.ref.get(calls.TABLE, "NColumns"), *(calls.get_index(ref) for ref in indexed if ref)]
        self._post(asked, partial(self._take_indexes, grid))

    def _take_indexes(self, grid: "_Grid", replies: list[Reply]) -> None:
        """Find the headers: those of columns have the first indexes, and each row may begin with one of its own."""
        columns, *indexes = [calls.int_in(reply, -1) for reply in replies]
        width = len(grid.columns)
        above, lefts = indexes[:width], indexes[width:]
        stride = min((after - before for before, after in pairwise(lefts) if after > before), default=0)
        if columns <= 0 or stride not in {columns, columns + 1} or min(indexes) < stride:
            self._finish(grid, self._view)
            return
        beside = [left - left % stride for left in lefts] if stride > columns else []
        asked = [
            calls.get_child(self._container.ref, index) for index in (*(index % stride for index in above), *beside)
        ]
        self._post(asked, partial(self._take_heads, grid))

    def _take_heads(self, grid: "_Grid", replies: list[Reply]) -> None:
        heads = [calls.ref_in(reply) for reply in replies]
        width = len(grid.columns)
        grid.header, grid.heads = heads[:width], heads[width:]
        asked = [ask(ref or self._container.ref) for ref in heads for ask in (calls.get_state, calls.get_extents)]

        def take(replies: list[Reply]) -> None:
            rects = [
                calls.rect_in(rect) if calls.bits_in(state) & SHOWING else NOWHERE
                for state, rect in zip(replies[::2], replies[1::2], strict=True)
            ]
            self._finish(grid, self._beside_heads(rects[:width], rects[width:]), (rects[:width], rects[width:]))

        self._post(asked, take)

    def _beside_heads(self, header: Sequence[Rect], heads: Sequence[Rect]) -> Rect:
        """Return the view of the cells: those that are scrolled behind the header may be reported, too."""
        top = max([self._view.top, *(rect.bottom for rect in header)])
        left = max([self._view.left, *(rect.right for rect in heads)])
        return self._view.intersection(Rect(left, top, self._view.right, self._view.bottom))

    def _finish(self, grid: "_Grid", view: Rect, heads: tuple[Sequence[Rect], Sequence[Rect]] = ((), ())) -> None:
        """Adopt the visible cells and headers; the extents of headers may ignore how far they are scrolled."""
        self._views.narrow(self._container, view)
        found: list[Ref] = []
        columns = [number for number, rect in enumerate(grid.columns) if rect.intersection(view).width >= _SLIVER]
        for number, rect in enumerate(heads[0]):
            head, place = grid.header[number], grid.columns[number].intersection(view)
            if head and number in columns and not rect.empty:
                self._views.place(head, Rect(place.left, rect.top, place.right, rect.bottom))
                found.append(head)
        for number, row in enumerate(grid.rows):
            place = row.intersection(view)
            if place.height < _SLIVER:
                continue
            if heads[1] and (head := grid.heads[number]) and not heads[1][number].empty:
                self._views.place(head, Rect(heads[1][number].left, place.top, heads[1][number].right, place.bottom))
                found.append(head)
            found += [ref for column in columns if (ref := grid.cells[number][column])]
        self._adopt(found)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row or a column, by one of its cells: the place of that, and a point at which it was met."""

    rect: Rect
    hit: Point


class _Grid:
    """The rows and columns of a view; `cells` by row and column, None for an empty one."""

    def __init__(self, rows: Sequence[Rect], columns: Sequence[Rect]) -> None:
        self.rows = rows
        self.columns = columns
        self.cells: list[list[Ref | None]] = []
        self.header: list[Ref | None] = []
        self.heads: list[Ref | None] = []

    def fill(self, refs: Sequence[Ref | None]) -> None:
        width = len(self.columns)
        self.cells = [list(refs[start : start + width]) for start in range(0, len(refs), width)]

    @property
    def plain_row(self) -> list[Ref | None]:
        """The first in which as few cells as possible are as wide as several columns."""
        return max(self.cells, key=lambda row: len({*row}))

    @property
    def plain_column(self) -> list[Ref | None]:
        """The first in which as few cells as possible are as high as several rows."""
        return max(map(list, zip(*self.cells, strict=True)), key=lambda column: len({*column}))


def _in_order(lines: Mapping[int, _Line]) -> list[_Line]:
    return [lines[begin] for begin in sorted(lines)]


class Pile:
    """The children in view of a list that reuses rows, of which all report SHOWING.

    Rows that are scrolled away keep their extents, so that several share a place: a hit test decides.
    """

    def __init__(self, post: Post, container: Node, view: Rect, children: Sequence[Ref], adopt: Adopt) -> None:
        self._post = post
        self._container = container
        self._view = view
        self._children = children
        self._adopt = adopt
        self._kept: dict[Ref, bool] = {}

    def read(self) -> None:
        self._post([calls.get_extents(ref, calls.WINDOW) for ref in self._children], self._take_places)

    def _take_places(self, replies: list[Reply]) -> None:
        places = [calls.rect_in(reply).intersection(self._view) for reply in replies]
        inside = [(ref, rect) for ref, rect in zip(self._children, places, strict=True) if not rect.empty]
        self._kept = {ref: True for ref, _ in inside}
        doubtful = _overlapping(inside)
        if not doubtful:
            self._finish()
            return
        self._wake([ref for ref, _ in doubtful], _LEVELS, partial(self._pick, doubtful))

    def _wake(self, refs: Sequence[Ref], levels: int, then: Callable[[], None]) -> None:
        """An object that was never requested as a child is not reported at a point."""

        def take(replies: list[Reply]) -> None:
            below = [ref for reply in replies for ref in calls.refs_in(reply)]
            if below and levels > 1 and len(below) <= CELL_LIMIT:
                self._wake(below, levels - 1, then)
            else:
                then()

        self._post([calls.get_children(ref) for ref in refs], take)

    def _pick(self, doubtful: Sequence[tuple[Ref, Rect]]) -> None:
        points = [rect.center for _, rect in doubtful]
        asked = [calls.accessible_at_point(self._container.ref, point.x, point.y, calls.WINDOW) for point in points]
        self._post(asked, partial(self._climb, [ref for ref, _ in doubtful], _LEVELS))

    def _climb(self, doubtful: Sequence[Ref], levels: int, replies: list[Reply]) -> None:
        """Go up from the element at the centre of each row to the row that contains it."""
        higher: list[tuple[Ref, Ref]] = []
        for row, reply in zip(doubtful, replies, strict=True):
            found = calls.ref_in(reply)
            if found in self._kept:
                self._kept[row] = found == row
            elif found:
                higher.append((row, found))
        if higher and levels:
            asked = [ref.get(calls.ACCESSIBLE, "Parent") for _, ref in higher]
            self._post(asked, partial(self._climb, [row for row, _ in higher], levels - 1))
        else:
            self._finish()

    def _finish(self) -> None:
        self._adopt([ref for ref in self._children if self._kept.get(ref)])


def _overlapping(places: Sequence[tuple[Ref, Rect]]) -> list[tuple[Ref, Rect]]:
    """Return those at the same height as others."""
    ordered = sorted(places, key=lambda place: place[1].top)
    found: dict[Ref, Rect] = {}
    lowest = ordered[:1]
    for ref, rect in ordered[1:]:
        if rect.top < lowest[0][1].bottom:
            found |= {lowest[0][0]: lowest[0][1], ref: rect}
        if rect.bottom > lowest[0][1].bottom:
            lowest = [(ref, rect)]
    return list(found.items())


class Span:
    """The children in view of a container that has them all, in reading order. `known`: all of them, if reported.

    The order is checked on a sample. The first and the last children are always read: they may stick
    to the edges of a page that is scrolled.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a search stands in
        self,
        post: Post,
        container: Node,
        count: int,
        view: Rect,
        adopt: Adopt,
        lack: Lack,
        known: Sequence[Ref] = (),
        space: int = calls.SCREEN,
    ) -> None:
        self._post = post
        self._container = container
        self._count = count
        self._view = view
        self._adopt = adopt
        self._lack = lack
        self._known = known
        self._space = space
        self._tries = _TRIES
        self._places: dict[int, Rect] = {}

    def read(self) -> None:
        self._look_at(_spread(0, self._count - 1))

    def _with_refs(self, indexes: Sequence[int], then: Callable[[list[Ref | None]], None]) -> None:
        if self._known:
            then([self._known[index] for index in indexes])
            return
        asked = [calls.get_child(self._container.ref, index) for index in indexes]
        self._post(asked, lambda replies: then([calls.ref_in(reply) for reply in replies]))

    def _look_at(self, indexes: Sequence[int]) -> None:
        def take_refs(refs: list[Ref | None]) -> None:
            there = [(index, ref) for index, ref in zip(indexes, refs, strict=True) if ref]
            self._post(
                [calls.get_extents(ref, self._space) for _, ref in there],
                partial(take_places, [index for index, _ in there]),
            )

        def take_places(found: Sequence[int], replies: list[Reply]) -> None:
            self._places |= {index: self._place_in(reply) for index, reply in zip(found, replies, strict=True)}
            self._narrow()

        self._with_refs(indexes, take_refs)

    def _place_in(self, reply: Reply) -> Rect:
        """Return the extents of a child; a space at the end of a line may report those of the paragraph."""
        rect = calls.rect_in(reply)
        return NOWHERE if rect == self._container.rect else rect

    def _narrow(self) -> None:
        placed = {index: self._places[index] for index in sorted(self._places) if not self._places[index].empty}
        tops = [rect.top for rect in placed.values()]
        if any(after < before - _UNEVEN for before, after in pairwise(tops)):
            self._start_again()
            return
        before = [index for index, rect in placed.items() if rect.bottom <= self._view.top]
        after = [index for index, rect in placed.items() if rect.top >= self._view.bottom]
        first, last = max(before, default=0), min(after, default=self._count - 1)
        inside = [index for index in placed if first < index < last]
        if first > last:  # it goes back all the time, by less than lines do
            self._start_again()
            return
        looked_at = sorted(self._places)
        ends = [(first, min(inside, default=last)), (max(inside, default=first), last)]
        between = [_spread(*end) for end in dict.fromkeys(ends) if end[1] - end[0] > _SAMPLES]
        wanted = sorted({index for part in between for index in part} - set(looked_at))
        if wanted:
            self._look_at(wanted)
            return
        self._confirm(range(max(first - _MARGIN, 0), min(last + _MARGIN, self._count - 1) + 1))

    def _confirm(self, in_view: range) -> None:
        """Check that the ends are still above and below the view: a page may have moved since they were found."""
        ends = (in_view[0], in_view[-1])

        def take_refs(refs: list[Ref | None]) -> None:
            self._post([calls.get_extents(ref, self._space) for ref in refs if ref], take_places)

        def take_places(replies: list[Reply]) -> None:
            above, below = ([*map(self._place_in, replies)] + [NOWHERE] * len(ends))[: len(ends)]
            begins = ends[0] == 0 or above.empty or above.top <= self._view.top
            reaches = ends[1] == self._count - 1 or below.empty or below.bottom >= self._view.bottom
            if begins and reaches:
                self._take(in_view)
            elif self._tries > 1:
                self._start_again()
            else:
                self._lack("the content of a container moves while it is read")
                self._take(in_view)

        self._with_refs(ends, take_refs)

    def _take(self, in_view: range) -> None:
        sticky = {0, 1, self._count - 2, self._count - 1}
        indexes = sorted(index for index in {*in_view, *sticky} if 0 <= index < self._count)
        self._with_refs(indexes[:CELL_LIMIT], lambda refs: self._adopt([ref for ref in refs if ref]))
        if len(indexes) > CELL_LIMIT:
            self._lack(f"a container shows more than {CELL_LIMIT} elements; the first of them were read")

    def _start_again(self) -> None:
        """A page that is being scrolled moves from one look to the next."""
        self._tries -= 1
        self._places = {}
        if self._tries:
            self.read()
        else:
            self._read_all()

    def _read_all(self) -> None:
        """There is no order to go by."""
        self._with_refs(range(min(self._count, CELL_LIMIT)), lambda refs: self._adopt([ref for ref in refs if ref]))
        if self._count > CELL_LIMIT:
            self._lack(f"a container has {self._count} elements in no order; the first {CELL_LIMIT} of them were read")


def _spread(first: int, last: int) -> list[int]:
    """So many numbers, evenly from the first to the last."""
    parts = max(min(_SAMPLES, last - first), 1)
    return sorted({first + (last - first) * part // parts for part in range(parts + 1)})
