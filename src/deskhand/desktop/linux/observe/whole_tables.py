"""Whole tables, in every application."""

from collections.abc import Sequence
from time import monotonic
from typing import Final, Protocol, TypeAlias

from deskhand.core.errors import ActionRefused
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.refusals import speaking_of
from deskhand.desktop.linux.atspi.tables import Tables
from deskhand.desktop.protocols.accessibility import Merged

CELL_LIMIT: Final = 20_000
_CELLS_S: Final = 55.0
"""Little less than the time of the tools that read tables."""

Rows: TypeAlias = tuple[tuple[str, ...], ...]


class Documents(Protocol):
    """Reads the tables of text documents."""

    async def read(self, document: Ref, table: str, *, deadline_s: float) -> Rows: ...

    async def document_of(self, ref: Ref, *, deadline_s: float) -> Ref | None: ...

    async def read_outside(self, table: Ref, document: Ref, *, deadline_s: float) -> Rows: ...


class UsedArea(Protocol):
    """Finds the cells of a spreadsheet that are in use."""

    async def within(self, table: Ref, shape: tuple[int, int], *, deadline_s: float) -> tuple[int, int]: ...


class WholeTables:
    """Reads the tables of documents as a whole, and all others by their own interface."""

    def __init__(self, tables: Tables, documents: Documents, used: UsedArea) -> None:
        self._tables = tables
        self._documents = documents
        self._used = used

    async def read(self, table: TargetInfo, *, deadline_s: float) -> tuple[tuple[str, ...], ...]:
        """See `Accessibility.read_table`."""
        place = calls.parse_document_table(table.handle)
        if place:
            return await self._documents.read(*place, deadline_s=deadline_s)
        ref, end = _ref(table), monotonic() + deadline_s
        rows, columns = await self.shape(table, deadline_s=deadline_s / 2)
        document = await self._documents.document_of(ref, deadline_s=(end - monotonic()) / 2)
        if document:
            return await self._documents.read_outside(ref, document, deadline_s=end - monotonic())
        if rows * columns > CELL_LIMIT:
            raise ActionRefused(
                f"{table.describe} has {rows} rows and {columns} columns: it is too large to be read whole.",
                fix="Read a part of it, named as cells of a sheet are: range=A1:C50.",
            )
        told = await self._tables.rows_told(ref, deadline_s=(end - monotonic()) / 2)
        if told > rows:
            raise ActionRefused(
                f"{table.describe} has {told} rows, of which its page holds {rows} just now: it cannot be read whole.",
                fix="Observe the window: it lists the rows that show; scroll for the others.",
            )
        return await self.cells(table, range(rows), range(columns), deadline_s=end - monotonic())

    async def shape(self, table: TargetInfo, *, deadline_s: float) -> tuple[int, int]:
        """See `Accessibility.table_shape`."""
        place = calls.parse_document_table(table.handle)
        if place is None:
            with speaking_of(_ref(table), table.describe):
                return await self._tables.shape(_ref(table), deadline_s=deadline_s)
        rows = await self._documents.read(*place, deadline_s=deadline_s)
        return len(rows), len(rows[0])

    async def used(self, table: TargetInfo, *, deadline_s: float) -> tuple[int, int]:
        """See `Accessibility.table_shape`."""
        with speaking_of(_ref(table), table.describe):
            end = monotonic() + deadline_s
            shape = await self._tables.shape(_ref(table), deadline_s=deadline_s)
            return await self._used.within(_ref(table), shape, deadline_s=end - monotonic())

    async def formula_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """See `Accessibility.formula_cells`."""
        with speaking_of(_ref(table), table.describe):
            return await self._tables.formula_cells(_ref(table), places, deadline_s=_CELLS_S)

    async def cells(
        self, table: TargetInfo, rows: range, columns: range, *, deadline_s: float
    ) -> tuple[tuple[str, ...], ...]:
        """See `Accessibility.read_table`."""
        place = calls.parse_document_table(table.handle)
        if place is None:
            with speaking_of(_ref(table), table.describe):
                return await self._tables.cells(_ref(table), rows, columns, deadline_s=deadline_s)
        whole = await self._documents.read(*place, deadline_s=deadline_s)
        shape = (len(whole), len(whole[0]))
        if not _inside(rows, shape[0]) or not _inside(columns, shape[1]):
            raise ActionRefused(
                f"{table.describe} has {shape[0]} rows and {shape[1]} columns; a part of the block is outside.",
                fix="Ask for cells inside the table, counted from 0.",
            )
        return tuple(tuple(whole[row][column] for column in columns) for row in rows)

    async def merged(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:
        """See `Accessibility.merged_cells`."""
        with speaking_of(_ref(table), table.describe):
            found = await self._tables.merged(_ref(table), rows, columns, deadline_s=_CELLS_S)
        return tuple(Merged(*each) for each in found)


def _inside(indices: range, size: int) -> bool:
    return all(0 <= index < size for index in (*indices[:1], *indices[-1:]))


def _ref(table: TargetInfo) -> Ref:
    ref = calls.parse_handle(table.handle)
    if ref is None:
        raise ActionRefused(f"{table.describe} is not a table of an application.", fix="Choose a table.")
    return ref
