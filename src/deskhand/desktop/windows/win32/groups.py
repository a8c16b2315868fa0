"""Group boxes: to Windows siblings of the controls that they are drawn around, to a reader their parents."""

from collections.abc import Sequence
from dataclasses import replace

from .nodes import NOWHERE, Node, Rect


def into_groups(nodes: Sequence[Node], boxes: Sequence[str]) -> list[Node]:
    """Return nodes, parents before children, in which siblings inside of a group box are below it.

    `boxes`: keys of the group boxes. Of boxes inside one another the innermost has a control.
    """
    groups = [node for node in nodes if node.key in boxes and node.rect != NOWHERE]
    moved = [_moved(node, groups) for node in nodes]
    below: dict[str | None, list[Node]] = {}
    for node in moved:
        below.setdefault(node.parent, []).append(node)
    ordered: list[Node] = []
    left = list(reversed(below.get(None, [])))
    while left:
        node = left.pop()
        ordered.append(node)
        left += reversed(below.get(node.key, []))
    return ordered


def _moved(node: Node, groups: Sequence[Node]) -> Node:
    around = [group for group in groups if group.parent == node.parent and _is_inside(node, group)]
    innermost = min(around, key=lambda group: _area(group.rect), default=None)
    return node if innermost is None else replace(node, parent=innermost.key)


def _is_inside(node: Node, group: Node) -> bool:
    inner, outer = node.rect, group.rect
    fits = outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
    return fits and inner not in {NOWHERE, outer}


def _area(rect: Rect) -> int:
    return (rect[2] - rect[0]) * (rect[3] - rect[1])
