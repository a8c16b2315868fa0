"""Reading the trees of applications, with the tables of text documents in them as people know them."""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

from deskhand.core.geometry import Point
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Reach, Walk
from deskhand.desktop.linux.atspi.popups import NO_POPUPS, Popups
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.writer.document_tables import DocumentTables, Search
from deskhand.desktop.linux.writer.table_listing import document_in, fold_tables

_ENDS_S: Final = 1.0
"""How long it may take to ask what is in view whether the text goes on."""


class DocumentReader:
    """A `TreeReader` that knows text documents."""

    def __init__(self, reader: TreeReader, documents: DocumentTables) -> None:
        self._reader = reader
        self._documents = documents
        self._asked_for: dict[Ref, Search] = {}
        self.toolkits = reader.toolkits
        self.menus = reader.menus

    async def read(self, ref: Ref, *, deadline_s: float, popups: Popups = NO_POPUPS, comparable: bool = True) -> Node:
        """See `TreeReader.read`."""
        return await self._reader.read(ref, deadline_s=deadline_s, popups=popups, comparable=comparable)

    async def cell_at(self, table: Ref, row: int, column: int, *, deadline_s: float) -> Ref:
        """See `TreeReader.cell_at`."""
        return await self._reader.cell_at(table, row, column, deadline_s=deadline_s)

    async def read_cell(self, table: Ref, row: int, column: int, *, deadline_s: float) -> Node:
        """See `TreeReader.read_cell`."""
        return await self._reader.read_cell(table, row, column, deadline_s=deadline_s)

    async def item_at(self, container: Ref, index: int, name: str, *, deadline_s: float) -> Ref:
        """See `TreeReader.item_at`."""
        return await self._reader.item_at(container, index, name, deadline_s=deadline_s)

    async def row_at(self, tree: Ref, point: Point, name: str, *, deadline_s: float) -> Ref:
        """See `TreeReader.row_at`."""
        return await self._reader.row_at(tree, point, name, deadline_s=deadline_s)

    async def names_of(self, nodes: Sequence[Node], *, deadline_s: float) -> list[str]:
        """See `TreeReader.names_of`."""
        return await self._reader.names_of(nodes, deadline_s=deadline_s)

    async def walk(  # noqa: PLR0913 - what a look is given
        self,
        roots: Sequence[Ref],
        *,
        deadline_s: float,
        reach: Reach = Reach.WHOLE,
        renew: frozenset[Ref] | None = None,
        keep: bool = True,
        popups: Popups = NO_POPUPS,
        comparable: bool = True,
    ) -> Walk:
        """See `TreeReader.walk`; tables of a text document as `fold_tables` says.

        Tables that are out of view are listed as they were found when they were asked for. `elsewhere` says where a
        search was cut, and where paragraphs tell no text since they were looked at before they came into view.

        What the search touched on other pages, LibreOffice 7.4 goes on placing nowhere where a jump of the caret (not
        the wheel) brings it into view within some seconds: such controls are listed, with texts, but without a place,
        and `elsewhere` says so.
        """
        end = monotonic() + deadline_s
        walk = await self._reader.walk(
            roots,
            deadline_s=deadline_s,
            renew=renew,
            reach=reach,
            keep=keep,
            popups=popups,
            comparable=comparable,
        )
        document = document_in(walk.nodes)
        if document is None:
            return walk
        search = Search()
        if reach >= Reach.WHOLE and not walk.truncated:
            search = await self._search(document, end, anew=reach is Reach.OTHER_PAGES)
        untold = self._untold(document, walk) if search.long else ""
        walk.elsewhere = search.unfinished or untold or walk.elsewhere
        walk.nodes = fold_tables(walk.nodes, document, search)
        return walk

    async def _search(self, document: Ref, end: float, *, anew: bool) -> Search:
        """The tables of a document that are out of view: as they were found when they were asked for."""
        left = max(end - monotonic(), 0.0)
        if anew:
            found = await self._documents.search(document, deadline_s=left)
            self._asked_for[document] = replace(found, unfinished="", spared=bool(found.unfinished))
            return found
        known = self._asked_for.get(document)
        if known is not None:
            return known
        return Search(spared=not await self._documents.is_all_in_view(document, deadline_s=min(_ENDS_S, left)))

    def _untold(self, document: Ref, walk: Walk) -> str:
        """What to say of paragraphs in view of which LibreOffice may keep the text to itself."""
        touched = self._documents.touched(document)
        untold = sum(ref in touched and not node.text for ref, node in walk.nodes.items())
        if not untold:
            return ""
        return (
            f"{untold} paragraphs in view tell no text; of what a search for tables asked for before it came into view "
            "LibreOffice keeps it back: scroll it out of view and back"
        )
