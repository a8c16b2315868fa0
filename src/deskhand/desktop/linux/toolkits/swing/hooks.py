"""Hooks of Swing."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed, whole_text
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import Node, Walk, is_flat
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labelled, ask_tip, is_nameless_control
from deskhand.desktop.linux.atspi.roles import (
    COLUMN_HEADER,
    LABEL,
    LIST,
    TABLE,
    TREE,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Visitor
from deskhand.desktop.linux.atspi.traversal import MANY
from deskhand.desktop.linux.toolkits.swing.layout import put_items_into_menus, put_windows_around
from deskhand.desktop.linux.toolkits.swing.table_rows import KeptRows, Rows

_SIXTEEN_BITS: Final = "\uffff"
_MOST_UNITS: Final = 20_000
"""Characters of a text that are requested one by one."""


class Swing(Toolkit):
    """Swing. A window reports no place, or one that counts the corner of the frame twice."""

    # All that follows works around differences of the bridge.
    # upstream: not reported
    # seen in: java-atk-wrapper 0.40.0
    tells_own_pixels = True
    tells_windows_elsewhere = True
    cuts_to_views = True
    cuts_to_all = True
    tells_menu_items_elsewhere = True
    counts_children = True
    renews_heads = True
    renews_items_in = frozenset({LIST, TABLE})
    hides_branches_in = frozenset({TREE})
    """A branch is scrolled away on its own; no object reports which row contains which."""

    later_is_over = False

    def __init__(self, name: str = "", version: str = "", application: str = "") -> None:
        super().__init__(name, version, application)
        self._rows = KeptRows()

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "J2SE-access-bridge"

    def read_children(self, node: Node, count: int, visitor: Visitor) -> bool:
        if node.role == TREE:
            visitor.post([calls.get_child(node.ref, 0)], partial(_take_first_row, visitor, node))
            visitor.look_at_points(node, one_column=True)
            return True
        if node.role == TABLE:
            adopt, otherwise = partial(_adopt_cells, visitor, node), partial(visitor.look_at_all, node, count)
            Rows(visitor.post, node.ref, count, visitor.view_of(node), self._rows, adopt, otherwise).read()
            return True
        if count > MANY:  # scrolled away children have no extents
            visitor.look_at_points(node)
            return True
        return False

    def is_away(self, node: Node, above: Node) -> bool:
        """The header of a column is a label without a height, and a new object each time."""
        if node.role == LABEL and node.rect.width > 0 and node.rect.height == 0:
            node.role, node.rect = COLUMN_HEADER, replace(node.rect, bottom=above.rect.bottom)
        return is_flat(node.rect)

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        if node.role == LABEL:
            return (ask_labelled(node),)
        tip = (ask_tip(node),) if is_nameless_control(node) else ()
        return (*tip, *super().ask_details(node, visitor))

    async def read_text(self, deed: Deed, ref: Ref, role: int, described: str) -> str:
        del role, described
        return await _ungarbled(deed, ref, await whole_text(deed, ref))

    async def require_text(self, deed: Deed, ref: Ref, text: str, described: str) -> None:
        """Characters of more than 16 bits are garbled in both directions and counted as two."""
        del deed, ref
        if any(character > _SIXTEEN_BITS for character in text):
            raise ActionRefused(f"{described}: Java's bridge garbles emoji and the like.", fix="Paste the text.")

    def place(self, walk: Walk) -> frozenset[Ref]:
        if not walk.is_line:
            put_windows_around(walk.nodes)
            put_items_into_menus(walk.nodes)
        return frozenset()


def _take_first_row(visitor: Visitor, tree: Node, replies: list[Reply]) -> None:
    def take(places: list[Reply]) -> None:
        tree.from_start = not calls.rect_in(places[0]).intersection(tree.rect).empty

    if first := calls.ref_in(replies[0]):
        visitor.post([calls.get_extents(first)], take)


def _adopt_cells(visitor: Visitor, node: Node, children: Sequence[Ref], order: Sequence[Ref]) -> None:
    visitor.adopt(node, children, order=order)


async def _ungarbled(deed: Deed, ref: Ref, text: str) -> str:
    """Return a text that is cut short, decoded from its single 16-bit units."""
    length = calls.int_in(await deed.ask(calls.get_text_length(ref)))
    if len(text.encode("utf-16-le")) == 2 * length or length > _MOST_UNITS:
        return text
    asked = [ref.call(calls.TEXT, "GetCharacterAtOffset", "i", place) for place in range(length)]
    units = [calls.int_in(reply) & 0xFFFF for reply in await deed.ask_all(asked)]
    return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", errors="replace")
