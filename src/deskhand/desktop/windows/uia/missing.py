"""Items that a window has and does not expose now: lists make elements for those in view alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.desktop.windows.uia import com
from deskhand.desktop.windows.uia.cached import flag, has, number
from deskhand.desktop.windows.uia.com import Element
from deskhand.desktop.windows.uia.numbers import Property
from deskhand.desktop.windows.win32.nodes import Node, Tree

_ITEMS: Final = frozenset({"list item", "table row", "tree item"})
_SCROLLS: Final = (Property.ScrollVerticallyScrollable, Property.ScrollHorizontallyScrollable)


def note_missing(tree: Tree, elements: Mapping[str, Element]) -> None:
    """Record lists, tables and trees of which not all items were read."""
    children: defaultdict[str | None, list[Node]] = defaultdict(list)
    for node in tree.nodes:
        children[node.parent].append(node)
    for node in tree.nodes:
        if node.role in {"list", "table", "tree"} and (why := _missing(node, children[node.key], elements)):
            tree.cut(why)


def _missing(container: Node, inside: Sequence[Node], elements: Mapping[str, Element]) -> str:
    """Return the sentence on items of a container that were not read, empty where there are none."""
    items = [elements[node.key] for node in inside if node.role in _ITEMS]
    read = sum(not _is_empty(item) for item in items)
    rows = {node.row for node in inside if node.role == "table cell"}
    read = max(read, len(rows))
    there = max([container.count or 0, len(items), *(int(number(item, Property.SizeOfSet)) for item in items)])
    if there > read:
        return f'{read} of {there} items of {container.role} "{container.name}" were read; scroll it to read others'
    element = elements[container.key]
    grows = flag(element, Property.IsItemContainerPatternAvailable) and any(flag(element, each) for each in _SCROLLS)
    if grows and not _has_size(container, items):
        return f'{container.role} "{container.name}" may have more items than the {read} that were read'
    return ""


def _has_size(container: Node, items: Sequence[Element]) -> bool:
    """True if the number of all items is known."""
    return container.count is not None or any(number(item, Property.SizeOfSet) for item in items)


def _is_empty(item: Element) -> bool:
    """True for one that stands for an item without its content."""
    return has(item, com.VIRTUALIZED_ITEM) and bool(item.CachedIsOffscreen)
