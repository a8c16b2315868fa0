"""Items of views that create an object of each for every request: they need references other than their objects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from zlib import crc32

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.toolkit import Toolkit


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

    The parent of a row is the nearest row above with less indentation. In a scrolled tree, where the parent may be
    out of view, the name of a row is valid while the same rows are visible. Of rows with equal names
    each keeps its object of the moment.
    """
    names: dict[Ref, Ref] = {}
    for tree in [node for node in nodes.values() if node.role in toolkit.hides_branches_in]:
        shown = [nodes[ref] for ref in tree.children if ref in nodes]
        rows = {node.ref: calls.row_of(tree.ref, branch) for node, branch in _branches(shown, whole=tree.from_start)}
        alike = Counter(rows.values())
        names |= {ref: row for ref, row in rows.items() if alike[row] == 1}
    return _called(nodes, names)


def name_cells_by_branch(nodes: dict[Ref, Node], toolkit: Toolkit) -> dict[Ref, Node]:
    """The same nodes, the cells of trees that renew their rows called by `row_of`, see `_cells`."""
    names: dict[Ref, Ref] = {}
    for tree in [node for node in nodes.values() if node.role in toolkit.renews_rows_in and node.columns > 0]:
        cells = [nodes[ref] for ref in tree.children if ref in nodes and nodes[ref].index >= tree.columns]
        names |= _cells(tree, cells)
    return _called(nodes, names)


def _cells(tree: Node, cells: Sequence[Node]) -> dict[Ref, Ref]:
    """By their objects of the moment, the cells of a tree: by the names on the way to their row, and their column.

    If the way is unknown, because rows above or the first column are out of view, or if rows are equal
    in it, by their number, with a placeholder for all cells: valid while the same rows are visible.
    """
    rows = {cell.ref: divmod(cell.index, tree.columns) for cell in cells}
    first = [cell for cell in cells if rows[cell.ref][1] == 0]
    ways = {rows[cell.ref][0]: way for cell, way in _branches(first, whole=True)}
    told = {1, *(row for row, _ in rows.values())} == {*ways}
    named = {ref: calls.row_of(tree.ref, (*ways[row], f"#{column}")) for ref, (row, column) in rows.items() if told}
    alike = Counter(named.values())
    shown = f"{crc32(' > '.join(cell.name for cell in cells).encode()):08x}"
    by_number = {cell.ref: calls.row_of(tree.ref, (shown, str(cell.index))) for cell in cells}
    return by_number | {ref: row for ref, row in named.items() if alike[row] == 1}


def _branches(rows: Sequence[Node], *, whole: bool) -> list[tuple[Node, tuple[str, ...]]]:
    """Each row with the names on the way to it, and its own. Not `whole`: after a placeholder for all rows."""
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
