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
"""How the classes of widgets are called, such as NautilusGridCell, and hardly anything that is shown."""

_BOXES: Final = frozenset({FILLER, PANEL})

_MNEMONIC: Final = re.compile(r"_(.)")
"""How GTK marks the letter that presses a button; `__` is an underscore."""


def name_by_content(nodes: dict[Ref, Node]) -> None:
    """Take the names that GTK 4 exposes elsewhere, and remove what is not visible.

    Cells and tabs are named by the label in them, and a cell that stands alone in a cell is that cell. Boxes, rows and
    cells may say their class as a name. What has no size was never laid out and does not show, whatever it says.
    Buttons without a name are called by the words on them, and icons to press by their tooltips. A row of Adwaita that
    drops down a list has what is chosen in a list of that alone.
    """
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
    """Whether something of this role is called by the class of its widget, in GTK 4."""
    return role in _CLASS_NAMED and _CLASS.fullmatch(name) is not None


def _label_in(tab: Node, nodes: Mapping[Ref, Node]) -> str:
    child = nodes.get(tab.children[0]) if len(tab.children) == 1 else None
    return child.name if child and child.role == LABEL else ""


def _name_cell(cell: Node, nodes: dict[Ref, Node]) -> None:
    """By the words in it, which what they stand in may be called by as well."""
    inner = nodes.get(cell.children[0]) if len(cell.children) == 1 else None
    if inner is not None and inner.role == TABLE_CELL:
        _take_out(inner, cell, nodes)
    cell.name = cell.name or " ".join(_words_on(cell, nodes))
    for box in _boxes_in(cell, nodes):
        box.name = "" if box.name == cell.name else box.name


def _take_out(inner: Node, outer: Node, nodes: dict[Ref, Node]) -> None:
    """What stands in `inner` stands in `outer`, which has its name."""
    outer.name, outer.children = outer.name or inner.name, inner.children
    for ref in inner.children:
        if child := nodes.get(ref):
            child.parent = outer.ref
    del nodes[inner.ref]


def disable_below(nodes: Mapping[Ref, Node]) -> None:
    """What stands in something disabled is disabled, whatever it says; `nodes`: parents before children.

    The application itself never says that it is enabled.
    """
    for node in nodes.values():
        parent = nodes.get(node.parent) if node.parent else None
        if parent and parent.is_read and parent.role != APPLICATION and not parent.state & ENABLED:
            node.state &= ~ENABLED


def head_columns(nodes: Mapping[Ref, Node]) -> None:
    """The words in a row that stands in a table itself are the heads of its columns, in GTK 4.8: others are in a list.

    They can be clicked, and their rows cannot.
    """
    for node in nodes.values():
        row = _around(node, nodes) if node.role == LABEL else None
        table = _around(row, nodes) if row is not None and row.role == TABLE_ROW else None
        if table is not None and table.role in TABLE_ROLES:
            node.role = COLUMN_HEADER


def _around(node: Node, nodes: Mapping[Ref, Node]) -> Node | None:
    """What it stands in that is no mere box."""
    above = nodes.get(node.parent) if node.parent else None
    while above is not None and above.role in _BOXES:
        above = nodes.get(above.parent) if above.parent else None
    return above


def undouble(nodes: Iterable[Node]) -> None:
    """What has a label of its own and is labelled by a label is called by both in GTK 4.8, with a space between.

    A button with a mnemonic is labelled by its own words: with `7` on it, it is called `7 7` or `_7 7`.
    """
    for node in nodes:
        own = node.name.removesuffix(f" {node.label}")
        if may_have_doubled(node.name) and node.label in {own, _MNEMONIC.sub(r"\1", own)}:
            node.name = node.label


def _chosen_in(box: Node, nodes: Mapping[Ref, Node]) -> str:
    """What stands in the one item of the list that a closed box shows; empty where it shows none, or several."""
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
    """Those that stand in it directly, and in them."""
    for ref in node.children:
        child = nodes.get(ref)
        if child is not None and child.role in _BOXES:
            yield child
            yield from _boxes_in(child, nodes)


def _words_on(node: Node, nodes: Mapping[Ref, Node]) -> list[str]:
    """Of the labels in it, and in the boxes in it; an expander's own comes before those of what it shows."""
    children = [child for ref in node.children if (child := nodes.get(ref))]
    boxed = {child.ref: _words_on(child, nodes) for child in children if child.role in _BOXES}
    said = [[child.name] if child.role == LABEL and child.name else boxed.get(child.ref, []) for child in children]
    words = [word for words in said for word in words]
    return words[:1] if node.state & EXPANDABLE else words
