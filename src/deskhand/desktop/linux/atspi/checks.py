"""Check boxes in lists: what LibreOffice's dialogs show as one row is a box without a name, and a cell with one."""

from itertools import pairwise
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node, cut
from deskhand.desktop.linux.atspi.roles import CHECKABLE, TABLE_CELL

_TOGGLE: Final = "toggle"


def fold_checks(nodes: dict[Ref, Node]) -> None:
    """Makes one row of each check box that has no width, and the cell with a name that follows it.

    What stays is the object of the box, which says whether it is checked; its name is the cell's. It begins where the
    list does: the box is drawn left of where it is said to be.
    """
    for table in list(nodes.values()):
        cells = [cell for ref in table.children if (cell := nodes.get(ref)) and cell.role == TABLE_CELL]
        for box, cell in pairwise(cells):
            if _is_box_of(box, cell):
                box.name, box.text, box.state = cell.name, cell.text, box.state | CHECKABLE
                box.rect = Rect(table.rect.left, cell.rect.top, cell.rect.right, cell.rect.bottom)
                table.children.remove(cell.ref)
                cut(nodes, cell.ref)


def _is_box_of(box: Node, cell: Node) -> bool:
    """Whether one is the check box of the row in which the other has the words."""
    in_row = (box.rect.top, box.rect.bottom) == (cell.rect.top, cell.rect.bottom)
    toggles = any(action.lower() == _TOGGLE for action in box.actions)
    return in_row and not box.rect.width and bool(cell.name) and not box.name and toggles
