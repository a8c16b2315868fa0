"""Formulas of a spreadsheet, written and read through the application's own interface."""

from collections.abc import Sequence
from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.effects.sheet_copy import normal_formula
from deskhand.commands.techniques.cells import Address, Sheet, range_name
from deskhand.commands.techniques.clipboard_block import DAY_FORMAT, decimals_of, is_day, is_number, same_value
from deskhand.commands.techniques.document_copy import copied_sheet
from deskhand.commands.techniques.own_interface import change, free_window, required_interface
from deskhand.commands.techniques.sheets import free_cells
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonValue
from deskhand.core.text import quoted
from deskhand.store.opendocument import StoredCell

_WRITE_S: Final = 30.0
_MOST_CELLS: Final = 20_000


async def write_with_formulas(
    tools: ToolContext, call: Call, sheet: Sheet, start: Address, rows: Sequence[Sequence[str]], *, decimals: bool
) -> ToolOutcome:
    """Write a block of texts, of which those that begin with `=` become formulas, as one step for Undo.

    Values are read back from the window, formulas from a copy of the document. Raises: ActionRefused.
    """
    _require_few(len(rows), len(rows[0]))
    area = range_name(start, len(rows), len(rows[0]))
    down, across = range(start.row, start.row + len(rows)), range(start.column, start.column + len(rows[0]))
    window = await free_window(tools, call)
    await free_cells(tools, call)
    async with required_interface(tools, window) as interface:
        given: list[JsonValue] = [[_given(text, decimals=decimals) for text in row] for row in rows]
        told = await change(tools, interface, "write_cells", area=area, rows=given, deadline_s=_WRITE_S)
        copy = await copied_sheet(interface, str(told["sheet"]), down, across)
    shown = await tools.desktop.read_table(sheet.cells, down, across)
    wrong: list[str] = []
    errors: list[str] = []
    for r, row in enumerate(rows):
        for c, wanted in enumerate(row):
            cell, place = copy.at(start.row + r, start.column + c), start.moved(r, c)
            difference = _difference(wanted, cell, shown[r][c], decimals=decimals)
            wrong += [f"{place} {difference}"] if difference else []
            errors += [f"{place} comes to {cell.text}"] if cell.kind == "error" else []
    note = f"; {len(errors)} formulas come to an error: {errors[0]}" if errors else ""
    if wrong:
        return _outcome(area, Effect.PARTIAL, f"{len(wrong)} cells differ: {wrong[0]}{note}")
    return _outcome(area, Effect.CONFIRMED, f"{area} reads back equal, with its formulas{note}")


async def read_formulas(tools: ToolContext, call: Call, start: Address, height: int, width: int) -> dict[str, str]:
    """The formulas of a block, by cell, as they are typed. Raises: ActionRefused."""
    _require_few(height, width)
    window = await free_window(tools, call)
    async with required_interface(tools, window) as interface:
        told = await interface.read("formulas", area=range_name(start, height, width))
    rows = told["formulas"]
    cells = [list(row) if isinstance(row, list) else [] for row in rows] if isinstance(rows, list) else []
    return {
        str(start.moved(r, c)): formula
        for r, row in enumerate(cells)
        for c, formula in enumerate(row)
        if isinstance(formula, str) and formula
    }


def _require_few(height: int, width: int) -> None:
    if height * width > _MOST_CELLS:
        raise ActionRefused(
            f"{height * width} cells are more than {_MOST_CELLS} at once", fix="take the range in parts"
        )


def _given(text: str, *, decimals: bool) -> JsonValue:
    if text.startswith("="):
        return {"formula": text}
    if is_number(text, decimals=decimals):
        places = decimals_of(text) if decimals else 0
        return {"number": float(text), "format": f"0.{'0' * places}" if places else ""}
    if is_day(text):
        return {"day": text, "format": DAY_FORMAT}
    return {"text": text} if text else {}


def _difference(wanted: str, cell: StoredCell, shown: str, *, decimals: bool) -> str:
    """The difference of a cell from the given text; empty if there is none."""
    if wanted.startswith("="):
        read = normal_formula(cell.formula)
        return "" if read == normal_formula(wanted) else f"has the formula {quoted(cell.formula)}, not {quoted(wanted)}"
    if cell.formula:
        return f"has the formula {quoted(cell.formula)}"
    if is_day(wanted) and (cell.kind, cell.value) != ("date", wanted):
        return f"is no date: {quoted(shown)}"
    return "" if same_value(wanted, shown, decimals=decimals) else f"reads {quoted(shown)}, not {quoted(wanted)}"


def _outcome(area: str, effect: Effect, evidence: str) -> ToolOutcome:
    return ToolOutcome({"range": area}, effect, Route.APPLICATION_API, evidence, retry_safe=False)
