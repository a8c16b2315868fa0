"""Names, states and roles that GTK 4 exposes only in the content of an element, or wrongly."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, cut
from deskhand.desktop.linux.atspi.node_requests import is_nameless_button
from deskhand.desktop.linux.atspi.roles import (
    APPLICATION,
    COLUMN_HEADER,
    COMBO_BOX,
    ENABLED,
    EXPANDABLE,
    FILLER,
    FOCUSABLE,
    LABEL,
    LIST,
    LIST_ITEM,
    PAGE_TAB,
    PANEL,
    TABLE_CELL,
    TABLE_ROLES,
    TABLE_ROW,
    TOOL_BAR,
)

_TAB: Final = "Tab"
"""The name of every tab in GTK 4."""

_CLASS_NAMED: Final = frozenset({FILLER, TABLE_CELL, TABLE_ROW, TOOL_BAR})
_CLASS: Final = re.compile(r"(?:[A-Z][a-z0-9]+){2,}")
"""The form of the names of widget classes, such as NautilusGridCell, and of hardly any displayed text."""

_BOXES: Final = frozenset({FILLER, PANEL})

_MNEMONIC: Final = re.compile(r"_(.)")
"""The mark of the letter that presses a button; `__` is an underscore."""


def name_by_content(nodes: dict[Ref, Node]) -> None:
    """Take the names that GTK 4 exposes elsewhere, and remove invisible elements.

    Cells and tabs are named by the label in them, and a cell that is alone in a cell is that cell. Boxes, rows and
    cells may report their class as a name. An element without a size was never laid out and is not visible, whatever it
    reports. Buttons without a name are named by their text, and icons to press by their tooltips. A row of Adwaita with
    a drop-down has the choice in a list of that alone.
    """
    # upstream: not reported
    # seen in: 4.8.3, 4.18.6
    for node in [*nodes.values()]:
        if names_class(node.role, node.name):
            node.name = ""
        if node.role == PAGE_TAB and node.name in {"", _TAB}:
            node.name = _label_in(node, nodes)
    for node in [node for node in nodes.values() if node.role == TABLE_CELL]:
        _name_cell(node, nodes)
    for ref in [ref for ref, node in nodes.items() if node.parent and node.is_read and node.rect.empty]:
        cut(nodes, ref)
    for node in nodes.values():
        _name_control(node, nodes)


def _name_control(node: Node, nodes: Mapping[Ref, Node]) -> None:
    if is_nameless_button(node):
        node.name = " ".join(_words_on(node, nodes))
        node.tip = node.tip if node.state & FOCUSABLE else ""
    if node.role == COMBO_BOX and not node.text:
        node.text = _chosen_in(node, nodes)


def may_have_doubled(name: str) -> bool:
    """True if a name may be a label twice, see `undouble`."""
    plain = name.replace("_", "")
    half = len(plain) // 2
    return bool(plain) and plain == f"{plain[:half]} {plain[:half]}"


def names_class(role: int, name: str) -> bool:
    """True if an element of this role is named by the class of its widget."""
    return role in _CLASS_NAMED and _CLASS.fullmatch(name) is not None


def _label_in(tab: Node, nodes: Mapping[Ref, Node]) -> str:
    child = nodes.get(tab.children[0]) if len(tab.children) == 1 else None
    return child.name if child and child.role == LABEL else ""


def _name_cell(cell: Node, nodes: dict[Ref, Node]) -> None:
    """Name a cell by the text in it, which may be the name of the boxes around that as well."""
    inner = nodes.get(cell.children[0]) if len(cell.children) == 1 else None
    if inner is not None and inner.role == TABLE_CELL:
        _take_out(inner, cell, nodes)
    cell.name = cell.name or " ".join(_words_on(cell, nodes))
    for box in _boxes_in(cell, nodes):
        box.name = "" if box.name == cell.name else box.name


def _take_out(inner: Node, outer: Node, nodes: dict[Ref, Node]) -> None:
    """Move the content and the name of `inner` to `outer`."""
    outer.name, outer.children = outer.name or inner.name, inner.children
    for ref in inner.children:
        if child := nodes.get(ref):
            child.parent = outer.ref
    del nodes[inner.ref]


def disable_below(nodes: Mapping[Ref, Node]) -> None:
    """Disable the content of disabled elements, whatever it reports; `nodes`: parents before children.

    The application itself never reports ENABLED.
    """
    # upstream: not reported
    # seen in: 4.8.3, 4.18.6
    for node in nodes.values():
        parent = nodes.get(node.parent) if node.parent else None
        if parent and parent.is_read and parent.role != APPLICATION and not parent.state & ENABLED:
            node.state &= ~ENABLED


def head_columns(nodes: Mapping[Ref, Node]) -> None:
    """Mark the labels of a row that is in a table itself as column headers: other rows are in a list.

    They can be clicked, and their rows cannot.
    """
    # upstream: not reported
    # seen in: 4.8.3
    for node in nodes.values():
        row = _around(node, nodes) if node.role == LABEL else None
        table = _around(row, nodes) if row is not None and row.role == TABLE_ROW else None
        if table is not None and table.role in TABLE_ROLES:
            node.role = COLUMN_HEADER


def _around(node: Node, nodes: Mapping[Ref, Node]) -> Node | None:
    """Return the nearest container that is more than a box."""
    above = nodes.get(node.parent) if node.parent else None
    while above is not None and above.role in _BOXES:
        above = nodes.get(above.parent) if above.parent else None
    return above


def undouble(nodes: Iterable[Node]) -> None:
    """Remove the second half of a name that is a label twice, with a space between.

    A control with a label of its own that a label names has both as its name. A button with a mnemonic is labelled by
    its own text: with `7` on it, its name is `7 7` or `_7 7`.
    """
    # upstream: not reported
    # seen in: 4.8.3
    for node in nodes:
        own = node.name.removesuffix(f" {node.label}")
        if may_have_doubled(node.name) and node.label in {own, _MNEMONIC.sub(r"\1", own)}:
            node.name = node.label


def _chosen_in(box: Node, nodes: Mapping[Ref, Node]) -> str:
    """Return the text of the only item in the list of a closed box; "" if there is none, or several."""
    below, lists = [*box.children], list[Node]()
    while below:
        node = nodes.get(below.pop())
        if node is not None and node.role == LIST:
            lists.append(node)
        elif node is not None and node.role in _BOXES:
            below += node.children
    items = [item for shown in lists for ref in shown.children if (item := nodes.get(ref)) and item.role == LIST_ITEM]
    return " ".join(_words_on(items[0], nodes)) if len(items) == 1 else ""


def _boxes_in(node: Node, nodes: Mapping[Ref, Node]) -> Iterator[Node]:
    """Yield the boxes in a node, and those in them."""
    for ref in node.children:
        child = nodes.get(ref)
        if child is not None and child.role in _BOXES:
            yield child
            yield from _boxes_in(child, nodes)


def _words_on(node: Node, nodes: Mapping[Ref, Node]) -> list[str]:
    """Return the texts of the labels in a node and in its boxes; of an expander only its own, the first."""
    children = [child for ref in node.children if (child := nodes.get(ref))]
    boxed = {child.ref: _words_on(child, nodes) for child in children if child.role in _BOXES}
    said = [[child.name] if child.role == LABEL and child.name else boxed.get(child.ref, []) for child in children]
    words = [word for words in said for word in words]
    return words[:1] if node.state & EXPANDABLE else words
