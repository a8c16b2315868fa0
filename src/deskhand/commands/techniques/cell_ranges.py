"""Selecting cells of a spreadsheet by their addresses."""

from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.control_kinds import MARKED
from deskhand.commands.techniques.cells import (
    ADDRESS,
    Address,
    go_to,
    open_sheet,
    parse_address,
    parse_range,
    require_inside,
    select_several,
)
from deskhand.commands.techniques.sheets import free_cells
from deskhand.commands.window_lookup import front_window, observe_front
from deskhand.core.command import Effect, Route
from deskhand.core.roles import Role
from deskhand.desktop.protocols.desktop import Desktop

_MARKED_S: Final = 2.0


async def select_range(tools: ToolContext, call: Call, name: str) -> ToolOutcome:
    """Select cells by their address, such as `A1:C5`. Raises: ActionRefused, ElementNotFound."""
    rows, columns = parse_range(name)
    start, end = Address(rows[0], columns[0]), Address(rows[-1], columns[-1])
    cells = len(rows) * len(columns)
    sheet = await open_sheet(tools.desktop, call)
    await require_inside(tools.desktop, sheet, start, end)
    await tools.desktop.activate(await front_window(tools.desktop, call.need_window()))
    await free_cells(tools, call)
    tools.delivered = True
    if cells == 1:
        await go_to(tools.desktop, call, sheet, str(start), single=False)
    else:
        await select_several(tools.desktop, sheet, f"{start}:{end}", cells)
    route = Route.SYNTHETIC_INPUT if sheet.name_box is None else Route.ACCESSIBILITY

    async def marked() -> bool | None:
        return True if await _shows_marked(tools.desktop, call, rows, columns) else None

    if await tools.desktop.wait_until(marked, deadline_s=_MARKED_S):
        return ToolOutcome(None, Effect.CONFIRMED, route, f"{name} is selected")
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, f"the visible cells do not report that {name} is selected")


async def _shows_marked(desktop: Desktop, call: Call, rows: range, columns: range) -> bool:
    """True if exactly those visible cells that are in a block report to be selected, or to have the cursor.

    The Name Box proves nothing: it shows its own input.
    """
    seen = await observe_front(desktop, call.need_window())
    cells = {c.name: c.states for c in seen.controls if c.type is Role.CELL and ADDRESS.fullmatch(c.name)}
    places = {name: parse_address(name) for name in cells}
    wanted = {name for name, place in places.items() if place.row in rows and place.column in columns}
    return bool(wanted) and wanted == {name for name, states in cells.items() if states & MARKED}
