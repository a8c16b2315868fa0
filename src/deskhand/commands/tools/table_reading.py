"""Reading a table, or the cells of a spreadsheet, as rows of texts (SPEC 4.2)."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from deskhand.commands.catalogue import Call, TargetArguments, ToolContext, ToolOutcome, action
from deskhand.commands.tools.sheets import is_of_sheet
from deskhand.commands.tools.tables import Address, parse_range, range_name
from deskhand.core.command import EffectClass, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Desktop

MOST_CELLS: Final = 200_000
"""Of one reading; LibreOffice tells some 8000 in a second."""
_READ_S: Final = 55.0
_AT_ONCE: Final = 10_000
_MOST_BLANK: Final = 20_000
"""Cells without text that are asked what they hold, which takes as long as reading three others."""

Cells = Sequence[Sequence[str]]


class ReadTable(TargetArguments):
    """`range`: the cells that are read, by their addresses; a table that is no spreadsheet counts its own from A1."""

    range: str = Field(default="", description="cells such as A1:C5; empty: the whole table, of a sheet what is filled")


async def read_table(tools: ToolContext, call: Call, arguments: ReadTable) -> ToolOutcome:
    """Reads a whole table as rows of texts, also over several pages; of a spreadsheet the filled area, or the
    range. `untold` are cells with a formula whose result is not told, as of an error."""
    desktop, table = tools.desktop, call.need_target()
    start, of_sheet = Address(0, 0), await is_of_sheet(desktop, call, table)
    if arguments.range:
        rows, columns = parse_range(arguments.range)
        start = Address(rows[0], columns[0])
        cells = await _block(desktop, table, rows, columns)
    elif of_sheet:
        height, width = await desktop.used_cells(table)
        start, cells = _filled(await _block(desktop, table, range(height), range(width)))
    else:
        cells = await desktop.read_table(table)
    rows, columns = len(cells), max((len(row) for row in cells), default=0)
    name = range_name(start, rows, columns) if rows and columns else ""
    data: dict[str, object] = {"rows": rows, "columns": columns, "range": name, "cells": [list(row) for row in cells]}
    evidence = f"{rows} rows, {columns} columns{f', {name}' if name else ''}"
    blank = [start.moved(r, c) for r, row in enumerate(cells) for c, text in enumerate(row) if not text]
    if of_sheet and len(blank) > _MOST_BLANK:
        evidence += "; which of its many cells without text hold a formula was not asked"
    elif of_sheet and (untold := await desktop.untold_cells(table, [(cell.row, cell.column) for cell in blank])):
        data["untold"] = [str(Address(*place)) for place in untold]
        evidence += f"; cells that hold a formula that comes to an error or an empty text: {len(untold)}"
    return ToolOutcome(data, None, Route.ACCESSIBILITY, evidence)


async def _block(desktop: Desktop, table: TargetInfo, rows: range, columns: range) -> Cells:
    """Raises: ActionRefused where it is too large to be read at once, or reaches beyond the table."""
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
        found += await desktop.table_cells(table, part, columns, deadline_s=_READ_S)
    return found


def _filled(cells: Cells) -> tuple[Address, Cells]:
    """Without the empty rows and columns around what is filled, and where it begins."""
    rows = [number for number, row in enumerate(cells) if any(row)]
    columns = [number for number in range(len(cells[0]) if cells else 0) if any(row[number] for row in cells)]
    if not rows:
        return Address(0, 0), ()
    start, end = Address(rows[0], columns[0]), Address(rows[-1], columns[-1])
    return start, [row[start.column : end.column + 1] for row in cells[start.row : end.row + 1]]


TOOLS = (action(ReadTable, read_table, effect_class=EffectClass.NONE, has_effect=False, deadline_s=60.0),)
