"""Controls that contain others which take clicks themselves: a button in a card or a row, a branch of a tree."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.mapping import name_of
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import CHECKABLE, COMBO_BOX, ENTRY, FOCUSABLE, LABEL, LIST_ITEM, TREE_ITEM

_OF_OTHERS: Final = frozenset({"", "doDefault", "clickAncestor", "showContextMenu"})
"""Actions of elements of a page that take no clicks themselves."""

_LISTENS: Final = "click"
_ITEMS: Final = frozenset({LIST_ITEM, TREE_ITEM})

_LEAST: Final = 2
"""Pixels that a place to click has each way."""


def takes_clicks(actions: Sequence[str]) -> bool:
    """Whether something in a page waits for clicks itself."""
    return bool(actions) and actions[0] not in _OF_OTHERS


def is_another(node: Node, name: str, around: int, target: TargetInfo) -> bool:
    """True if an element inside a target of the role `around` takes clicks and is not the target itself.

    An element with the name of the target represents it, as a link that fills a tab; so do the field of a combo box and
    the box of a label. A box that only listens to clicks, as any may, is part of it.
    """
    if not takes_clicks(node.actions):
        return False
    if node.actions[0] == _LISTENS and not node.state & FOCUSABLE and node.role not in _ITEMS:
        return False
    if (around == COMBO_BOX and node.role == ENTRY) or (around == LABEL and node.state & CHECKABLE):
        return False
    return not name or comparable_name(name) != comparable_name(target.name)


def own_part(nodes: Mapping[Ref, Node], ref: Ref, target: TargetInfo, place: Rect) -> Rect | None:
    """Return the own part of a target's place: all of it, unless a child would take a click in the middle.

    `nodes`: the target and its content. Its own words are preferred to empty space; None if nothing is its own.
    """
    others, words = _inside(nodes, ref, target)
    if not any(other.contains(place.center) for other in others):
        return place
    free = [place]
    for other in others:
        free = [part for whole in free for part in whole.minus(other)]
    on_words = [part.intersection(word) for word in words for part in free]
    for parts in (on_words, free):
        large = [part for part in parts if min(part.width, part.height) >= _LEAST]
        if large:
            return max(large, key=lambda part: (min(part.width, part.height), part.area))
    return None


def _inside(nodes: Mapping[Ref, Node], ref: Ref, target: TargetInfo) -> tuple[list[Rect], list[Rect]]:
    """Return the places in a target where children take clicks, and those of its own words."""
    others: list[Rect] = []
    words: list[Rect] = []
    waiting = list(nodes[ref].children)
    while waiting:
        here = waiting.pop()
        node = nodes.get(here)
        if node is None:
            continue
        name = name_of(node, nodes)
        if is_another(node, name, nodes[ref].role, target):
            others.append(node.rect)
        elif any(child in nodes for child in node.children):
            waiting += node.children
        elif name:
            words.append(node.rect)
    return others, words
