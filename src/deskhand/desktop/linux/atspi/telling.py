"""Having Chromium tell what it shows.

Left to itself it tells of changes up to 0.15 s after they are seen, and of scrolling after 0.5 s; where a page changed
less than that before it was scrolled, of about every third time never. Asked what is at a point, it tells all that
first, some 3 ms later (ADR 0066).
"""

from collections.abc import Iterable, Mapping

from deskhand.core.geometry import Point
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Call, Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB


def have_told(pages: Iterable[tuple[Ref, Point]]) -> list[Call]:
    """What web pages are asked so that they tell; a page tells with the one around it if the point is in it."""
    return [calls.accessible_at_point(page, at.x, at.y) for page, at in pages]


def points_in(nodes: Mapping[Ref, Node]) -> dict[Ref, Point]:
    """The web pages among these, and a point in the smallest part of each. `nodes` stand parents before children.

    Asked next for a point that it cannot tell about, Chromium answers with the same part if that lies there too.
    """
    page_of: dict[Ref, Ref] = {}
    smallest: dict[Ref, Node] = {}
    for ref, node in nodes.items():
        page = ref if node.role == DOCUMENT_WEB else page_of.get(node.parent) if node.parent else None
        if page is None:
            continue
        page_of[ref] = page
        if page not in smallest or 0 < node.rect.area < smallest[page].rect.area:
            smallest[page] = node
    return {page: node.rect.center for page, node in smallest.items()}
