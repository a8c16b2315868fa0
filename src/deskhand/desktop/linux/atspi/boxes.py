"""Check boxes and radio buttons of web pages that their labels are seen for.

A page that draws its own boxes and switches hides the real one: without a size, as a single pixel, or far away. What is
drawn instead is no control to Chromium, and stands in the label or is the label.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.roles import CHECKABLE, LABEL, SHOWING
from deskhand.desktop.linux.atspi.toolkits import Toolkit
from deskhand.desktop.linux.atspi.transport import Transport

_SEEN: Final = 2
"""Pixels that something to be seen has each way."""


def hidden_boxes(nodes: Mapping[Ref, Node], hidden: Sequence[Node]) -> list[Node]:
    """Those of `hidden`, which does not show and was not read, whose label was."""
    labels = {ref for ref, node in nodes.items() if node.role == LABEL}
    labelled = {ref for label in labels for ref in nodes[label].label_for}
    return [box for box in hidden if box.state & CHECKABLE and (box.parent in labels or box.ref in labelled)]


async def complete_boxes(
    nodes: Mapping[Ref, Node], toolkit: Toolkit, transport: Transport, *, deadline_s: float
) -> None:
    """Gives boxes that cannot be seen the place of their label, where that shows. Raises: DesktopGone."""
    boxes = [node for node in nodes.values() if toolkit.shows_alone and _is_unseen(node)]
    replies = await transport.batch([calls.get_relations(box.ref) for box in boxes], deadline_s=deadline_s)
    for box, reply in zip(boxes, replies, strict=True):
        above = [box.parent] if box.parent and box.parent in nodes and nodes[box.parent].role == LABEL else []
        place = await _place_of([*above, *calls.labels_in(reply)], toolkit, transport, deadline_s)
        if place is not None:
            box.rect = place
            box.state |= SHOWING


def _is_unseen(node: Node) -> bool:
    if not node.state & CHECKABLE:
        return False
    return not node.state & SHOWING or min(node.rect.width, node.rect.height) < _SEEN


async def _place_of(labels: Sequence[Ref], toolkit: Toolkit, transport: Transport, deadline_s: float) -> Rect | None:
    """Of the first that shows."""
    asked = [call for ref in labels for call in (calls.get_state(ref), calls.get_extents(ref, toolkit.space))]
    replies = await transport.batch(asked, deadline_s=deadline_s)
    for state, extents in zip(replies[::2], replies[1::2], strict=True):
        place = calls.rect_in(extents)
        if calls.has_bits(state) and calls.bits_in(state) & SHOWING and not place.empty:
            return place
    return None
