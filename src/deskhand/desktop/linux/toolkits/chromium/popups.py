"""Menus and drop-downs in X windows of their own: menus are frames, drop-downs are inside the page.

The visible part of neither is exposed; they may be longer than the screen, and scrolled.
"""

# upstream: not reported
# seen in: 156

from collections.abc import Iterable, Mapping

from deskhand.core.geometry import NOWHERE, Rect, around
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.popups import Popups, between_arrows
from deskhand.desktop.linux.atspi.roles import COMBO_BOX, ENABLED, FOCUSABLE, MENU_ITEM, MENU_ITEM_ROLES


def keep_to_frames(nodes: dict[Ref, Node], frames: Mapping[Ref, Rect]) -> dict[Ref, Node]:
    """Remove nodes that are scrolled out of the X window of their frame, and cut the others to it. `frames`: places.

    All items of a menu that is longer than the screen report SHOWING. All are in physical pixels, parents before
    children.
    """
    views, kept = dict(frames), dict[Ref, Node]()
    for ref, node in nodes.items():
        if node.parent and node.parent in views and ref not in views:
            views[ref] = views[node.parent]
        if (view := views.get(ref)) is not None and not node.rect.empty:
            views[ref] = between_arrows(nodes, ref, view)
            seen = node.rect.intersection(view)
            if seen.empty or (node.role in MENU_ITEM_ROLES and 2 * seen.height < node.rect.height):
                continue
            node.rect = seen
        kept[ref] = node
    return kept


def place_items(nodes: Mapping[Ref, Node], lists: Iterable[Ref], popups: Popups) -> None:
    """Remove the extents of all nodes in open lists, unless the whole list is inside one of the popups.

    Extents are reported as if a list were as long as its items, from its first one on, even if it is scrolled, as it is
    from the start if the choice is further down; those of groups are the extents of the box. `nodes`: parents before
    children, in physical pixels.
    """
    for menu in lists:
        inside = _below(nodes, menu)
        whole = around([node.rect for node in inside if node.role == MENU_ITEM and not node.rect.empty])
        told = any(place.intersection(whole) == whole for place in popups.places)
        for node in inside:
            node.rect = node.rect if told and node.role == MENU_ITEM else NOWHERE


def enable_items(nodes: Mapping[Ref, Node], lists: Iterable[Ref]) -> None:
    """Enable items of open lists that are focusable, whatever they report.

    Those of a box that was disabled while its page was loaded never report ENABLED.
    """
    for menu in lists:
        for node in _below(nodes, menu):
            node.state |= ENABLED if node.role == MENU_ITEM and node.state & FOCUSABLE else 0


async def is_item_of_list(deed: Deed, item: Ref, role: int) -> bool:
    """True for an item of the list of a combo box, see `enable_items`. Raises: as `Deed`."""
    menu = calls.ref_in(await deed.ask(item.get(calls.ACCESSIBLE, "Parent"))) if role == MENU_ITEM else None
    box = calls.ref_in(await deed.ask(menu.get(calls.ACCESSIBLE, "Parent"))) if menu is not None else None
    return box is not None and calls.int_in(await deed.ask(calls.get_role(box)), -1) == COMBO_BOX


def _below(nodes: Mapping[Ref, Node], top: Ref) -> list[Node]:
    above, below = {top}, list[Node]()
    for ref, node in nodes.items():
        if node.parent in above:
            above.add(ref)
            below.append(node)
    return below
