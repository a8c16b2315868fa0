"""Items of views that make an object of each whenever somebody looks: what stands for them is not their objects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from zlib import crc32

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.toolkits import Toolkit


def name_items_by_place(nodes: dict[Ref, Node]) -> dict[Ref, Node]:
    """The same nodes, those with an `index` called by `item_of`; of several with one place, only the first."""
    names: dict[Ref, Ref] = {}
    taken: set[Ref] = set()
    for ref, node in nodes.items():
        item = calls.item_of(node.parent, node.index) if node.parent and node.index >= 0 else None
        if item and item not in taken:
            taken.add(item)
            names[ref] = item
    return _called(nodes, names)


def name_rows_by_branch(nodes: dict[Ref, Node], toolkit: Toolkit) -> dict[Ref, Node]:
    """The same nodes, those in trees that hide their branches called by `row_of`.

    What a row stands in is the nearest one above that is less indented. Where the tree is scrolled, so that this may be
    out of view, what a row is called by holds as long as the same rows show. Of rows that cannot be told apart by that
    each keeps its object of the moment.
    """
    names: dict[Ref, Ref] = {}
    for tree in [node for node in nodes.values() if toolkit.hides_branches(node.role)]:
        shown = [nodes[ref] for ref in tree.children if ref in nodes]
        rows = {node.ref: calls.row_of(tree.ref, branch) for node, branch in _branches(shown, whole=tree.from_start)}
        alike = Counter(rows.values())
        names |= {ref: row for ref, row in rows.items() if alike[row] == 1}
    return _called(nodes, names)


def _branches(rows: Sequence[Node], *, whole: bool) -> list[tuple[Node, tuple[str, ...]]]:
    """Each row with the names on the way to it, and its own. Not `whole`: before them what stands for all rows."""
    way: list[Node] = []
    found: list[tuple[Node, tuple[str, ...]]] = []
    rows = sorted(rows, key=lambda row: row.rect.top)
    shown = () if whole else (f"{crc32(' > '.join(row.name for row in rows).encode()):08x}",)
    for row in rows:
        way = [above for above in way if above.rect.left < row.rect.left]
        way.append(row)
        found.append((row, (*shown, *(node.name for node in way))))
    return found


def _called(nodes: dict[Ref, Node], names: Mapping[Ref, Ref]) -> dict[Ref, Node]:
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
