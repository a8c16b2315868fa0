"""Hooks of Windows programs under Wine, as the bridge exposes them (`desktop/linux/wine`)."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labels, takes_label
from deskhand.desktop.linux.atspi.roles import role_of
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Visitor

_LABELLED: Final = frozenset({Role.TABLE, Role.TREE, Role.PROGRESSBAR})
"""Roles that a label names in Win32, beside those that it names elsewhere."""


class Win32(Toolkit):
    """Win32 under Wine. The bridge is ours, so that little of it differs from the specification."""

    has_complete_list = True
    lists_children = True
    later_is_over = False
    tells_hits = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "Win32"

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A control has its label's text as a name of its own; the label is asked for, so that it is listed once."""
        del visitor
        return (ask_labels(node),) if takes_label(node) or role_of(node.role) in _LABELLED else ()

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        own = frozenset({Trait.WINDOWS_PATHS}) if role is Role.TEXTBOX else frozenset[Trait]()
        return super().traits_of(node, role, print_) | own
