"""Popups in X windows of their own, whose content may have extents as if it were in the window of the application.

The corner of such an X window is then the corner of the popup's parent, or that of the popup itself, which is reported
beside its parent. An element is the popup if its size, with or without its distance from its parent, is that of the X
window.
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
"""Pixels by which the X window of a menu may be larger than its reported extents."""


@dataclass(frozen=True, slots=True)
class Popups:
    """The X windows that are over a window and belong to its program, in physical pixels."""

    places: Sequence[Rect] = ()

    def surface_of(self, node: Node, above: Sequence[Node]) -> Surface | None:
        """Return the X window that an element fills; `above`: its ancestors, the nearest first."""
        if not self.places or not above or node.rect.empty:
            return None
        taken = {outer.surface.place for outer in above if outer.surface}
        free = [place for place in self.places if place not in taken]
        corner, margin = above[0].rect, _margin_of(node)
        left, top = node.rect.left - corner.left, node.rect.top - corner.top
        if min(left, top) >= 0 and (place := _filled(free, left + node.rect.width, top + node.rect.height, margin)):
            return Surface(corner.left, corner.top, place)
        is_beside = corner.intersection(node.rect) != node.rect
        if is_beside and (place := _filled(free, node.rect.width, node.rect.height, margin)):
            return Surface(node.rect.left, node.rect.top, place)
        return None


def _filled(places: Sequence[Rect], width: int, height: int, margin: int) -> Rect | None:
    return next((place for place in places if fills(place, width, height, margin)), None)


def fills(place: Rect, width: int, height: int, margin: int = _MARGIN) -> bool:
    """True if an element of that size, at any scale, fills an X window but for a margin."""
    return min(width, height) > 0 and any(
        0 <= place.width - width * scale <= margin and 0 <= place.height - height * scale <= margin for scale in _SCALES
    )


def _margin_of(node: Node) -> int:
    """Return the margin that a menu in a menu, a list or a tooltip has below it."""
    if node.role == TOOL_TIP:
        return 2 * _MARGIN
    return _MARGIN if node.role in POPUP_ROLES or node.role == LIST_BOX else 0


NO_POPUPS: Final = Popups()


def keep_to_popups(nodes: dict[Ref, Node], popups: Popups) -> dict[Ref, Node]:
    """Remove items that are scrolled out of the X window of their menu, and cut the others to it.

    All are in physical pixels.
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
    """Return the part of a view in which the items of a menu are visible.

    Where the menu continues, an arrow about as high as an item covers it, which is not exposed.
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
    """Find the popups among an object and its ancestors, the outermost first."""
    above: list[Node] = []
    for node in nodes.values():
        node.surface = popups.surface_of(node, above)
        above.insert(0, node)


def is_mute(nodes: Mapping[Ref, Node], popup: Ref) -> bool:
    """True if a popup is visible and exposes nothing but boxes. The picture of a dragged item is off the screen."""
    below, found = [popup], list[Node]()
    while below:
        if (node := nodes.get(below.pop())) is not None:
            found.append(node)
            below += node.children
    boxes = {PANEL, FILLER, WINDOW}
    shows = bool(found) and found[0].rect.right > 0 and found[0].rect.bottom > 0 and not found[0].rect.empty
    return shows and all(node.role in boxes for node in found)


def untold_menus(nodes: Mapping[Ref, Node], menus: Sequence[Rect]) -> list[Rect]:
    """Return the visible menus of which no item is exposed: one that two menus share may be a child of one of them.

    All are in physical pixels.
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
