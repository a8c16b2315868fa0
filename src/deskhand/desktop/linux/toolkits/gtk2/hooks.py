"""Hooks of GTK 2."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node, Stray, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_tip, is_nameless_control
from deskhand.desktop.linux.atspi.roles import MENU, MENU_BAR, SELECTED, SHOWING, VISIBLE
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Visit, Visitor

_SHELLS: Final = frozenset({MENU, MENU_BAR})
"""Roles with a selection: the item that is open or highlighted."""


class Gtk2(Toolkit):
    """GTK 2. Menus get the state SELECTED while they are open, as in GTK 3; their items never report SHOWING."""

    # All that follows describes GTK 2 or works around it.
    # upstream: not reported
    # seen in: 2.24.33
    selects_open_menus = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "GAIL"

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        tip = (ask_tip(node),) if is_nameless_control(node) else ()
        return (*super().ask_details(node, visitor), *tip)

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        if _shows(node, above):
            node.state |= SHOWING
            visitor.visit(node)

    async def extend(self, walk: Walk, frame: Ref, visit: Visit, transport: Transport, *, deadline_s: float) -> str:
        """Read the items of open menus, those of each menu after it has been found open in its own."""
        del frame
        left_out, shells = "", [node for node in walk.nodes.values() if node.role == MENU_BAR]
        while shells and not left_out:
            shells = await _open_menus(shells, walk.nodes, transport, deadline_s)
            items = [Stray(item, menu.ref, item) for menu in shells for item in menu.children]
            for menu in shells:
                menu.children = []
            left_out = await visit(strays=items)
        return left_out

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        """Of an item that is read by itself, mark the open menus around it."""
        if not walk.is_line:
            return
        await _open_menus(list(walk.nodes.values()), walk.nodes, transport, deadline_s)
        for node in walk.nodes.values():
            above = walk.nodes.get(node.parent) if node.parent else None
            if above is not None and _shows(node, above):
                node.state |= SHOWING

    def scrolls_menus(self, nodes: Mapping[Ref, Node]) -> bool:
        """Items of a menu that was open before keep their extents, so that its X window decides."""
        return any(node.role == MENU and node.state & SELECTED for node in nodes.values())


def _shows(node: Node, above: Node) -> bool:
    return above.role == MENU and bool(above.state & SELECTED) and bool(node.state & VISIBLE)


async def _open_menus(
    shells: Sequence[Node], nodes: Mapping[Ref, Node], transport: Transport, deadline_s: float
) -> list[Node]:
    """Mark the open menus directly in some menus and bars. Return them. Raises: DesktopGone."""
    asked = [calls.get_chosen(node.ref) for node in shells if node.role in _SHELLS]
    chosen = map(calls.ref_in, await transport.batch(asked, deadline_s=deadline_s))
    menus = [node for ref in chosen if ref and (node := nodes.get(ref)) and node.role == MENU]
    for menu in menus:
        menu.state |= SELECTED
    return menus
