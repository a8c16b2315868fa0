"""Popovers of GTK 4: they stand in X windows of their own, and their places are told as if they did not.

The corner of such a window is told to be that of what the popover belongs to; since GTK 4.10 it is that of the popover,
which is told to stand somewhere beside what it belongs to. Which element is the popover shows in its size: with the
margins it has there, or since GTK 4.10 alone, it fills the X window.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mode
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect, around
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Surface
from deskhand.desktop.linux.atspi.roles import (
    COMBO_BOX,
    FILLER,
    LIST_BOX,
    MENU,
    MENU_ITEM_ROLES,
    PANEL,
    POPUP_MENU,
    POPUP_ROLES,
    SEPARATOR,
    TOOL_TIP,
    WINDOW,
)

_SCALES: Final = (1, 2, 3, 4)
_MARGIN: Final = 12
"""Pixels by which the X window of a menu may be larger than what its application says of it."""


@dataclass(frozen=True, slots=True)
class Popups:
    """The X windows that lie over a window and belong to its program, each in screen pixels."""

    places: Sequence[Rect] = ()

    def surface_of(self, node: Node, above: Sequence[Node]) -> Surface | None:
        """The one that this element fills, `above` being all that it stands in, the nearest first."""
        if not self.places or not above or node.rect.empty:
            return None
        taken = {outer.surface.place for outer in above if outer.surface}
        free = [place for place in self.places if place not in taken]
        corner = above[0].rect
        left, top = node.rect.left - corner.left, node.rect.top - corner.top
        if left >= 0 and top >= 0:
            for place in free:
                if fills(place, left + node.rect.width, top + node.rect.height, _margin_of(node)):
                    return Surface(corner.left, corner.top, place)
        if corner.intersection(node.rect) != node.rect:
            for place in free:
                if fills(place, node.rect.width, node.rect.height, _margin_of(node)):
                    return Surface(node.rect.left, node.rect.top, place)
        return None


def fills(place: Rect, width: int, height: int, margin: int = _MARGIN) -> bool:
    """Whether what is told to be so large, at any scale, fills an X window but for a margin; what is empty does not."""
    return min(width, height) > 0 and any(
        0 <= place.width - width * scale <= margin and 0 <= place.height - height * scale <= margin for scale in _SCALES
    )


def _margin_of(node: Node) -> int:
    """Menus within menus have a margin below that nobody tells, and so have the lists of GTK 4.18 and tooltips."""
    if node.role == TOOL_TIP:
        return 2 * _MARGIN
    return _MARGIN if node.role in POPUP_ROLES or node.role == LIST_BOX else 0


NO_POPUPS: Final = Popups()


def keep_to_popups(nodes: dict[Ref, Node], popups: Popups) -> dict[Ref, Node]:
    """Without the items of menus that are scrolled out of the window of their menu; of others what can be seen.

    GTK 3 tells places of all of them. All are in screen pixels.
    """
    menus = [ref for ref, node in nodes.items() if node.role == MENU]
    views = {menu: [between_arrows(nodes, menu, place) for place in popups.places] for menu in menus}
    kept: dict[Ref, Node] = {}
    for ref, node in nodes.items():
        if node.parent and node.parent in views and not node.rect.empty:
            seen = (node.rect.intersection(view) for view in views[node.parent])
            node.rect = max(seen, key=_area, default=NOWHERE)
            if node.rect.empty:
                continue
        kept[ref] = node
    return kept


def between_arrows(nodes: Mapping[Ref, Node], menu: Ref, view: Rect) -> Rect:
    """What of a view shows the items of this menu, if it is one: where it goes on, an arrow about as high as they are
    lies over it, which nobody tells of.
    """
    if nodes[menu].role != MENU:
        return view
    items = [node.rect for node in nodes.values() if node.parent == menu and node.role in MENU_ITEM_ROLES]
    if not items:
        return view
    whole, arrow = around(items), mode(item.height for item in items)
    top = view.top + arrow if whole.top < view.top else view.top
    return Rect(view.left, top, view.right, view.bottom - arrow if whole.bottom > view.bottom else view.bottom)


def _area(rect: Rect) -> int:
    return 0 if rect.empty else rect.area


def mark_surfaces(nodes: Mapping[Ref, Node], popups: Popups) -> None:
    """Finds the popovers among the elements of one line, the outermost first."""
    above: list[Node] = []
    for node in nodes.values():
        node.surface = popups.surface_of(node, above)
        above.insert(0, node)


def is_mute(nodes: Mapping[Ref, Node], popup: Ref) -> bool:
    """Whether a popup shows and nothing but boxes is told of what is in it.

    So it is with the tools for which a tool bar of LibreOffice has no room. What GTK drags is out of sight.
    """
    below, found = [popup], list[Node]()
    while below:
        if (node := nodes.get(below.pop())) is not None:
            found.append(node)
            below += node.children
    boxes = {PANEL, FILLER, WINDOW}
    shows = bool(found) and found[0].rect.right > 0 and found[0].rect.bottom > 0 and not found[0].rect.empty
    return shows and all(node.role in boxes for node in found)


def untold_menus(nodes: Mapping[Ref, Node], menus: Sequence[Rect]) -> list[Rect]:
    """Those menus that show of which nothing is told.

    Qt tells an item that two menus share in one of them alone. All are in screen pixels.
    """
    inside, told = set[Ref](), list[Rect]()
    for ref, node in nodes.items():
        is_menu = node.role in {MENU, POPUP_MENU}
        if is_menu or node.parent in inside:
            inside.add(ref)
            told += [] if is_menu or node.role == SEPARATOR or node.rect.empty else [node.rect]
    return [place for place in menus if not any(place.contains(rect.center) for rect in told)]


def dropped_lists(nodes: Mapping[Ref, Node]) -> list[Ref]:
    """Return the menus inside combo boxes: open lists of web pages."""
    return [ref for ref, node in nodes.items() if node.role == MENU and is_dropped(nodes, node)]


def is_in_dropped_list(nodes: Mapping[Ref, Node], node: Node) -> bool:
    """True for the list of a combo box, and for a group in it."""
    outer = nodes.get(node.parent) if node.parent else None
    return any(menu is not None and menu.role == MENU and is_dropped(nodes, menu) for menu in (node, outer))


def is_dropped(nodes: Mapping[Ref, Node], menu: Node) -> bool:
    """True if a menu is the list of a combo box."""
    box = nodes.get(menu.parent) if menu.parent else None
    return box is not None and box.role == COMBO_BOX
