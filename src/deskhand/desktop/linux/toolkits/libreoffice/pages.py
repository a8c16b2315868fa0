"""Slide of a presentation that is in view: its number, the number of all, its title."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import PAGE_TITLE
from deskhand.core.text import quoted
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.node_requests import Request
from deskhand.desktop.linux.atspi.roles import DOCUMENT_PRESENTATION, PANEL, role_of

_TITLE: Final = "Title"
"""The style of a title, in the language of the interface."""

_PROMPT: Final = "Click to "
"""Begins the text of an empty title and of one in the master view, in English."""

_NUMBER: Final = re.compile(r"[0-9]+")


def ask_page(node: Node, nodes: Mapping[Ref, Node]) -> Sequence[Request]:
    """Request the slide of a presentation that is in view, or the style of a shape on it."""
    above = nodes.get(node.parent) if node.parent else None
    if node.role == DOCUMENT_PRESENTATION:
        return ((calls.get_attributes(node.ref), _take_page),)
    if node.role == PANEL and above is not None and above.role == DOCUMENT_PRESENTATION:
        return ((calls.get_attributes(node.ref), _take_style),)
    return ()


def name_slides(nodes: Mapping[Ref, Node]) -> None:
    """Add the title to the slide in view, or remove it if the status bar counts other slides.

    A view of masters or handouts counts these. The number in the status bar may be late, and so may the shapes, of
    which the paper has the name of its slide.
    """
    # upstream: not reported
    # seen in: 7.4.7
    counts = [count for node in nodes.values() if _is_in_status_bar(node, nodes) if (count := _count_in(node.text))]
    for node in nodes.values():
        if node.note and counts and _count_in(node.note) not in counts:
            node.note = ""
        elif node.note and (title := _title_in(node, nodes)):
            node.note += f": {quoted(title, PAGE_TITLE)}"


def _count_in(text: str) -> int:
    """The number of all slides in `Slide 2 of 5`: the larger one, whichever comes first."""
    numbers = _NUMBER.findall(text)
    return max(map(int, numbers)) if len(numbers) > 1 else 0


def _is_in_status_bar(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    above = nodes.get(node.parent) if node.parent else None
    return above is not None and role_of(above.role) is Role.STATUS


def _title_in(document: Node, nodes: Mapping[Ref, Node]) -> str:
    """The title of a slide; empty while the shapes of another one are exposed."""
    shapes = [shape for ref in document.children if (shape := nodes.get(ref))]
    if not any(shape.name.endswith(f": {document.slide}") for shape in shapes):
        return ""
    titles = (shape for shape in shapes if shape.style == _TITLE)
    texts = (" ".join(nodes[ref].text for ref in shape.children if ref in nodes) for shape in titles)
    return next((" ".join(text.split()) for text in texts if text and not text.startswith(_PROMPT)), "")


def _take_page(node: Node, reply: Reply) -> None:
    attributes = calls.attributes_in(reply)
    number, count = attributes.get("page-number", ""), attributes.get("total-pages", "")
    is_one_of = number.isdecimal() and count.isdecimal() and int(number) <= int(count)
    node.note = f"slide {number} of {count}" if is_one_of else ""
    node.slide = attributes.get("page-name", "")


def _take_style(node: Node, reply: Reply) -> None:
    node.style = calls.attributes_in(reply).get("style", "")
