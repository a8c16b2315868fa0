"""Page of the caret, and number of pages, as attributes of a Writer document."""

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.node_requests import Request


def ask_page_of_caret(node: Node) -> Request:
    """Request the page of the caret. The status bar has the page in view instead, up to 0.7 s late."""
    return calls.get_attributes(node.ref), _take_page


def page_count(attributes: Reply) -> int:
    """Return the number of pages that are laid out; 0 if it is not exposed."""
    return _number(attributes, "total-pages")


def _take_page(node: Node, reply: Reply) -> None:
    page, pages = _number(reply, "page-number"), page_count(reply)
    if 0 < page <= pages:
        node.note = f"caret on page {page} of {pages}"


def _number(attributes: Reply, name: str) -> int:
    told = calls.attributes_in(attributes).get(name, "")
    return int(told) if told.isascii() and told.isdigit() else 0
