"""Chain of the paragraphs of a document's body, on all pages, visible or not.

Each paragraph reports the one that the text flows to and the one it comes from; the children of the document are only
those in view. Text frames, headers, footers and footnotes are outside of the chain. References become invalid whenever
the layout changes or the view moves: a chain is followed anew each time and nothing of it is cached.

Following it has side effects: LibreOffice makes an object of each paragraph that is requested. These objects report no
extents if the caret jumps to them within some seconds, and in a document of which not all lines are laid out (some 250
paragraphs) no text when they come into view, until they have left it once.
"""

# upstream: not reported
# seen in: 7.4.7

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import DEFUNCT, DOCUMENT_TEXT, TABLE, TABLE_CELL
from deskhand.desktop.linux.toolkits.libreoffice.writer.pages import page_count
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete

_OUTSIDE_THE_BODY: Final = frozenset({39, 71, 72, 124})
"""Text frames (panel), headers, footers, footnotes."""

_DEPTH: Final = 20
_LAST_CELLS: Final = 40
"""Cells at one end of a table that are looked at for its outermost paragraph: some of a split row are empty there."""

_PAGE: Final = re.compile(r"-\d+$")


class Direction(IntEnum):
    """The number of the relation that leads there."""

    FORWARD = 10
    BACKWARD = 11


@dataclass(frozen=True, slots=True)
class Place:
    """A paragraph of the body or, with `table`, one page's piece of a table, entered at `paragraph`.

    `name` is the table's own name, without the page that Writer appends to the pieces' names.
    """

    paragraph: Ref
    table: Ref | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Link:
    """A paragraph with its ancestors, and the one that follows in a direction."""

    paragraph: Ref
    parent: Ref | None
    following: Ref | None


def own_name(piece: str) -> str:
    """`Sales` for `Sales-2`; `T-2` for `T-2-1`."""
    return _PAGE.sub("", piece)


class Chain:
    """Follows the chain of one document."""

    def __init__(self, asker: Asker, document: Ref, touched: set[Ref]) -> None:
        """`touched` gets what is asked of it that is not in view."""
        self._asker = asker
        self._document = document
        self._touched = touched
        self._in_view: frozenset[Ref] = frozenset()
        self._tables: dict[Ref, Ref | None] = {document: None}
        self.asked: set[Ref] = set()
        """The paragraphs that were asked for."""

    async def pages(self) -> int:
        """Return the number of pages that are laid out; 0 if it is not exposed."""
        return page_count((await self._asker.ask([calls.get_attributes(self._document)]))[0])

    async def is_all_in_view(self) -> bool:
        """True if the body is in view from its first paragraph to its last. Raises: Incomplete.

        Of one page that does not, a paragraph at each end of the view is asked for, and nothing of more pages.
        """
        if await self.pages() > 1:
            return False
        children = await self._asker.children(self._document)
        self._in_view = frozenset(children)
        body = [child for child in children if await self._asker.role(child) not in _OUTSIDE_THE_BODY]
        for child, direction in zip((body[:1], body[-1:]), (Direction.BACKWARD, Direction.FORWARD), strict=True):
            paragraph = await self._first_paragraph(child[0]) if child else None
            if paragraph is None:
                return False
            edge = await self._edge(await self._place(await self._link(paragraph)), direction)
            if (await self._link(edge, direction)).following is not None:
                return False
        return True

    async def in_view(self) -> Place | None:
        """Return the first visible place of the body; None if there is none. Raises: Incomplete."""
        children = await self._asker.children(self._document)
        self._in_view = frozenset(children)
        for child in children:
            if await self._asker.role(child) in _OUTSIDE_THE_BODY:
                continue
            paragraph = await self._first_paragraph(child)
            if paragraph is not None:
                return await self._place(await self._link(paragraph))
        return None

    async def follow(self, start: Place, direction: Direction) -> AsyncGenerator[Place]:
        """The places after `start` to that end of the body, which must still be the end when it is reached.

        Raises: Incomplete.
        """
        at = await self._link(await self._edge(start, direction), direction)
        table = start.table
        seen = {at.paragraph}
        while at.following is not None:
            at = await self._link(at.following, direction)
            if at.paragraph in seen:
                raise Incomplete("the text flows in a circle")
            seen.add(at.paragraph)
            place = await self._place(at)
            if place.table is not None and place.table == table:
                continue
            table = place.table
            yield place
            if table is not None:
                at = await self._link(await self._edge(place, direction), direction)
        state = (await self._asker.ask([calls.get_state(at.paragraph)]))[0]
        if calls.bits_in(state) & DEFUNCT or (await self._link(at.paragraph, direction)).following:
            raise Incomplete("the end of the text moved")  # while the layout still runs, the chain ends early

    async def _link(self, paragraph: Ref, direction: Direction = Direction.FORWARD) -> "_Link":
        asked = [calls.get_relations(paragraph), paragraph.get(calls.ACCESSIBLE, "Parent")]
        relations, parent = await self._asker.ask(asked)
        following = calls.related_in(relations, direction)
        self.asked.add(paragraph)
        if paragraph not in self._in_view:
            self._touched.add(paragraph)
        return _Link(paragraph, calls.ref_in(parent), following[0] if following else None)

    async def _place(self, link: "_Link") -> Place:
        table = await self._outermost_table(link.parent)
        if table is None:
            return Place(link.paragraph)
        name = calls.text_in((await self._asker.ask([calls.get_name(table)]))[0])
        return Place(link.paragraph, table, own_name(name))

    async def _outermost_table(self, at: Ref | None) -> Ref | None:
        """Return the outermost table among `at` and its ancestors."""
        above: list[Ref] = []
        while at is None or at not in self._tables:
            if at is None or len(above) > _DEPTH:
                raise Incomplete("a paragraph stands in no document")
            above.append(at)
            at = await self._asker.parent(at)
        table = self._tables[at]
        for ancestor in reversed(above):
            if table is None and await self._asker.role(ancestor) == TABLE:
                table = ancestor
            self._tables[ancestor] = table
        return table

    async def _first_paragraph(self, ref: Ref) -> Ref | None:
        """`ref` itself, or the first paragraph of the first cell that has one."""
        for _ in range(_DEPTH):
            interfaces, role = await self._asker.ask([calls.get_interfaces(ref), calls.get_role(ref)])
            if calls.TEXT in calls.strings_in(interfaces):
                return ref
            if calls.int_in(role) == TABLE:
                return await self._end_of(ref, Direction.BACKWARD)
            children = await self._asker.children(ref)
            if not children:
                return None
            ref = children[0]
        raise Incomplete("what stands in the document goes on and on")

    async def _edge(self, place: Place, direction: Direction) -> Ref:
        """The paragraph where the text leaves a place in a direction."""
        if place.table is None:
            return place.paragraph
        return await self._end_of(place.table, direction) or place.paragraph

    async def _end_of(self, table: Ref, direction: Direction) -> Ref | None:
        """The outermost paragraph of a piece of a table; None where its end is not a plain paragraph."""
        cells = await self._asker.children(table)
        near = cells[:_LAST_CELLS] if direction is Direction.BACKWARD else cells[: -_LAST_CELLS - 1 : -1]
        for reply in await self._asker.ask([calls.get_children(cell) for cell in near]):
            inside = calls.refs_in(reply)
            if inside:
                end = inside[0] if direction is Direction.BACKWARD else inside[-1]
                return end if await self._asker.role(end) not in {TABLE, TABLE_CELL, DOCUMENT_TEXT} else None
        return None
