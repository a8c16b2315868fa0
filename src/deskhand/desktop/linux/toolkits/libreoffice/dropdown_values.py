"""Choice of a closed drop-down without a field: that of its list, once it was observed open."""

from collections.abc import Mapping
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Post, Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.node_requests import Request
from deskhand.desktop.linux.atspi.roles import CHECKED, TABLE_ROLES, TOGGLE_BUTTON, WINDOW

_GAP: Final = 12
"""Pixels between a button and its open list at most, on one side each."""

_MOST: Final = 200


class DropdownLists:
    """The lists of drop-downs by their buttons.

    A closed drop-down exposes no choice, and its list is exposed only while it is open. Its object stays valid, and
    its selection is the choice, also after keys or a reset. While it is open, the selection follows the pointer.
    """

    # upstream: not reported
    # seen in: 7.4.7

    def __init__(self) -> None:
        self._lists: dict[Ref, Ref] = {}

    def learn(self, nodes: Mapping[Ref, Node]) -> None:
        """Record the open list of a drop-down, if there is one."""
        pressed = [node for node in nodes.values() if _may_open(node) and node.state & CHECKED]
        lists = [node for node in nodes.values() if node.role in TABLE_ROLES and _is_in_popup(node, nodes)]
        pairs = [(opener.ref, each.ref) for opener in pressed for each in lists if _are_adjacent(opener, each)]
        if len(pairs) == 1:
            self._lists = {**dict([*self._lists.items()][1 - _MOST :]), **dict(pairs)}

    def ask_choice(self, node: Node, post: Post) -> tuple[Request, ...]:
        """Request the choice of a closed drop-down whose list is recorded."""
        chosen_in = self._lists.get(node.ref)
        if chosen_in is None or not _may_open(node) or node.state & CHECKED:
            return ()

        def take_item(_: Node, reply: Reply) -> None:
            if (item := calls.ref_in(reply)) is not None:
                post([calls.get_name(item)], take_name)

        def take_name(replies: list[Reply]) -> None:
            node.text = calls.text_in(replies[0])

        return ((calls.get_chosen(chosen_in), take_item),)


def _may_open(node: Node) -> bool:
    return node.role == TOGGLE_BUTTON and not node.name


def _is_in_popup(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True inside a nameless window, which is another one than the drop-down's."""
    at: Node | None = node
    while at is not None and at.role != WINDOW:
        at = nodes.get(at.parent) if at.parent else None
    return at is not None and not at.name


def _are_adjacent(opener: Node, listed: Node) -> bool:
    beside = abs(opener.rect.left - listed.rect.left)
    below, above = abs(listed.rect.top - opener.rect.bottom), abs(opener.rect.top - listed.rect.bottom)
    return beside <= _GAP and min(below, above) <= _GAP
