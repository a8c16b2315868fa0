"""One cell of a spreadsheet, read by itself: if it is empty, and where it is."""

from collections.abc import Awaitable, Callable

from deskhand.core.errors import TargetHidden
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Post, Transport
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import FOCUSED, SHOWING
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import (
    Place,
    Sheet,
    address,
    ask_number,
    asked_of_kept,
    content_in,
    kept_in,
    number_in,
    reads_as_number,
    runs_from_left,
)


async def complete_cell(
    node: Node,
    table: Ref,
    place: Place,
    read: Callable[[Ref], Awaitable[Node]],
    transport: Transport,
    deadline_s: float,
) -> None:
    """See `Toolkit.complete_cell`. In a sheet that runs from right to left the place of each cell is wrong."""
    if not node.text:
        node.state |= content_in(await transport.call(calls.get_attributes(node.ref), deadline_s=deadline_s))
    elif node.state & FOCUSED:
        told = await transport.batch(asked_of_kept(node.ref), deadline_s=deadline_s)
        node.state |= kept_in(node.text, *told)
    elif reads_as_number(node.text):
        node.state |= number_in(await transport.call(ask_number(node.ref), deadline_s=deadline_s))
    view = calls.rect_in(await transport.call(calls.get_extents(table), deadline_s=deadline_s))
    corners = [calls.accessible_at_point(table, x, view.top) for x in (view.left, view.right - 1)]
    refs = map(calls.ref_in, await transport.batch(corners, deadline_s=deadline_s))
    names = [calls.get_name(ref or table) for ref in refs]
    told = map(calls.text_in, await transport.batch(names, deadline_s=deadline_s))
    if not runs_from_left(list(told)):
        around = await read(table)
        node.rect = await _place_of_cell(around, view, place, transport, deadline_s)
        # a merged cell that begins out of view does not report SHOWING
        node.state = node.state & ~SHOWING if node.rect.empty else node.state | SHOWING


async def _place_of_cell(around: Node, view: Rect, place: Place, transport: Transport, deadline_s: float) -> Rect:
    """Return the place of a cell; `around` is its table where it is visible, `view` the place that it reports.

    Raises: TargetHidden.
    """
    found: list[Rect | None] = []
    lacking: list[str] = []
    node = Node(around.ref, None, 0, rect=view)

    def locate(post: Post) -> None:
        Sheet(post, node, lambda _: None, lacking.append).locate(place, found.append)

    left_out = await transport.stream(locate, deadline_s=deadline_s)
    if left_out or lacking or not found:
        raise TargetHidden(
            f"Where {address(place)} is seen is not known: {left_out or ' '.join(lacking)}.",
            fix="Choose it with select_item, or click what a picture shows, by coordinates.",
        )
    rect = found[0]
    return rect.moved(around.rect.left - view.left, around.rect.top - view.top) if rect else NOWHERE
