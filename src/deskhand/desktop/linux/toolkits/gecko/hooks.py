"""Hooks of Gecko, the toolkit of Firefox and Thunderbird."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from deskhand.core.errors import NotOffered
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labelled
from deskhand.desktop.linux.atspi.roles import (
    COMBO_BOX,
    EDITABLE,
    EXPANDED,
    FOCUSABLE,
    LABEL,
    MENU,
    MENU_ITEM,
    MULTI_LINE,
    READ_ONLY,
    SECTION,
    SELECTED,
    SINGLE_LINE,
    TABLE_ROW,
    VISIBLE,
    role_of,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Visitor, visit_if_content_shows
from deskhand.desktop.linux.atspi.traits import ITEMS

_TAG: Final = "tag"
"""Attribute of an element of a page or of the program's own interface, which is made like a page."""

_LINES: Final = SINGLE_LINE | MULTI_LINE
_LEVELS: Final = 2
"""Of the list of a combo box: groups of items, and items."""


class Gecko(Toolkit):
    """Gecko: Firefox and Thunderbird."""

    # All that follows works around differences of Gecko.
    # upstream: not reported
    # seen in: 140, 153
    tells_hits = True
    exposes_ids = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "Gecko"

    def state_in(self, said: int) -> int:
        """A field that is read-only reports to have lines, and to be neither editable nor read-only."""
        said = super().state_in(said)
        is_field = said & FOCUSABLE and said & _LINES and not said & EDITABLE
        return said | READ_ONLY if is_field else said

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        """Of an item that is selected through accessibility the page is not notified."""
        by_click = frozenset({Trait.SELECT_BY_CLICK}) if role in ITEMS and print_.in_document else frozenset[Trait]()
        return super().traits_of(node, role, print_) | by_click

    def takes_keys_alone(self, state: int) -> bool:
        """A page is not notified of a number that is set, and parts of dates ignore it."""
        del state
        return True

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """An element without a box of its own (`display: contents`) does not report SHOWING, but its content does."""
        del above
        if node.state & VISIBLE:
            visit_if_content_shows(node, visitor)

    def is_away(self, node: Node, above: Node) -> bool:
        """The list of a closed combo box reports SHOWING, and so do toolbars, messages and menus that are not there."""
        if role_of(node.role) in {Role.TOOLBAR, Role.DIALOG}:
            return node.rect.empty
        if node.role == MENU and not node.state & VISIBLE:
            return True
        return node.role in {MENU, MENU_ITEM} and above.role == COMBO_BOX and not above.state & EXPANDED

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A combo box of a page exposes its choice as the selected item of the menu in it."""
        if node.role == LABEL:
            return (ask_labelled(node),)
        asked = [*super().ask_details(node, visitor)]
        if node.role == COMBO_BOX and calls.TEXT not in node.interfaces:
            asked.append((calls.get_child(node.ref, 0), partial(_take_menu, visitor)))
        return asked

    async def require_text(self, deed: Deed, ref: Ref, text: str, described: str) -> None:
        """A text that is set is reported as accepted, and nothing changes; in its dialogs of GTK 3 it works."""
        del text
        if _TAG in calls.attributes_in(await deed.ask(calls.get_attributes(ref))):
            raise NotOffered(f"{described} takes a text by keys only.", fix="Type it.")

    def confine(self, walk: Walk) -> frozenset[Ref]:
        """Name labels by their own text, without that of the controls in them; drop texts that repeat a name.

        A label around a control of the same name is no control of its own. The name of a row is made of its content,
        hidden parts included.
        """
        for node in walk.nodes.values():
            if node.role == LABEL and node.text.strip():
                _name_label(node, walk.nodes)
            elif node.role == TABLE_ROW and node.children:
                node.name = ""
            elif node.text.isspace() and not node.state & EDITABLE:
                node.text = ""
        return frozenset(ref for ref, node in walk.nodes.items() if _repeats(node, walk.nodes))


def _name_label(label: Node, nodes: Mapping[Ref, Node]) -> None:
    label.name, label.text = label.text.strip(), ""
    if any(label.name == nodes[ref].name for ref in label.children if ref in nodes):
        label.name, label.actions = "", ()


def _repeats(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True for a text that is the name of the control around it."""
    above = nodes.get(node.parent) if node.parent else None
    is_text = node.role == SECTION and not node.children and bool(node.text)
    return is_text and above is not None and node.text.strip() == above.name


def _take_menu(visitor: Visitor, box: Node, reply: Reply) -> None:
    if menu := calls.ref_in(reply):
        visitor.post([calls.get_children(menu)], partial(_take_items, visitor, box, _LEVELS))


def _take_items(visitor: Visitor, box: Node, levels: int, replies: list[Reply]) -> None:
    """Take the name of the selected item, in a group or not, by the states of the items.

    Asked for the selected child of the menu, Firefox ends now and then while its page is left.
    """
    items = [ref for reply in replies for ref in calls.refs_in(reply)]

    def take_name(replies: list[Reply]) -> None:
        box.text = calls.text_in(replies[0])[:TEXT_LIMIT]

    def take_states(replies: list[Reply]) -> None:
        chosen = (ref for ref, state in zip(items, replies, strict=True) if calls.bits_in(state) & SELECTED)
        if item := next(chosen, None):
            visitor.post([calls.get_name(item)], take_name)
        elif levels > 1:
            visitor.post([*map(calls.get_children, items)], partial(_take_items, visitor, box, levels - 1))

    if items:
        visitor.post([*map(calls.get_state, items)], take_states)
