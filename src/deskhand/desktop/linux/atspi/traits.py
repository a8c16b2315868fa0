"""Traits of controls, from what their application reports."""

from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait, comparable_name
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    CHECKABLE,
    LIST_ITEM,
    PANEL,
    PUSH_BUTTON,
    TABLE_CELL,
    TOGGLE_BUTTON,
    TRANSIENT,
)

_MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_MENU_ITEMS: Final = _MENU_CHECKS | {Role.MENU, Role.MENUITEM}
_CHOSEN: Final = frozenset({Role.CHECKBOX, Role.COMBOBOX, Role.RADIO, Role.SWITCH})
_DROPPED: Final = frozenset({Role.CELL, Role.LISTITEM, Role.ROW, Role.TREEITEM})
_ITEMS: Final = _DROPPED | {Role.TAB}
_LISTS: Final = frozenset({Role.LIST, Role.TABLE, Role.TREE})
_SHAPES: Final = frozenset({Role.FIGURE, Role.GROUP, Role.IMAGE})


def traits_of(node: Node, role: Role, print_: Fingerprint, *, office: bool) -> frozenset[Trait]:
    """The traits of a control. `office`: it is one of LibreOffice."""
    traits = _office_traits(node, role, print_) if office else _page_traits(role, print_)
    if node.role == TOGGLE_BUTTON:
        traits.add(Trait.TOGGLE)
    if role is Role.MENUITEM or (node.role == PUSH_BUTTON and not node.state & CHECKABLE):
        # GTK 3 knows no other items; LibreOffice's sidebar draws plain buttons as if pressed
        traits.add(Trait.CHECK_NOT_EXPOSED)
    if role is Role.COMBOBOX and ("open" not in node.actions or not print_.in_document):
        # only Chromium has the action; its own boxes, beside the page, drop a menu down
        traits.add(Trait.OPENS_BY_CLICK)
    if role in _ITEMS and node.state & CHECKABLE and (office or _cannot_toggle(node)):
        traits.add(Trait.TOGGLE_BY_KEY)
    return frozenset(traits)


def _cannot_toggle(item: Node) -> bool:
    """True for items of GTK 3, whose action `Toggle` does nothing, and of Qt, which have no action."""
    return not any(item.actions) or "Toggle" in item.actions


def _page_traits(role: Role, print_: Fingerprint) -> set[Trait]:
    """Traits of controls inside a web page; a page that is no menu may react to the pointer."""
    if not print_.in_document:
        return set()
    traits = set[Trait]() if role in _MENU_ITEMS else {Trait.CHANGES_ON_HOVER}
    return traits | {Trait.STATE_IS_HIDDEN} if role in _MENU_CHECKS else traits


def _office_traits(node: Node, role: Role, print_: Fingerprint) -> set[Trait]:
    """Traits of controls of LibreOffice.

    Its toolbars and sidebar report what was so up to 0.7 s ago and follow the selection. Sets that it draws itself and
    the slides of Impress report that they are selected when they are, but apply it only by a click; a style that is
    selected is applied whichever is activated.
    """
    in_document, toggle = print_.in_document, node.role == TOGGLE_BUTTON
    drawn = node.role == LIST_ITEM and node.state & TRANSIENT
    slide = node.role == PANEL and role is Role.LISTITEM
    holds = {
        Trait.STATE_IS_HIDDEN: role in _MENU_CHECKS,
        Trait.STATE_IS_LATE: role in _MENU_CHECKS or ((toggle or role in _CHOSEN) and not in_document),
        Trait.SELECT_BY_CLICK: drawn or slide,
        Trait.OPENS_LIST: toggle,
        Trait.IN_POPUP_LIST: role in _DROPPED and _is_in_popup(print_),
        Trait.POPUP_LIST: role in _LISTS and _is_in_popup(print_),
        Trait.PARTIAL_LIST: role in _LISTS and not in_document,
        Trait.ACTIVATES_SELECTED: role in _ITEMS and node.role == TABLE_CELL and "Activate" in node.actions,
        Trait.BARS_FOLLOW_SELECTION: role in _ITEMS | _SHAPES,
        Trait.FOCUS_BY_CLICK: role in _SHAPES | {Role.CELL} and in_document,
        Trait.FOLLOWS_POINTER: role is Role.STATUS,
    }
    return {trait for trait, held in holds.items() if held}


def _is_in_popup(print_: Fingerprint) -> bool:
    """True inside a dialog that is not the window itself, or inside a nameless window within it."""
    own = comparable_name(print_.window)
    ancestors = (step.partition(":") for step in print_.path[:-1])
    return any(
        comparable_name(name) != own if role == Role.DIALOG else role == Role.WINDOW and not name
        for role, name in ((head.partition("#")[0], name) for head, _, name in ancestors)
    )
