"""Tables of a text document in an observation."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    DOCUMENT_TEXT,
    MANAGES_DESCENDANTS,
    OFFSCREEN,
    TABLE,
    TABLE_CELL,
    UNLISTED_PAGES,
)
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import Search
from deskhand.desktop.linux.toolkits.libreoffice.writer.paragraph_chain import own_name


def document_in(nodes: Mapping[Ref, Node]) -> Ref | None:
    """Return the text document of a window."""
    return next(
        (ref for ref, node in nodes.items() if node.role == DOCUMENT_TEXT and node.state & MANAGES_DESCENDANTS), None
    )


def fold_tables(nodes: Mapping[Ref, Node], document: Ref, search: Search) -> dict[Ref, Node]:
    """The nodes of a window, with one node for each table of its document's body.

    A table's node has the table's own name and a handle by that name; its place is that of the first piece in view,
    and those not in view have none and the state "offscreen". The paragraph of a cell that has only one stands for the
    cell, named like it ("B2"). Tables in frames, headers, footers and cells stay as they were read. A document of which
    the tables on other pages were not looked for has the state "other_pages_unlisted".
    """
    pieces = {ref: own_name(node.name) for ref, node in nodes.items() if node.role == TABLE and node.parent == document}
    showing = set(pieces.values())
    folded: dict[Ref, Node] = {}
    inside = False
    for ref, node in _short(nodes, pieces).items():
        if inside and not _stands_in(node, document, nodes):
            inside = False
            folded |= _offscreen(document, search.after, showing)
        if ref in pieces:
            whole = calls.document_table(document, pieces[ref])
            folded.setdefault(whole, replace(node, ref=whole, name=pieces[ref]))
            continue
        table = pieces.get(node.parent) if node.parent else None
        folded[ref] = replace(node, parent=calls.document_table(document, table)) if table else node
        if ref == document:
            inside = True
            if search.spared:
                folded[ref] = replace(node, state=node.state | UNLISTED_PAGES)
            folded |= _offscreen(document, search.before, showing)
    if inside:
        folded |= _offscreen(document, search.after, showing)
    return folded


def _offscreen(document: Ref, names: tuple[str, ...], showing: set[str]) -> dict[Ref, Node]:
    refs = {name: calls.document_table(document, name) for name in names if name not in showing}
    return {ref: Node(ref, document, OFFSCREEN, role=TABLE, name=name) for name, ref in refs.items()}


def _short(nodes: Mapping[Ref, Node], pieces: Mapping[Ref, str]) -> dict[Ref, Node]:
    """The nodes without cells that are one with their paragraph."""
    cells = {ref: node for ref, node in nodes.items() if node.role == TABLE_CELL and node.parent in pieces}
    content = Counter(node.parent for node in nodes.values() if node.parent in cells)
    nested = {node.parent for node in nodes.values() if node.role == TABLE}
    single = {ref for ref in cells if content[ref] == 1 and ref not in nested}
    short: dict[Ref, Node] = {}
    for ref, node in nodes.items():
        above = node.parent
        if above is not None and above in single:
            cell = cells[above]
            short[ref] = replace(node, parent=cell.parent, name=node.name or cell.name)
        elif ref not in single:
            short[ref] = node
    return short


def _stands_in(node: Node, document: Ref, nodes: Mapping[Ref, Node]) -> bool:
    above = node.parent
    while above is not None and above != document:
        parent = nodes.get(above)
        above = parent.parent if parent else None
    return above == document
