"""Traits of controls of LibreOffice."""

from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait, comparable_name
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    CHECKABLE,
    DOCUMENT_FRAME,
    DOCUMENT_TEXT,
    EDITABLE,
    LIST_ITEM,
    MANAGES_DESCENDANTS,
    PANEL,
    TABLE_CELL,
    TOGGLE_BUTTON,
    TRANSIENT,
)
from deskhand.desktop.linux.atspi.traits import ITEMS, MENU_CHECKS

_CHOSEN: Final = frozenset({Role.CHECKBOX, Role.COMBOBOX, Role.RADIO, Role.SWITCH})
_DROPPED: Final = frozenset({Role.CELL, Role.LISTITEM, Role.ROW, Role.TREEITEM})
_LISTS: Final = frozenset({Role.LIST, Role.TABLE, Role.TREE})
_SHEETS: Final = {Role.CELL: TRANSIENT, Role.TABLE: MANAGES_DESCENDANTS}
"""The state that only the cells of a spreadsheet have, and their table."""

_SHAPES: Final = frozenset({Role.FIGURE, Role.GROUP, Role.IMAGE})


def office_traits(node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
    """Return the traits of a control.

    Tool bars and the sidebar report states of up to 0.7 s ago and follow the selection. Sets that LibreOffice draws
    itself and the slides of Impress report that they are selected, but apply it only by a click; a selected style is
    applied whichever is activated.
    """
    in_document = print_.in_document
    holds = {
        Trait.STATE_IS_HIDDEN: role in MENU_CHECKS,
        Trait.STATE_IS_LATE: role in MENU_CHECKS or (not in_document and _shows_choice(node, role)),
        Trait.SELECT_BY_CLICK: _is_drawn(node, role),
        Trait.OPENS_LIST: _is_dropdown(node, print_),
        Trait.PARTIAL_LIST: node.role == DOCUMENT_FRAME or (role in _LISTS and not in_document),
        Trait.PAGED_TEXT: node.role == DOCUMENT_TEXT and bool(node.note),
        Trait.SIDE_BAR: node.docked,
        Trait.BARS_FOLLOW_SELECTION: role in ITEMS or role in _SHAPES,
        Trait.FOCUS_BY_CLICK: in_document and (role in _SHAPES or role is Role.CELL or _is_shape_item(node, role)),
        Trait.FOLLOWS_POINTER: role is Role.STATUS,
        Trait.OF_SHEET: in_document and bool(node.state & _SHEETS.get(role, 0)),
    }
    return frozenset(trait for trait, held in holds.items() if held) | _list_traits(node, role, print_)


def _list_traits(node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
    holds = {
        Trait.TOGGLE_BY_KEY: role in ITEMS and node.state & CHECKABLE,
        Trait.ACTIVATES_SELECTED: role in ITEMS and node.role == TABLE_CELL and "Activate" in node.actions,
        Trait.IN_POPUP_LIST: role in _DROPPED and _is_in_popup(print_),
        Trait.POPUP_LIST: role in _LISTS and _is_in_popup(print_),
    }
    return frozenset(trait for trait, held in holds.items() if held)


def _shows_choice(node: Node, role: Role) -> bool:
    return node.role == TOGGLE_BUTTON or role in _CHOSEN


def _is_dropdown(node: Node, print_: Fingerprint) -> bool:
    """True for the button of a drop-down, which has no name of its own, but not for a deck of the sidebar."""
    return node.role == TOGGLE_BUTTON and not node.name and print_.roles_around[-1:] != (Role.TOOLBAR.value,)


def _is_drawn(node: Node, role: Role) -> bool:
    """True for an item of a set that is drawn by LibreOffice itself, and for a slide."""
    return (node.role == LIST_ITEM and bool(node.state & TRANSIENT)) or (node.role == PANEL and role is Role.LISTITEM)


def _is_shape_item(node: Node, role: Role) -> bool:
    """True for a shape of a drawing, which is an item of it; slides are items too, and not editable."""
    return node.role == PANEL and role is Role.LISTITEM and bool(node.state & EDITABLE)


def _is_in_popup(print_: Fingerprint) -> bool:
    """True inside a dialog that is not the window itself, or inside a nameless window within it."""
    own = comparable_name(print_.window)
    ancestors = (step.partition(":") for step in print_.path[:-1])
    return any(
        comparable_name(name) != own if role == Role.DIALOG else role == Role.WINDOW and not name
        for role, name in ((head.partition("#")[0], name) for head, _, name in ancestors)
    )
