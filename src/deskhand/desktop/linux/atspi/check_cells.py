"""Check boxes in lists and tables: cells without a name that toggle."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, cut
from deskhand.desktop.linux.atspi.roles import CHECKABLE, TABLE_CELL

TOGGLE: Final = "toggle"


def place_checks(nodes: Mapping[Ref, Node]) -> None:
    """Mark check boxes as checkable, and move one that reaches out of its cell back by that.

    In the column with the expanders, content is reported right of where it is drawn, by the width of an expander; a
    box is drawn in the middle of its extents.
    """
    for box in nodes.values():
        if not _is_box(box):
            continue
        box.state |= CHECKABLE
        cell = nodes.get(box.parent) if box.parent else None
        if cell is not None and cell.role == TABLE_CELL and box.rect.left == cell.rect.left:
            beyond = box.rect.right - cell.rect.right
            box.rect = box.rect.moved(-max(beyond, 0), 0)


def fold_checks(nodes: dict[Ref, Node]) -> None:
    """Merge each check box with the cell around it, and each box without width with the cell that follows.

    The object of the box remains, which reports CHECKED, with the name of the cell that follows. Such a row begins at
    the left edge of the list: the box is drawn left of its extents.
    """
    for table in [*nodes.values()]:
        table.children = [_box_alone_in(ref, nodes) or ref for ref in table.children]
        cells = [cell for ref in table.children if (cell := nodes.get(ref)) and cell.role == TABLE_CELL]
        for box, cell in pairwise(cells):
            if _is_box_of(box, cell):
                box.name, box.text = cell.name, cell.text
                box.rect = Rect(table.rect.left, cell.rect.top, cell.rect.right, cell.rect.bottom)
                table.children.remove(cell.ref)
                cut(nodes, cell.ref)


def _box_alone_in(ref: Ref, nodes: dict[Ref, Node]) -> Ref | None:
    """Replace a cell by the check box that is all that is visible in it. Return the box."""
    cell = nodes.get(ref)
    if cell is None or cell.role != TABLE_CELL or not cell.children:
        return None
    within = [node for child in cell.children if (node := nodes.get(child)) and node.rect.width]
    if len(within) != 1 or not _is_box(within[0]):
        return None
    cell.children.remove(within[0].ref)
    cut(nodes, ref)
    within[0].parent = cell.parent
    return within[0].ref


def _is_box_of(box: Node, cell: Node) -> bool:
    """True if a box without width is in the row of a cell with a name."""
    if box.rect.width:
        return False
    in_row = (box.rect.top, box.rect.bottom) == (cell.rect.top, cell.rect.bottom)
    return in_row and bool(cell.name) and _is_box(box)


def _is_box(node: Node) -> bool:
    if node.role != TABLE_CELL or node.name or not node.actions:
        return False
    return any(action.lower() == TOGGLE for action in node.actions)
