"""Items of views that make an object of each whenever somebody looks: their places in the view stand for them."""

from collections.abc import Mapping
from dataclasses import replace

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node


def name_items_by_place(nodes: dict[Ref, Node]) -> dict[Ref, Node]:
    """The same nodes, those with an `index` called by `item_of`; of several with one place, only the first."""
    names: dict[Ref, Ref] = {}
    taken: set[Ref] = set()
    for ref, node in nodes.items():
        item = calls.item_of(node.parent, node.index) if node.parent and node.index >= 0 else None
        if item and item not in taken:
            taken.add(item)
            names[ref] = item
    if not names:
        return nodes
    return {names.get(ref, ref): _renamed(node, names) for ref, node in nodes.items()}


def _renamed(node: Node, names: Mapping[Ref, Ref]) -> Node:
    return replace(
        node,
        ref=names.get(node.ref, node.ref),
        parent=names.get(node.parent, node.parent) if node.parent else None,
        children=[names.get(ref, ref) for ref in node.children],
        labelled_by=[names.get(ref, ref) for ref in node.labelled_by],
    )
