"""Visible elements of a web page inside invisible ones: each box reports for itself if it is in view.

A dialog, a bar or the header of a table with a fixed place on the screen may be inside an element that is scrolled
away, whose children are not read. The page returns all of them in one call.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node, Stray
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB

_SAMPLE: Final = 32
"""Invisible elements whose number of children is requested."""

_MOST: Final = 500
"""Children of elements out of view from which on a page is not searched: 6 to 10 µs for each."""

_DEEPEST: Final = 50


async def strays_in(
    nodes: Mapping[Ref, Node], hidden: Sequence[Node], transport: Transport, *, deadline_s: float
) -> list[Stray]:
    """Return the visible elements inside `hidden` ones, parents first; none of long pages. Raises: DesktopGone."""
    # upstream: not reported
    # seen in: 156
    pages: dict[Ref, list[Ref]] = {}
    for node in hidden:
        if page := _page_around(node, nodes):
            pages.setdefault(page, []).append(node.ref)
    found: list[Stray] = []
    for page, branches in pages.items():
        if await _is_short(branches, transport, deadline_s):
            (reply,) = await transport.batch([calls.showing_below(page)], deadline_s=deadline_s)
            unread = [ref for ref in calls.refs_in(reply) if ref not in nodes]
            found += await _placed(unread, nodes, transport, deadline_s)
    return found


def _page_around(node: Node, nodes: Mapping[Ref, Node]) -> Ref | None:
    """Return the outermost page around a node: pages inside a page are searched with it."""
    page: Ref | None = None
    while node.parent and (parent := nodes.get(node.parent)):
        node = parent
        page = node.ref if node.role == DOCUMENT_WEB else page
    return page


async def _is_short(branches: Sequence[Ref], transport: Transport, deadline_s: float) -> bool:
    sample = branches[:: len(branches) // _SAMPLE + 1]
    replies = await transport.batch([calls.get_child_count(ref) for ref in sample], deadline_s=deadline_s)
    return sum(map(calls.int_in, replies)) * len(branches) <= _MOST * len(sample)


async def _placed(
    unread: Sequence[Ref], nodes: Mapping[Ref, Node], transport: Transport, deadline_s: float
) -> list[Stray]:
    """Return those elements whose parent is invisible."""
    parents = await _ancestors(unread, nodes, transport, deadline_s)
    shown, strays = {*unread}, list[Stray]()
    for ref in unread:
        branch, around = ref, parents.get(ref)
        for _ in range(_DEEPEST):  # there may be a circle
            if around is None or around in nodes or around in shown:
                break
            branch, around = around, parents.get(around)
        if branch != ref and around is not None and (around in nodes or around in shown):
            strays.append(Stray(ref, around, branch))
    return strays


async def _ancestors(
    refs: Sequence[Ref], nodes: Mapping[Ref, Node], transport: Transport, deadline_s: float
) -> dict[Ref, Ref | None]:
    """Return the parents of elements, and of these up to those that were read."""
    parents: dict[Ref, Ref | None] = {}
    level = list(refs)
    for _ in range(_DEEPEST):
        if not level:
            break
        replies = await transport.batch([ref.get(calls.ACCESSIBLE, "Parent") for ref in level], deadline_s=deadline_s)
        parents |= zip(level, map(calls.ref_in, replies), strict=True)
        above = dict.fromkeys(parent for ref in level if (parent := parents[ref]))
        level = [ref for ref in above if ref not in nodes and ref not in parents]
    return parents
