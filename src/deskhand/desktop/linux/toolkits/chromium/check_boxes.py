"""Check boxes and radio buttons of web pages that are visible through their labels.

A page that draws its own boxes and switches hides the real one: without a size, as a single pixel, or far away. The
drawn one is no control to Chromium, and is inside the label or is the label.
"""

# upstream: not reported
# seen in: 156

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import CHECKABLE, LABEL, SHOWING

_SEEN: Final = 2
"""Pixels that a visible element has each way."""


def hidden_boxes(nodes: Mapping[Ref, Node], hidden: Sequence[Node]) -> list[Node]:
    """Return those of the invisible nodes, which were not read, whose label was read."""
    boxes = [node for node in hidden if node.state & CHECKABLE]
    labels = {ref for ref, node in nodes.items() if node.role == LABEL} if boxes else set[Ref]()
    labelled = {ref for label in labels for ref in nodes[label].label_for}
    return [box for box in boxes if box.parent in labels or box.ref in labelled]


async def complete_boxes(nodes: Mapping[Ref, Node], transport: Transport, *, deadline_s: float) -> None:
    """Give invisible boxes the extents of their label, if that is visible. Raises: DesktopGone."""
    boxes = [node for node in nodes.values() if _is_unseen(node)]
    replies = await transport.batch([calls.get_relations(box.ref) for box in boxes], deadline_s=deadline_s)
    labels: dict[Ref, list[Ref]] = {}
    for box, reply in zip(boxes, replies, strict=True):
        above = [box.parent] if box.parent and box.parent in nodes and nodes[box.parent].role == LABEL else []
        labels[box.ref] = [*above, *calls.labels_in(reply)]
    places = await _places_of({ref for refs in labels.values() for ref in refs}, transport, deadline_s)
    for box in boxes:
        place = next((places[ref] for ref in labels[box.ref] if ref in places), None)
        if place is not None:
            box.rect = place
            box.state |= SHOWING


def _is_unseen(node: Node) -> bool:
    if not node.state & CHECKABLE:
        return False
    return not node.state & SHOWING or min(node.rect.width, node.rect.height) < _SEEN


async def _places_of(labels: Collection[Ref], transport: Transport, deadline_s: float) -> dict[Ref, Rect]:
    """Return the extents of the visible ones."""
    asked = [call for ref in labels for call in (calls.get_state(ref), calls.get_extents(ref))]
    replies = await transport.batch(asked, deadline_s=deadline_s)
    told = zip(labels, replies[::2], map(calls.rect_in, replies[1::2]), strict=True)
    return {
        ref: place
        for ref, state, place in told
        if calls.has_bits(state) and calls.bits_in(state) & SHOWING and not place.empty
    }
