"""What is particular to the cells of a spreadsheet, and to the shapes on it, such as a chart."""

from typing import Final

from deskhand.commands.catalogue import Call
from deskhand.commands.tools.about import SHAPES
from deskhand.commands.tools.look import front_window
from deskhand.core.errors import ActionRefused, TargetCovered
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Chord, Desktop

ROWS_OF_A_SHEET: Final = 65_536
"""So many rows has a spreadsheet at least, and hardly any other table."""

_ESCAPES: Final = 3
"""Out of the text in a shape, out of a part of it, and away from the shape itself."""

_LEFT_S: Final = 1.0


async def is_of_sheet(desktop: Desktop, call: Call, target: TargetInfo) -> bool:
    """Whether a control is the cells of a spreadsheet, whose items are ranges, or one of them."""
    seen = call.command.seen
    table = seen.find(target.parent) if target.type is Role.CELL and seen is not None else target
    return table is not None and table.type is Role.TABLE and (await desktop.table_shape(table))[0] >= ROWS_OF_A_SHEET


async def leave_shapes(desktop: Desktop, call: Call) -> None:
    """Lets go of a shape of the document that is selected, as far as was seen: that would take the keys, also while a
    cell says that it has the keyboard. Raises: ActionRefused where it stays selected.
    """
    if call.command.seen is not None and selected_shape(call.command.seen) is None:
        return
    window = await front_window(desktop, call.need_window())

    async def left() -> bool | None:
        nonlocal shape
        shape = selected_shape(await desktop.observe(window, picture=False))
        return True if shape is None else None

    shape: TargetInfo | None = None
    if await left():
        return
    await desktop.activate(window)
    for _ in range(_ESCAPES):
        await desktop.press([Chord("esc")])
        if await desktop.wait_until(left, deadline_s=_LEFT_S):
            return
    told = shape.describe if shape else "a shape"
    raise ActionRefused(f"{told} stays selected and would take the keys", fix="click a cell that it does not cover")


async def require_no_formula(desktop: Desktop, call: Call) -> None:
    """Raises: ActionRefused where a formula is being typed into a cell: that goes on wherever the cursor is put to."""
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    documents = {control.handle for control in seen.controls if control.type is Role.DOCUMENT}
    editors = {control.handle for control in seen.controls if control.parent in documents}
    for control in seen.controls:
        typed = control.type is Role.PARAGRAPH and "focused" in control.states and control.parent in editors
        if typed and control.value.startswith("="):
            raise ActionRefused(
                f"the formula {control.value!r} is being typed into a cell, and would take what is sent",
                fix="end it with {ENTER}, or leave it with {ESC}",
            )


async def require_uncovered(desktop: Desktop, call: Call, cell: TargetInfo) -> None:
    """Raises: TargetCovered where a shape lies over the middle of a cell, and would take the click."""
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    edited = {control.parent for control in seen.controls if "focused" in control.states}  # the cell's own editor
    shapes = (shape for shape in _shapes(seen) if shape.handle not in edited)
    over = next((shape for shape in shapes if shape.rect.contains(cell.rect.center)), None)
    if over is not None and not cell.rect.empty:
        raise TargetCovered(
            f"{cell.describe} is covered by {over.describe}", fix="choose it with select_item, or name it to a tool"
        )


def selected_shape(seen: Observation) -> TargetInfo | None:
    """One that stands in a document and says that it is selected."""
    return next((shape for shape in _shapes(seen) if "selected" in shape.states), None)


def _shapes(seen: Observation) -> list[TargetInfo]:
    documents = {control.handle for control in seen.controls if control.type is Role.DOCUMENT}
    return [control for control in seen.controls if control.type in SHAPES and control.parent in documents]
