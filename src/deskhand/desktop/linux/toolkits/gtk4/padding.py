"""Borders and paddings, which are missing in extents from 4.10 on."""

# upstream: not reported
# seen in: 4.18.6; also in 4.24, https://github.com/lgse/strata/issues/1154

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.geometry import NOWHERE
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node

_PADDING: Final = 24
"""Most pixels of border and padding on one side; more is no padding."""


def add_padding(nodes: Mapping[Ref, Node]) -> None:
    """Move nodes by the borders and paddings around them. `nodes`: parents before children.

    An only child fills its container or is in its middle, and so does the content of a window: half of the remaining
    space is on each side. Nothing follows for several children, which remain as reported. Extents in a popover count
    from its own corner.
    """
    told = {ref: node.rect for ref, node in nodes.items()}
    moves: dict[Ref, tuple[int, int]] = {}
    for ref, node in nodes.items():
        left, top = moves.get(node.parent, (0, 0)) if node.parent and node.surface is None else (0, 0)
        node.rect = node.rect.moved(left, top) if not node.rect.empty else node.rect
        here = [child for child in node.children if child not in nodes or nodes[child].surface is None]
        inside = [rect for child in here if not (rect := told.get(child, NOWHERE)).empty]
        if inside and (len(here) == 1 or node.parent is None):
            around = told[ref]
            left += _padding(around.left, around.right, [(rect.left, rect.right) for rect in inside])
            top += _padding(around.top, around.bottom, [(rect.top, rect.bottom) for rect in inside])
        moves[ref] = (left, top)


def _padding(begin: int, end: int, inside: Sequence[tuple[int, int]]) -> int:
    """Return the padding of one side; 0 if the remaining space is too large."""
    before, after = min(place[0] for place in inside) - begin, end - max(place[1] for place in inside)
    padding = (after - before) // 2
    return padding if 0 < padding <= _PADDING else 0
