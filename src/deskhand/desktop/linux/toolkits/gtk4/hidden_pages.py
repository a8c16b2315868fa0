"""Pages behind the one in front, which continue to report SHOWING, in the same place, once they were visible.

Only a hit test distinguishes them: GTK finds no invisible elements.
"""

# upstream: not reported
# seen in: 4.8.3, 4.18.6

from collections.abc import Mapping
from itertools import combinations
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import Point
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.node import Node, cut
from deskhand.desktop.linux.atspi.roles import ENABLED

_MOST: Final = 50
"""Children from which on an element is not searched for pages."""

_INSIDE: Final = 3
"""Pixels from the edges of a page to the points of its hit tests."""


async def cut_pages_behind(nodes: dict[Ref, Node], transport: Transport, space: int, *, deadline_s: float) -> None:
    """Remove nodes from a walk that overlap siblings and are not visible.

    If nothing is found in any of several that overlap, the one in front is not known. Raises: DesktopGone.
    """
    piles = _piles_in(nodes)
    asked = [point for pile in piles for page in pile for point in _points_of(page)]
    at_points = [calls.accessible_at_point(ref, point.x, point.y, space) for ref, point in asked]
    replies = await transport.batch(at_points, deadline_s=deadline_s)
    shown = {ref for (ref, _), reply in zip(asked, replies, strict=True) if not _is_nothing(reply)}
    for pile in piles:
        if any(page.ref in shown for page in pile):
            for page in pile:
                if page.ref not in shown:
                    cut(nodes, page.ref)


def _piles_in(nodes: Mapping[Ref, Node]) -> list[list[Node]]:
    """Return the groups of overlapping siblings that can be hit-tested: a disabled one contains nothing."""
    found: list[list[Node]] = []
    for node in nodes.values():
        if not 1 < len(node.children) <= _MOST:
            continue
        here = [child for ref in node.children if (child := nodes.get(ref)) and _may_be_asked(child)]
        lying = {ref for one, other in combinations(here, 2) if _overlap(one, other) for ref in (one.ref, other.ref)}
        if lying:
            found.append([child for child in here if child.ref in lying])
    return found


def _may_be_asked(node: Node) -> bool:
    """True unless it is a popover, with coordinates of its own, or an entry: a password entry contains nothing."""
    told = calls.COMPONENT in node.interfaces and calls.EDITABLE_TEXT not in node.interfaces
    return told and bool(node.state & ENABLED) and node.surface is None and not node.rect.empty


def _overlap(one: Node, other: Node) -> bool:
    return not one.rect.intersection(other.rect).empty


def _points_of(page: Node) -> list[tuple[Ref, Point]]:
    """Return the centre and the corners: a password entry may be at some of them."""
    place = page.rect
    inset_x, inset_y = min(_INSIDE, place.width // 2), min(_INSIDE, place.height // 2)
    corners = [
        Point(x, y)
        for x in (place.left + inset_x, place.right - 1 - inset_x)
        for y in (place.top + inset_y, place.bottom - 1 - inset_y)
    ]
    return [(page.ref, point) for point in (place.center, *corners)]


def _is_nothing(reply: Reply) -> bool:
    """True for a reply without an object; an error may be one of an object."""
    return not isinstance(reply, DesktopError) and calls.ref_in(reply) is None
