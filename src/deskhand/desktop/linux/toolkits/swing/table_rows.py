"""Tables of which only the cells in view are requested, and their objects cached.

The Java bridge makes another object of a cell for each request, and each listens, for good, to the one component that
draws all cells of its kind. A check box among those reports a change to all of them with each cell that it draws next:
after many events the bridge answers nothing any more.
"""

# upstream: not reported
# seen in: java-atk-wrapper 0.40.0

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Post, Reply
from deskhand.desktop.linux.atspi.node import CELL_LIMIT
from deskhand.desktop.linux.atspi.roles import CHECKED

Adopt = Callable[[Sequence[Ref], Sequence[Ref]], None]
"""Takes the cells in view, in order, and once more in the order of the requests."""

_TABLES_KEPT: Final = 32


@dataclass(slots=True)
class KeptRows:
    """Objects of the cells that the last read of each table requested, by number, with the number of columns."""

    _tables: dict[Ref, tuple[int, Mapping[int, Ref]]] = field(default_factory=dict[Ref, tuple[int, Mapping[int, Ref]]])

    def of(self, table: Ref, columns: int) -> Mapping[int, Ref]:
        had, cells = self._tables.get(table, (columns, {}))
        return cells if had == columns else {}

    def keep(self, table: Ref, columns: int, cells: Mapping[int, Ref]) -> None:
        self._tables.pop(table, None)
        self._tables[table] = (columns, cells)
        if len(self._tables) > _TABLES_KEPT:
            del self._tables[next(iter(self._tables))]


class Rows:
    """The cells in view of a table, found from the height of its first rows and the top of its last row.

    `otherwise`: called if rows differ in height, or have no extents.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a search stands in
        self,
        post: Post,
        table: Ref,
        count: int,
        view: Rect,
        kept: KeptRows,
        adopt: Adopt,
        otherwise: Callable[[], None],
    ) -> None:
        self._post = post
        self._table = table
        self._count = count
        self._view = view
        self._kept = kept
        self._adopt = adopt
        self._otherwise = otherwise
        self._columns = 0
        self._cells: dict[int, Ref] = {}

    def read(self) -> None:
        self._post([self._table.get(calls.TABLE, "NColumns")], self._take_columns)

    def _take_columns(self, replies: list[Reply]) -> None:
        self._columns = calls.int_in(replies[0])
        if self._columns <= 0 or self._count % self._columns or self._view.empty:
            self._otherwise()
            return
        self._place([0, self._last_row], self._take_ends)

    @property
    def _last_row(self) -> int:
        return self._count // self._columns - 1

    def _place(self, rows: Sequence[int], then: Callable[[list[Rect]], None]) -> None:
        """Where the first cells of rows are, one for each row, where all have one."""

        def ask() -> None:
            refs = [ref for row in rows if (ref := self._cells.get(row * self._columns))]
            if len(refs) < len(rows):
                self._otherwise()
                return
            self._post(
                [calls.get_extents(ref) for ref in refs],
                lambda replies: then([calls.rect_in(reply) for reply in replies]),
            )

        self._with_cells([row * self._columns for row in rows], ask)

    def _with_cells(self, indexes: Sequence[int], then: Callable[[], None]) -> None:
        """Those that were kept are asked first whether they are still there."""
        kept = self._kept.of(self._table, self._columns)
        had = [(index, kept[index]) for index in indexes if index in kept and index not in self._cells]

        def take_kept(replies: list[Reply]) -> None:
            pairs = zip(had, replies, strict=True)
            self._cells |= {index: ref for (index, ref), reply in pairs if calls.int_in(reply, -1) == index}
            missing = [index for index in indexes if index not in self._cells]
            self._post([calls.get_child(self._table, index) for index in missing], lambda new: take_new(missing, new))

        def take_new(missing: Sequence[int], replies: list[Reply]) -> None:
            pairs = zip(missing, replies, strict=True)
            self._cells |= {index: ref for index, reply in pairs if (ref := calls.ref_in(reply))}
            then()

        self._post([calls.get_index(ref) for _, ref in had], take_kept)

    def _take_ends(self, places: list[Rect]) -> None:
        rows = self._last_row
        if any(place.empty for place in places):
            self._otherwise()
            return
        first, last = places
        height = (last.top - first.top) / rows if rows else first.height
        if height <= 0:
            self._otherwise()
            return
        top = min(max(int((self._view.top - first.top) // height), 0), rows)
        bottom = min(max(int((self._view.bottom - 1 - first.top) // height), 0), rows)
        around = [max(top - 1, 0), min(bottom + 1, rows)]
        self._place(around, lambda ends: self._take_around(range(top, bottom + 1), around, ends))

    def _take_around(self, shown: range, around: Sequence[int], places: list[Rect]) -> None:
        """What is before and after the rows that show is out of view, or there is nothing."""
        before, after = places
        begins = around[0] == shown[0] or before.bottom <= self._view.top
        ends = around[1] == shown[-1] or after.top >= self._view.bottom
        if not begins or not ends:
            self._otherwise()
            return
        if len(shown) * self._columns > CELL_LIMIT:
            self._otherwise()
            return
        wanted = [row * self._columns + column for row in shown for column in range(self._columns)]
        self._with_cells(wanted, lambda: self._put_in_order(wanted))

    def _put_in_order(self, wanted: Sequence[int]) -> None:
        """All that are checked are asked before all that are not: what draws both becomes another but once."""
        before = {index: number for number, index in enumerate(self._kept.of(self._table, self._columns))}
        there = sorted((index for index in wanted if index in self._cells), key=lambda index: before.get(index, index))

        def take(replies: list[Reply]) -> None:
            checked = {index: calls.bits_in(reply) & CHECKED for index, reply in zip(there, replies, strict=True)}
            order = sorted(there, key=lambda index: not checked[index])
            around = [index for index in self._cells if index not in checked]
            self._kept.keep(self._table, self._columns, {index: self._cells[index] for index in (*order, *around)})
            self._adopt([self._cells[index] for index in sorted(there)], [self._cells[index] for index in order])

        self._post([calls.get_state(self._cells[index]) for index in there], take)
