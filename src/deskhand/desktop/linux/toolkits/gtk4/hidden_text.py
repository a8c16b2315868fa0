"""Texts that are displayed as bullets while their entry has the role of a plain one."""

# upstream: not reported
# seen in: 4.8.3, 4.18.6

from collections.abc import Callable

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import TEXT_KEPT, Node
from deskhand.desktop.linux.atspi.roles import PASSWORD_TEXT
from deskhand.desktop.linux.atspi.toolkit import Visitor, take_text


def take_shown(visitor: Visitor, node: Node, reply: Reply) -> None:
    """Take the displayed line of an entry. The text of a password is never requested, whatever its role.

    One star or letter repeated may be bullets too: such an entry is a password until its text, which is discarded at
    once otherwise, is known to be just that. So is one that displays nothing. Without a displayed line nothing is read.
    """
    if isinstance(reply, DesktopError):
        visitor.note(node.ref, reply)
        return
    shown, role = calls.text_in(reply), node.role
    if calls.may_be_bullets(shown):
        node.role = PASSWORD_TEXT
    if calls.is_hidden(shown):
        return

    def take(node: Node, reply: Reply) -> None:
        hidden = calls.is_other_than_shown(calls.text_in(reply), shown)
        node.role = PASSWORD_TEXT if hidden else role
        if not hidden:
            take_text(node, reply)

    visitor.post([calls.get_text_length(node.ref)], lambda replies: take_length(visitor, node, replies[0], take))


def take_length(visitor: Visitor, node: Node, reply: Reply, take: Callable[[Node, Reply], None] = take_text) -> None:
    """Request as many characters as there are."""
    length = min(calls.int_in(reply), TEXT_KEPT)
    if length > 0:
        visitor.post([calls.get_text(node.ref, length)], lambda replies: take(node, replies[0]))
