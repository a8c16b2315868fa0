"""Kinds of controls that pictures and compact lists distinguish."""

from enum import Enum, auto
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind


class Kind(Enum):
    """Use of a control."""

    PRESS = auto()
    ENTER = auto()
    CHOOSE = auto()
    NAVIGATE = auto()
    READ = auto()
    CONTAIN = auto()
    OTHER_SOURCE = auto()


_ROLES: Final = {
    Kind.PRESS: {Role.BUTTON, Role.LINK},
    Kind.ENTER: {Role.TEXTBOX, Role.PASSWORD, Role.COMBOBOX, Role.SPINBUTTON, Role.SLIDER, Role.SCROLLBAR},
    Kind.CHOOSE: {Role.CHECKBOX, Role.RADIO, Role.SWITCH, Role.LISTITEM, Role.TREEITEM, Role.CELL},
    Kind.NAVIGATE: {Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.TAB},
    Kind.READ: {
        Role.LABEL,
        Role.TEXT,
        Role.HEADING,
        Role.PARAGRAPH,
        Role.IMAGE,
        Role.STATUS,
        Role.ALERT,
        Role.TOOLTIP,
        Role.PROGRESSBAR,
        Role.COLUMNHEADER,
        Role.ROWHEADER,
        Role.FIGURE,
    },
}
_KIND_OF_ROLE: Final = {role: kind for kind, roles in _ROLES.items() for role in roles}
INTERACTIVE: Final = frozenset({Kind.PRESS, Kind.ENTER, Kind.CHOOSE, Kind.NAVIGATE, Kind.OTHER_SOURCE})


def kind_of(target: TargetInfo) -> Kind:
    """The kind of a target. Editable text is a text entry; a box from grounding has a kind of its own."""
    if target.kind is TargetKind.CONTROL and (target.sighting or not target.handle):
        return Kind.OTHER_SOURCE
    kind = _KIND_OF_ROLE.get(target.type, Kind.CONTAIN)
    return Kind.ENTER if kind in {Kind.READ, Kind.CONTAIN} and "editable" in target.states else kind


def interactive(target: TargetInfo) -> bool:
    """True if the control can be operated."""
    return kind_of(target) in INTERACTIVE
