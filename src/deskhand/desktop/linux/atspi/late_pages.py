"""Web pages that report changes late, unless a hit test makes them report at once.

Before a page returns the element at a point it reports all its batched changes, some 3 ms later, or once its processes
get to it.
"""

from collections.abc import Collection, Mapping
from typing import Final, TypeAlias

import anyio

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Call, Ref
from deskhand.desktop.linux.atspi.client import Transport, process_of
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB
from deskhand.desktop.linux.runtime.process_table import is_there, page_threads_of, work_in, worked_s

_INSET: Final = 3

_WORKS_S: Final = 0.1
"""Processor time of a page's threads after which the wait ends: a page may work all the time."""

_TELLS_S: Final = 0.5
"""Seconds after which the wait ends for a page that gets no processor."""

Points: TypeAlias = tuple[Point, ...]


def have_told(pages: Mapping[Ref, Points]) -> list[Call]:
    """Return hit tests that make pages report. A page reports for itself alone, if it is visible at a point."""
    return [calls.accessible_at_point(page, at.x, at.y) for page, points in pages.items() for at in points]


class Telling:
    """Waits until pages have reported: until their threads have nothing to do any more."""

    def __init__(self, transport: Transport, processes: str = "/proc") -> None:
        """`processes`: the folder in which the kernel lists them."""
        self._transport = transport
        self._processes = processes
        self._threads: dict[str, tuple[frozenset[Ref], tuple[str, ...]]] = {}

    async def wait(self, bus: str, pages: Collection[Ref] = (), *, deadline_s: float) -> bool:
        """Return True when the pages of an application have reported after a hit test.

        False: they may not have, since they continue to work, or the kernel does not count the work of threads.
        `pages`: those that were tested; none: those of the last call. Raises: DesktopGone.
        """
        threads = await self._threads_of(bus, frozenset(pages), deadline_s)
        end, worked = anyio.current_time() + min(_TELLS_S, deadline_s), worked_s(threads)
        while threads and anyio.current_time() < end and worked_s(threads) - worked < _WORKS_S:
            before = work_in(threads)
            await self._transport.batch([calls.get_role(Ref(bus, calls.ROOT_PATH))], deadline_s=deadline_s)
            if before and work_in(threads) == before:
                return True
        return False

    async def _threads_of(self, bus: str, pages: frozenset[Ref], deadline_s: float) -> tuple[str, ...]:
        """Return the threads that work for pages, searched again for new pages, and once one has ended."""
        known, threads = self._threads.get(bus, (None, ()))
        if known is not None and pages <= known and all(map(is_there, threads)):
            return threads
        (reply,) = await self._transport.batch([process_of(bus)], deadline_s=deadline_s)
        threads = () if isinstance(reply, DesktopError) else page_threads_of(calls.int_in(reply), self._processes)
        self._threads[bus] = (known or frozenset()) | pages, threads
        return threads


def points_in(nodes: Mapping[Ref, Node]) -> dict[Ref, Points]:
    """Return the visible web pages among these, with points for hit tests.

    A page does not report at a point that another page inside it covers by now, which may have been invisible before.
    So it is tested at two edges, unless it is inside another page itself, and in the smallest visible part of its upper
    and of its lower half: if the element at the next point cannot be determined, the reply is the last result if that
    contains the point too, as a large part would. `nodes`: parents before children.
    """
    page_of: dict[Ref, Ref] = {}
    views: dict[Ref, Rect] = {}
    points = dict[Ref, Points]()
    smallest: dict[Ref, dict[bool, Rect]] = {}
    for ref, node in nodes.items():
        page = page_of.get(node.parent) if node.parent else None
        if node.role == DOCUMENT_WEB:
            views[ref] = node.rect.intersection(views[page]) if page else node.rect
            points[ref] = () if page or node.rect.empty else _at_edges(node.rect)
            page, smallest[ref] = ref, {}
        if page is None:
            continue
        page_of[ref] = page
        seen, parts = node.rect.intersection(views[page]), smallest[page]
        is_upper = seen.center.y < views[page].center.y
        least = parts.get(is_upper, views[page]).area  # of equal ones the uppermost, and the lowest
        if seen.area > 0 and (seen.area < least if is_upper else seen.area <= least):
            parts[is_upper] = seen
    for page, parts in smallest.items():
        largest_first = sorted(parts.values(), key=lambda part: -part.area)
        points[page] += tuple(part.center for part in largest_first)
    return points


def _at_edges(rect: Rect) -> Points:
    """Return points on its scroll bar, if it has one, which no page covers, and in its lower left corner."""
    return Point(rect.right - _INSET, rect.center.y), Point(rect.left + _INSET, rect.bottom - _INSET)
