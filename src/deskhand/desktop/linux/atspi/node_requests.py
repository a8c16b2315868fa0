"""Requests for one property of a node each, with the function that takes the reply."""

import re
from collections.abc import Callable
from html import unescape
from typing import Final, TypeAlias

from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.atspi.node import TEXT_KEPT, TEXT_LIMIT, Node
from deskhand.desktop.linux.atspi.roles import (
    CALENDAR,
    CHECK_BOX,
    PUSH_BUTTON,
    RADIO_BUTTON,
    TOGGLE_BUTTON,
    role_of,
    takes_name_from_label,
)

LIST_LIMIT: Final = 50
"""Actions, labels and interfaces of one element that are read."""

Request: TypeAlias = tuple[Call, Callable[[Node, Reply], None]]

_BUTTONS: Final = frozenset({CHECK_BOX, PUSH_BUTTON, RADIO_BUTTON, TOGGLE_BUTTON})
_TIPPED: Final = frozenset({Role.CANVAS, Role.COMBOBOX, Role.SLIDER, Role.SPINBUTTON})
_FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD})


def take_text(node: Node, reply: Reply) -> None:
    """Set the text of a node to a reply, without embedded objects."""
    node.text = calls.text_in(reply).replace(calls.EMBEDDED, "")[:TEXT_KEPT]


def takes_label(node: Node) -> bool:
    """True if a label may name a control of this role."""
    return node.role == CALENDAR or takes_name_from_label(role_of(node.role))


def is_nameless_button(node: Node) -> bool:
    """True if the tooltip may be all that names a control, as a button that shows an icon."""
    return not node.name and node.role in _BUTTONS


def is_nameless_control(node: Node) -> bool:
    """True if the tooltip may be all that names a control, as a button or one that shows a number or a color."""
    return is_nameless_button(node) or (not node.name and role_of(node.role) in _TIPPED)


def is_nameless_field(node: Node) -> bool:
    """True if the placeholder may be all that names a field."""
    return not node.name and role_of(node.role) in _FIELDS


_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_CLOSED: Final = re.compile(r"</[A-Za-z]+>|<br ?/?>")


def ask_labels(node: Node) -> Request:
    """Request the labels of a control."""
    return calls.get_relations(node.ref), _take_labels


def ask_labelled(node: Node) -> Request:
    """Request the controls that a label names."""
    return calls.get_relations(node.ref), _take_labelled


def ask_tip(node: Node) -> Request:
    """Request the tooltip."""
    return node.ref.get(calls.ACCESSIBLE, "Description"), _take_tip


def ask_placeholder(node: Node) -> Request:
    """Request the text that a field displays while it is empty."""
    return calls.get_attributes(node.ref), _take_placeholder


def _take_labels(node: Node, reply: Reply) -> None:
    node.labelled_by = calls.labels_in(reply)[:LIST_LIMIT]


def _take_labelled(node: Node, reply: Reply) -> None:
    node.label_for = calls.related_in(reply, calls.LABEL_FOR)[:LIST_LIMIT]


def _take_tip(node: Node, reply: Reply) -> None:
    node.tip = _plain(calls.text_in(reply))[:TEXT_LIMIT]


def _plain(tip: str) -> str:
    """A tooltip as it is displayed: some are written in HTML."""
    return " ".join(unescape(_TAG.sub(" ", tip)).split()) if _CLOSED.search(tip) else tip.strip()


def _take_placeholder(node: Node, reply: Reply) -> None:
    node.tip = calls.attributes_in(reply).get("placeholder-text", "").strip()[:TEXT_LIMIT]
