"""Content that is left out of a window: all but its find bar or a dialog of its page, while that has the keyboard.

It is visible all the same, and hit tests of the application return it.
"""

# upstream: not reported
# seen in: 156

from collections.abc import Mapping
from typing import Final

from deskhand.core.geometry import Point
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import PANEL

_EDGE: Final = 4
_ACROSS: Final = 5
_DOWN: Final = 8
"""Points of a window that are hit-tested, from its top on: elements there are not nested as deep as those of a page.

In a scaled window they are in its upper left part: its extents are in logical pixels, the points in physical ones.
"""

_DEEPEST: Final = 200


async def content_left_out(
    nodes: Mapping[Ref, Node], frame: Ref, transport: Transport, *, space: int, deadline_s: float
) -> Ref | None:
    """Return the content of a window if it is not among its children and found at a point. Raises: DesktopGone."""
    if (window := nodes.get(frame)) is None:
        return None
    told = [nodes[ref] for ref in window.children if ref in nodes]
    if window.rect.empty or not told or any(node.role == PANEL for node in told):
        return None
    points = [point for point in _points(window) if not any(node.rect.contains(point) for node in told)]
    asked = [calls.accessible_at_point(frame, point.x, point.y, space) for point in points]
    for found in dict.fromkeys(calls.ref_in(reply) for reply in await transport.batch(asked, deadline_s=deadline_s)):
        top = await _below(frame, found, transport, deadline_s) if found is not None and found != frame else None
        if top is not None and top not in nodes:
            return top
    return None


def _points(window: Node) -> list[Point]:
    left, top, width, height = window.rect.left, window.rect.top, window.rect.width, window.rect.height
    across = [left + _EDGE + (width - 2 * _EDGE) * number // _ACROSS for number in range(_ACROSS)]
    return [Point(x, top + _EDGE + (height - 2 * _EDGE) * number // _DOWN) for number in range(_DOWN) for x in across]


async def _below(frame: Ref, ref: Ref, transport: Transport, deadline_s: float) -> Ref | None:
    """Return the ancestor of an object whose parent is the frame."""
    for _ in range(_DEEPEST):
        (reply,) = await transport.batch([ref.get(calls.ACCESSIBLE, "Parent")], deadline_s=deadline_s)
        above = calls.ref_in(reply)
        if above is None or above == frame:
            return ref if above == frame else None
        ref = above
    return None
