"""What an open menu covers: it is there, and cannot be seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.geometry import Rect, around
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.MENU, Role.SEPARATOR})
_OPEN: Final = 2
"""Items beside each other that show: the menu they stand in is open. One alone may be the menu's own name."""


@dataclass(frozen=True, slots=True)
class Layers:
    """What lies on the window and what lies over it. `menus` are the places of the open menus; covered targets,
    those whose middle a menu lies over that they do not stand in, are in neither list."""

    below: list[TargetInfo]
    above: list[TargetInfo]
    menus: list[Rect]


def layers(targets: Sequence[TargetInfo]) -> Layers:
    """The targets in their order, without those that an open menu covers."""
    menus = _open_menus(targets)
    if not menus:
        return Layers(list(targets), [], [])
    parents = {target.handle: target.parent for target in targets if target.handle}
    below: list[TargetInfo] = []
    above: list[TargetInfo] = []
    for target in targets:
        line = _line(target, parents)
        own = [place for menu, place in menus.items() if menu in line and place.contains(target.rect.center)]
        if not any(place.contains(target.rect.center) for menu, place in menus.items() if menu not in line):
            (above if own else below).append(target)
    return Layers(below, above, list(menus.values()))


def _open_menus(targets: Sequence[TargetInfo]) -> dict[str, Rect]:
    """The place of each open menu, by the handle of the menu: that of its items, which stand below one another."""
    menubars = {target.handle for target in targets if target.type is Role.MENUBAR}
    items: dict[str, list[Rect]] = {}
    for target in targets:
        if target.type in _ITEMS and target.parent and target.parent not in menubars and not target.rect.empty:
            items.setdefault(target.parent, []).append(target.rect)
    return {menu: around(rects) for menu, rects in items.items() if len(rects) >= _OPEN}


def _line(target: TargetInfo, parents: dict[str, str]) -> set[str]:
    """The handles of a target and of what it stands in."""
    line = {target.handle}
    above = target.parent
    while above and above not in line:
        line.add(above)
        above = parents.get(above, "")
    return line
