"""Panels docked at the side of a document."""

from collections.abc import Mapping

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import PANEL, SPLIT_PANE


def mark_side_bars(nodes: Mapping[Ref, Node]) -> None:
    """Mark the side bar, which is a panel with the name of its tab in a split pane; the pane of slides has no name."""
    for node in nodes.values():
        above = nodes.get(node.parent) if node.parent else None
        node.docked = node.role == PANEL and bool(node.name) and above is not None and above.role == SPLIT_PANE
