"""Rules for the cells of a spreadsheet, and for shapes on it, such as a chart."""

from typing import Final

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.control_kinds import CLOSE_LIST, ROWS_OF_A_SHEET, SHAPES
from deskhand.commands.window_lookup import front_window, last_or_observed, observe_front
from deskhand.core.errors import ActionRefused, TargetCovered
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_ESCAPES: Final = 3
"""Escapes: out of the text in a shape, out of a part of it, and away from the shape itself."""

_LEFT_S: Final = 1.0


async def is_of_sheet(desktop: Desktop, call: Call, target: TargetInfo) -> bool:
    """True for the table of a spreadsheet's cells, whose items are ranges, or one of the cells."""
    seen = call.command.seen
    table = seen.find(target.parent) if target.type is Role.CELL and seen is not None else target
    if table is None or table.type is not Role.TABLE or Trait.FINDS_ITEMS in table.traits:
        return False
    try:
        return (await desktop.table_shape(table))[0] >= ROWS_OF_A_SHEET
    except ActionRefused:  # it does not report its size
        return False


async def free_cells(tools: ToolContext, call: Call) -> None:
    """Make sure that keys go to cells: deselect a shape of the document, which takes keys even while a cell reports the
    focus. Refuse while a formula is typed, which would take any selected cell as a reference, and under an open list.

    Raises: ActionRefused if a shape stays selected, or a formula is being typed; TargetCovered.
    """
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())

    async def left() -> Observation | None:
        now = await desktop.observe(window, picture=False)
        return now if selected_shape(now) is None else None

    seen = await last_or_observed(desktop, window)
    if over := next((control for control in seen.controls if Trait.POPUP_LIST in control.traits), None):
        raise TargetCovered(f"the cells are under {over.describe}, which is open", fix=CLOSE_LIST)
    for _ in range(_ESCAPES):
        if selected_shape(seen) is None:
            break
        tools.delivered = True
        await desktop.activate(window)
        await desktop.press([Chord("esc")])
        seen = await desktop.wait_until(left, deadline_s=_LEFT_S) or seen
    if (shape := selected_shape(seen)) is not None:
        raise ActionRefused(
            f"{shape.describe} stays selected and would take the keys", fix="click a cell that it does not cover"
        )
    require_no_typed_formula(seen)


async def require_cells_exposed(desktop: Desktop, call: Call) -> None:
    """Raises: ActionRefused while a formula is being typed: LibreOffice then exposes no text of any other cell."""
    require_no_typed_formula(await observe_front(desktop, call.need_window()))


def require_no_typed_formula(seen: Observation) -> None:
    """Raises: ActionRefused while a formula is being typed, which would take a selected cell as a reference."""
    if formula := _typed_formula(seen):
        raise ActionRefused(
            f"the formula {formula!r} is being typed into a cell: it takes all keys, and no cell exposes its text",
            fix="end it with {ENTER}, or leave it with {ESC}",
        )


def _typed_formula(seen: Observation) -> str:
    """The formula being typed into a cell; empty without one."""
    documents = {control.handle for control in seen.controls if control.type is Role.DOCUMENT}
    editors = {control.handle for control in seen.controls if control.parent in documents}
    texts = (control for control in seen.controls if control.type is Role.PARAGRAPH and control.parent in editors)
    return next((text.value for text in texts if "focused" in text.states and text.value.startswith("=")), "")


async def require_uncovered(desktop: Desktop, call: Call, cell: TargetInfo) -> None:
    """Raises: TargetCovered if a shape covers the middle of a cell, and would take the click."""
    seen = await observe_front(desktop, call.need_window())
    edited = {control.parent for control in seen.controls if "focused" in control.states}  # the cell's own editor
    shapes = (shape for shape in _shapes(seen) if shape.handle not in edited)
    over = next((shape for shape in shapes if shape.rect.contains(cell.rect.center)), None)
    if over is not None and not cell.rect.empty:
        raise TargetCovered(
            f"{cell.describe} is covered by {over.describe}", fix="choose it with select_item, or name it to a tool"
        )


def shape_on_sheet(call: Call, target: TargetInfo) -> TargetInfo | None:
    """The shape of a spreadsheet that a target is, or whose text it is; else None."""
    seen = call.command.seen
    if seen is None or not any(Trait.OF_SHEET in control.traits for control in seen.controls):
        return None
    shape = target if target.type in SHAPES else seen.find(target.parent)
    return next((each for each in _shapes(seen) if shape and each.handle == shape.handle), None)


async def end_editing(desktop: Desktop, window: TargetInfo) -> None:
    """Deselect any shape of a spreadsheet, which ends the editing of its text. Raises: ActionRefused while a formula is
    typed.
    """
    seen = await desktop.observe(window, picture=False)
    require_no_typed_formula(seen)
    if selected_shape(seen) is not None:
        await desktop.press([Chord("esc"), Chord("esc")])
        await desktop.settle(window)


def selected_shape(seen: Observation) -> TargetInfo | None:
    """The shape of a document that reports to be selected."""
    return next((shape for shape in _shapes(seen) if "selected" in shape.states), None)


def _shapes(seen: Observation) -> list[TargetInfo]:
    documents = {control.handle for control in seen.controls if control.type is Role.DOCUMENT}
    return [control for control in seen.controls if control.type in SHAPES and control.parent in documents]
