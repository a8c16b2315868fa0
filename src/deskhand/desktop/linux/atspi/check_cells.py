"""Check boxes in lists and tables of GTK 3, as LibreOffice's dialogs have them: cells without a name that toggle."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, cut
from deskhand.desktop.linux.atspi.roles import CHECKABLE, TABLE_CELL

TOGGLE: Final = "toggle"


def place_checks(nodes: Mapping[Ref, Node]) -> None:
    """Marks check boxes as such, and puts each that begins with its cell and is said to be wider to that cell's end.

    GTK 3 places what stands in the column that may expand right of where it is drawn, by the width of an expander; a
    box is drawn in the middle of its place.
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
    """Makes one of each check box and the cell around it, and one row of a box without width and the cell that follows.

    What stays is the object of the box, which says whether it is checked; its name is that of the cell that follows.
    Such a row begins where the list does: the box is drawn left of where it is said to be.
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
    """The box that is all that shows in a cell, which it takes the place of."""
    cell = nodes.get(ref)
    if cell is None or cell.role != TABLE_CELL:
        return None
    within = [node for child in cell.children if (node := nodes.get(child)) and node.rect.width]
    if len(within) != 1 or not _is_box(within[0]):
        return None
    cell.children.remove(within[0].ref)
    cut(nodes, ref)
    within[0].parent = cell.parent
    return within[0].ref


def _is_box_of(box: Node, cell: Node) -> bool:
    """Whether one is the check box of the row in which the other has the words."""
    in_row = (box.rect.top, box.rect.bottom) == (cell.rect.top, cell.rect.bottom)
    return in_row and not box.rect.width and bool(cell.name) and _is_box(box)


def _is_box(node: Node) -> bool:
    return node.role == TABLE_CELL and not node.name and any(action.lower() == TOGGLE for action in node.actions)
