"""Names of drop-downs, which have none of their own."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import FILLER, LABEL, PANEL, TEXT, TOGGLE_BUTTON

_PARTS: Final = frozenset({TEXT, TOGGLE_BUTTON})
_BOXES: Final = frozenset({FILLER, PANEL})
_LEVELS: Final = 8
"""Boxes around the field of a drop-down in a tool bar."""

_GAP: Final = 40
"""Pixels. A label is not further from its drop-down."""


def name_dropdowns(nodes: Mapping[Ref, Node]) -> None:
    """Name the field and the button of a drop-down by its tool bar item, or by the label beside or above it.

    No relation leads from them to a label.
    """
    # upstream: not reported
    # seen in: 7.4.7
    labels = [node for node in nodes.values() if node.role == LABEL and node.name and not node.rect.empty]
    for node in nodes.values():
        if node.role in _PARTS and not (node.name or node.tip or node.labelled_by):
            node.tip = _item_around(node, nodes) or _label_beside(node.rect, labels)


def _item_around(node: Node, nodes: Mapping[Ref, Node]) -> str:
    """The name of the innermost named box, if it is an item to press."""
    for _ in range(_LEVELS):
        above = nodes.get(node.parent) if node.parent else None
        if above is None or above.role not in _BOXES:
            return ""
        if above.name:
            return above.name if above.actions else ""
        node = above
    return ""


def _label_beside(place: Rect, labels: Sequence[Node]) -> str:
    """The nearest label on the left in the same line, else the nearest one above."""
    left = [(place.left - each.rect.right, each) for each in labels if _is_in_line(each.rect, place)]
    above = [
        (place.top - each.rect.bottom, each)
        for each in labels
        if each.rect.left < place.right and place.left < each.rect.right
    ]
    for found in (left, above):
        near = [(gap, each.name) for gap, each in found if 0 <= gap <= _GAP]
        if near:
            return min(near)[1].rstrip(":")
    return ""


def _is_in_line(label: Rect, place: Rect) -> bool:
    return label.top < place.center.y < label.bottom or place.top < label.center.y < place.bottom
