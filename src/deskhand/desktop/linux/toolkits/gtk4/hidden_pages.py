"""Pages of GTK 4 behind the one in front: those that were there once go on saying that they show, in their places.

Only what is at a point of them tells: nothing, for GTK finds there what is on the screen alone.
"""

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
"""Children of one element that are looked at: so many pages has nobody, and rows lie beside each other."""

_INSIDE: Final = 3
"""Pixels from the edges of a page to where it is asked."""


async def cut_pages_behind(nodes: dict[Ref, Node], transport: Transport, space: int, *, deadline_s: float) -> None:
    """Takes out of a walk what lies behind something else in one element and is not on the screen.

    Where nothing is found in any of what lies over each other, which one is in front is not known. Raises: DesktopGone.
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
    """What lies over each other in one element, and may be asked: nothing is found in what is disabled."""
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
    """Popovers have X windows of their own, with places of their own; in a field for a password GTK names nothing."""
    told = calls.COMPONENT in node.interfaces and calls.EDITABLE_TEXT not in node.interfaces
    return told and bool(node.state & ENABLED) and node.surface is None and not node.rect.empty


def _overlap(one: Node, other: Node) -> bool:
    return not one.rect.intersection(other.rect).empty


def _points_of(page: Node) -> list[tuple[Ref, Point]]:
    """The centre and the corners: somewhere there may be a field for a password."""
    place = page.rect
    inset_x, inset_y = min(_INSIDE, place.width // 2), min(_INSIDE, place.height // 2)
    corners = [
        Point(x, y)
        for x in (place.left + inset_x, place.right - 1 - inset_x)
        for y in (place.top + inset_y, place.bottom - 1 - inset_y)
    ]
    return [(page.ref, point) for point in (place.center, *corners)]


def _is_nothing(reply: Reply) -> bool:
    """Of what does not answer nobody knows."""
    return not isinstance(reply, DesktopError) and calls.ref_in(reply) is None
