"""Traits of controls, from the properties that applications report."""

from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import CHECKABLE, PUSH_BUTTON, TOGGLE_BUTTON

MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
ITEMS: Final = frozenset({Role.CELL, Role.LISTITEM, Role.ROW, Role.TAB, Role.TREEITEM})


def common_traits(node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
    """Return the traits that a control may have in any application.

    Items of a menu and plain buttons may be checked without reporting it. Only a combo box of a web page with the
    action "open" opens by it: one of the browser opens by a click.
    """
    holds = {
        Trait.TOGGLE: node.role == TOGGLE_BUTTON,
        Trait.CHECK_NOT_EXPOSED: role is Role.MENUITEM or (node.role == PUSH_BUTTON and not node.state & CHECKABLE),
        Trait.OPENS_BY_CLICK: role is Role.COMBOBOX and ("open" not in node.actions or not print_.in_document),
        Trait.TOGGLE_BY_KEY: role in ITEMS and node.state & CHECKABLE and _cannot_toggle(node),
    }
    return frozenset(trait for trait, held in holds.items() if held)


def page_traits(role: Role, print_: Fingerprint) -> frozenset[Trait]:
    """Return the traits of a control inside a web page."""
    return frozenset({Trait.STATE_IS_HIDDEN}) if print_.in_document and role in MENU_CHECKS else frozenset()


def _cannot_toggle(item: Node) -> bool:
    """True for items without an action, and for those whose action is called `Toggle`, which does nothing."""
    return not any(item.actions) or "Toggle" in item.actions
