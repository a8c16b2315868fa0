"""What Chromium shows in X windows of their own: its menus, which are frames, and the lists that a page drops down.

Of neither it tells what of them shows: they may be longer than the screen, and scrolled.
"""

from collections.abc import Iterable, Mapping

from deskhand.core.geometry import NOWHERE, Rect, around
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.popups import Popups, between_arrows
from deskhand.desktop.linux.atspi.roles import COMBO_BOX, ENABLED, FOCUSABLE, MENU_ITEM, MENU_ITEM_ROLES


def keep_to_frames(nodes: dict[Ref, Node], frames: Mapping[Ref, Rect]) -> dict[Ref, Node]:
    """Without what stands in one of these frames and is scrolled out of its X window, whose place is given; of the rest
    what can be seen.

    Chromium tells such a frame in pixels of its own, and all items of a menu that is longer than the screen as showing.
    All are in screen pixels, parents before children.
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
    """Takes the places of all that stands in these dropped lists, unless the whole list lies in one of the popups.

    Chromium tells places as if a list were as long as its items, from its first one on, and never that it is scrolled,
    as it is from the start where what is chosen stands further down; of groups it tells where the box is. `nodes` stand
    parents before children, in screen pixels.
    """
    for menu in lists:
        inside = _below(nodes, menu)
        whole = around([node.rect for node in inside if node.role == MENU_ITEM and not node.rect.empty])
        told = any(place.intersection(whole) == whole for place in popups.places)
        for node in inside:
            node.rect = node.rect if told and node.role == MENU_ITEM else NOWHERE


def enable_items(nodes: Mapping[Ref, Node], lists: Iterable[Ref]) -> None:
    """Items of these dropped lists that take the keyboard are enabled, whatever they say.

    Chromium goes on saying that they are not of a box that was disabled while its page was made ready.
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
