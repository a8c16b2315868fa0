"""Reading a table, or the cells of a spreadsheet, as rows of texts (contract 4.2)."""

from collections.abc import Container, Sequence, Set
from dataclasses import replace
from typing import Final

from pydantic import Field

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import TargetArguments, action
from deskhand.commands.control_kinds import TRACKED_CHANGES
from deskhand.commands.techniques.cells import Address, parse_range, range_name
from deskhand.commands.techniques.formulas import read_formulas
from deskhand.commands.techniques.sheets import is_of_sheet, require_cells_exposed
from deskhand.core.command import EffectClass, Needed, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.protocols.desktop import Desktop

MOST_CELLS: Final = 200_000
"""Of one call; LibreOffice returns some 8000 in a second."""
_READ_S: Final = 55.0
_AT_ONCE: Final = 10_000
_MOST_BLANK: Final = 20_000
"""Cells without text that are asked for a formula, each of which takes as long as reading three others."""

Cells = Sequence[Sequence[str]]


class ReadTable(TargetArguments):
    range: str = Field(default="", description="cells such as A1:C5; empty: the whole table, of a sheet what is filled")
    formulas: bool = Field(default=False, description="of a sheet: `formulas`, by cell")


async def read_table(tools: ToolContext, call: Call, arguments: ReadTable) -> ToolOutcome:
    """Reads a table, or a range of it such as A1:C5, as rows of texts, also hidden ones; of a sheet the filled area.
    `untold`: cells whose result cannot be read.
    """
    desktop, table = tools.desktop, call.need_target()
    start, of_sheet = Address(0, 0), await is_of_sheet(desktop, call, table)
    unexposed: set[Address] = set()
    unasked = ""
    if of_sheet:
        await require_cells_exposed(desktop, call)
    if arguments.range:
        rows, columns = parse_range(arguments.range)
        if of_sheet:
            await _require_inside(desktop, table, arguments.range, Address(rows[-1], columns[-1]))
        start = Address(rows[0], columns[0])
        cells = await _block(desktop, table, rows, columns)
    elif of_sheet:
        height, width = await desktop.table_shape(table, used=True)
        cells = await _block(desktop, table, range(height), range(width))
        if len(_blank(start, cells)) > _MOST_BLANK:
            start, cells = _filled(start, cells, unexposed)
            unasked = "; which cells around them hold a formula that comes to an error was not asked"
    else:
        cells = await desktop.read_table(table)
        unasked = _tracked(call, table)
    if of_sheet:
        blank = _blank(start, cells)
        if len(blank) > _MOST_BLANK:
            unasked = "; which of its many cells without text hold a formula was not asked"
        else:
            found = await desktop.formula_cells(table, [(cell.row, cell.column) for cell in blank])
            unexposed = {Address(*place) for place in found}
        if not arguments.range:
            start, cells = _filled(start, cells, unexposed)
    done = _outcome(start, cells, unexposed, unasked)
    return await _with_formulas(tools, call, done, start, cells, of_sheet=of_sheet) if arguments.formulas else done


async def _with_formulas(
    tools: ToolContext, call: Call, done: ToolOutcome, start: Address, cells: Cells, *, of_sheet: bool
) -> ToolOutcome:
    """Add the formulas. Raises: ActionRefused."""
    if not of_sheet:
        raise ActionRefused("only sheets have formulas", fix="leave formulas out")
    found = await read_formulas(tools, call, start, len(cells), len(cells[0])) if cells and cells[0] else {}
    data = dict(pairs_of(done.data))
    return replace(done, data={**data, "formulas": found}, evidence=f"{done.evidence}; {len(found)} formulas")


def _tracked(call: Call, table: TargetInfo) -> str:
    """A note on changes that are recorded in the table, as far as it was in view; empty without any."""
    seen = call.command.seen
    parts = [part for part in seen.inside_of(table) if TRACKED_CHANGES in part.states] if seen else []
    return f"; {len(parts)} texts have tracked changes: deleted words are left out" if parts else ""


def _outcome(start: Address, cells: Cells, unexposed: Set[Address], unasked: str) -> ToolOutcome:
    height, width = len(cells), max((len(row) for row in cells), default=0)
    name = range_name(start, height, width) if height and width else ""
    data: dict[str, object] = {"rows": height, "columns": width, "range": name, "cells": [list(row) for row in cells]}
    evidence = f"{height} rows, {width} columns{f', {name}' if name else ''}"
    if unexposed:
        data["untold"] = [str(cell) for cell in sorted(unexposed, key=lambda cell: (cell.row, cell.column))]
        evidence += f"; cells that hold a formula that comes to an error or an empty text: {len(unexposed)}"
    return ToolOutcome(data, None, Route.ACCESSIBILITY, evidence + unasked)


async def _require_inside(desktop: Desktop, table: TargetInfo, given: str, end: Address) -> None:
    rows, columns = await desktop.table_shape(table)
    if end.row >= rows or end.column >= columns:
        raise ActionRefused(
            f"{given} reaches beyond the sheet: its last cell is {Address(rows - 1, columns - 1)}",
            fix="choose cells inside the sheet",
        )


def _blank(start: Address, cells: Cells) -> list[Address]:
    """The cells without text."""
    return [start.moved(r, c) for r, row in enumerate(cells) for c, text in enumerate(row) if not text]


async def _block(desktop: Desktop, table: TargetInfo, rows: range, columns: range) -> Cells:
    """Raises: ActionRefused if it is too large for one call, or reaches beyond the table."""
    if len(rows) * len(columns) > MOST_CELLS:
        area = range_name(Address(rows[0], columns[0]), len(rows), len(columns))
        part = range_name(Address(rows[0], columns[0]), max(1, MOST_CELLS // 2 // len(columns)), len(columns))
        raise ActionRefused(
            f"the cells {area} of {table.describe} are {len(rows) * len(columns)}, more than {MOST_CELLS} at once",
            fix=f"read them in parts, beginning with range={part}",
        )
    found: list[Sequence[str]] = []
    deep = max(1, _AT_ONCE // max(1, len(columns)))
    for top in range(rows.start, rows.stop, deep):
        part = range(top, min(top + deep, rows.stop))
        found += await desktop.read_table(table, part, columns, deadline_s=_READ_S)
    return found


def _filled(start: Address, cells: Cells, unexposed: Container[Address]) -> tuple[Address, Cells]:
    """Drop the empty outer rows and columns; return the new start too."""
    filled = [
        (r, c) for r, row in enumerate(cells) for c, text in enumerate(row) if text or start.moved(r, c) in unexposed
    ]
    if not filled:
        return Address(0, 0), ()
    top, bottom = filled[0][0], filled[-1][0]
    columns = [column for _, column in filled]
    left, right = min(columns), max(columns)
    return start.moved(top, left), [row[left : right + 1] for row in cells[top : bottom + 1]]


TOOLS = (
    action(ReadTable, read_table, effect_class=EffectClass.NONE, has_effect=False, deadline_s=60.0, needs=Needed.TABLE),
)
