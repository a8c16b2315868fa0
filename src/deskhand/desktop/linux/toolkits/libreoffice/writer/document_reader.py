"""Reader of trees in which each table of a text document is one table."""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.node import Reach, Walk
from deskhand.desktop.linux.atspi.popups import NO_POPUPS, Popups
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables, Search
from deskhand.desktop.linux.toolkits.libreoffice.writer.table_listing import document_in, fold_tables

_ENDS_S: Final = 1.0
"""Timeout of the requests that show if the text continues beyond the view."""


class DocumentReader(TreeReader):
    """A `TreeReader` that lists the tables of text documents as a whole."""

    def __init__(self, transport: Transport, toolkits: Toolkits, telling: Telling, documents: DocumentTables) -> None:
        super().__init__(transport, toolkits, telling)
        self._documents = documents
        self._asked_for: dict[Ref, Search] = {}

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
        """See `TreeReader.walk`; tables of a text document as in `fold_tables`.

        Tables that are out of view are listed as they were found when they were asked for. `elsewhere` says where a
        search was cut, and where paragraphs tell no text since they were looked at before they came into view.

        What the search touched on other pages, LibreOffice 7.4 goes on placing nowhere where a jump of the caret (not
        the wheel) brings it into view within some seconds: such controls are listed, with texts, but without a place,
        and `elsewhere` says so.
        """
        end = monotonic() + deadline_s
        walk = await super().walk(
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
        """Return a sentence on visible paragraphs whose text may not be exposed."""
        touched = self._documents.touched(document)
        untold = sum(ref in touched and not node.text for ref, node in walk.nodes.items())
        if not untold:
            return ""
        return (
            f"{untold} paragraphs in view tell no text; of what a search for tables asked for before it came into view "
            "LibreOffice keeps it back: scroll it out of view and back"
        )
