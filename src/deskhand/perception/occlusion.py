"""Controls covered by an open menu: they exist, and are not visible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.geometry import Rect, around
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.MENU})
_OPEN: Final = 2
"""Number of visible items beside each other that show that their menu is open. One alone may be the menu's name."""


@dataclass(frozen=True, slots=True)
class Layers:
    """Targets on the window and targets over it. `menus` are the places of the open menus; covered targets, whose
    centre
    is under a menu that does not contain them, are in neither list."""

    below: list[TargetInfo]
    above: list[TargetInfo]
    menus: list[Rect]


def layers(targets: Sequence[TargetInfo]) -> Layers:
    """The targets in their order, without those that an open menu covers."""
    parents = {target.handle: target.parent for target in targets if target.handle}
    menus = _open_menus(targets, parents)
    if not menus:
        return Layers(list(targets), [], [])
    below: list[TargetInfo] = []
    above: list[TargetInfo] = []
    for target in targets:
        line = {target.handle} | _line(target.parent, parents)
        own = [place for menu, place in menus.items() if menu in line and place.contains(target.rect.center)]
        if not any(place.contains(target.rect.center) for menu, place in menus.items() if menu not in line):
            (above if own else below).append(target)
    return Layers(below, above, list(menus.values()))


def _open_menus(targets: Sequence[TargetInfo], parents: Mapping[str, str]) -> dict[str, Rect]:
    """Place of each open menu, by the handle of the menu: that of its items, which are stacked vertically.

    A menu of a page counts as always visible if a dialog follows it in that page, outside of it.
    """
    menubars = {target.handle for target in targets if target.type is Role.MENUBAR}
    pages = {target.handle for target in targets if target.type is Role.DOCUMENT}
    items: dict[str, list[Rect]] = {}
    below: set[str] = set()
    for target in targets:
        if target.type in _ITEMS and target.parent and target.parent not in menubars and not target.rect.empty:
            items.setdefault(target.parent, []).append(target.rect)
        elif target.type is Role.DIALOG:
            own = _line(target.handle, parents) & pages
            below |= {menu for menu in items if _line(menu, parents) & own}
    return {menu: around(rects) for menu, rects in items.items() if len(rects) >= _OPEN and menu not in below}


def _line(handle: str, parents: Mapping[str, str]) -> set[str]:
    """Handles of a target and of its ancestors."""
    line: set[str] = set()
    while handle and handle not in line:
        line.add(handle)
        handle = parents.get(handle, "")
    return line
