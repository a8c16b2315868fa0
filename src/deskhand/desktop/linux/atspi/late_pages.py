"""Having Chromium tell what it shows.

Left to itself it tells of changes up to 0.15 s after they are seen, and of scrolling after 0.5 s; where a page changed
less than that before it was scrolled, of about every third time never. Asked what is at a point, it tells all that
first, some 3 ms later, or once its processes get to it (ADR 0066).
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
"""After so much work it is not waited for a page that goes on working: it may have told by then, or not."""

_TELLS_S: Final = 0.5
"""So long it is waited for one that gets no processor."""

Points: TypeAlias = tuple[Point, ...]


def have_told(pages: Mapping[Ref, Points]) -> list[Call]:
    """What web pages are asked so that they tell. Each tells of itself alone, and where it is seen at a point."""
    return [calls.accessible_at_point(page, at.x, at.y) for page, points in pages.items() for at in points]


class Telling:
    """Knows when what pages were asked for has come: once they have nothing to do any more."""

    def __init__(self, transport: Transport, processes: str = "/proc") -> None:
        """`processes`: where the kernel tells of them."""
        self._transport = transport
        self._processes = processes
        self._threads: dict[str, tuple[frozenset[Ref], tuple[str, ...]]] = {}

    async def wait(self, bus: str, pages: Collection[Ref] = (), *, deadline_s: float) -> bool:
        """Returns when the pages of an application have told what they were asked for; False: that is not known, since
        they go on working, or the kernel does not count what threads do.

        `pages`: those that are asked; none: those that were before. Raises: DesktopGone.
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
        """Found again where there are pages that were not there before, perhaps in other processes, or one ended."""
        known, threads = self._threads.get(bus, (None, ()))
        if known is not None and pages <= known and all(map(is_there, threads)):
            return threads
        (reply,) = await self._transport.batch([process_of(bus)], deadline_s=deadline_s)
        threads = () if isinstance(reply, DesktopError) else page_threads_of(calls.int_in(reply), self._processes)
        self._threads[bus] = (known or frozenset()) | pages, threads
        return threads


def points_in(nodes: Mapping[Ref, Node]) -> dict[Ref, Points]:
    """The web pages among these that show, and where they are asked.

    At a point that another page lies over by now, which stands in it and may not show yet, a page does not tell. So it
    is asked at two edges, unless it stands in another page itself, and in the smallest part that shows of its upper and
    of its lower half. `nodes` stand parents before children. Asked next for a point that it cannot tell about,
    Chromium answers with the last part asked for if that lies there too.
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
    """On its bar for scrolling if it has one, over which no page lies, and in its lower left corner."""
    return Point(rect.right - _INSET, rect.center.y), Point(rect.left + _INSET, rect.bottom - _INSET)
