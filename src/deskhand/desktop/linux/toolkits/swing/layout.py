"""Extents of windows and menu items, which are reported elsewhere."""

# upstream: not reported
# seen in: java-atk-wrapper 0.40.0

from collections.abc import Mapping

from deskhand.core.geometry import NOWHERE, around
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import POPUP_MENU, ROOT_PANE, WINDOW_ROLES


def put_windows_around(nodes: Mapping[Ref, Node]) -> None:
    """Give windows the extents of the pane that fills them, which are right."""
    for pane in nodes.values():
        window = nodes.get(pane.parent) if pane.parent else None
        if pane.role == ROOT_PANE and window is not None and window.role in WINDOW_ROLES:
            window.rect = pane.rect


def put_items_into_menus(nodes: Mapping[Ref, Node]) -> None:
    """Move the items of a menu that is drawn into its window into the menu.

    Together they fill it but for a border, the same on both sides.
    """
    for ref, menu in nodes.items():
        if menu.role != POPUP_MENU or menu.rect.empty:
            continue
        items = [item for item in nodes.values() if item.parent == ref and not item.rect.empty]
        whole = around([item.rect for item in items]) if items else NOWHERE
        if whole.intersection(menu.rect) == whole:
            continue
        fits = whole.width <= menu.rect.width and whole.height <= menu.rect.height
        across, down = menu.rect.center.x - whole.center.x, menu.rect.center.y - whole.center.y
        for item in items:
            item.rect = item.rect.moved(across, down) if fits else NOWHERE
