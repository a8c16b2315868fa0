"""Looking for the tables of a Writer document that is in memory."""

from collections.abc import Callable, Sequence

import pytest

from deskhand.desktop.linux.atspi.calls import TEXT, Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Post, Reply, Signal
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.x11.clipboard import XClipboard
from deskhand.desktop.notifier import Pulse

DOCUMENT = Ref(":1.1", "/document")


class Blank:
    """A transport to a document of which the view shows nothing."""

    def __init__(self) -> None:
        self.looks = 0

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        raise NotImplementedError

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        assert deadline_s > 0
        self.looks += sum(call.member == "GetChildren" for call in calls)
        return [[{"total-pages": "4"}] if call.member == "GetAttributes" else [[]] for call in calls]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        raise NotImplementedError

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """It is near."""

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """No signals."""

    async def close(self) -> None:
        """Nothing to close."""


class Paragraphs(Blank):
    """A document of three paragraphs, the first of which is in view; the others are other objects at each search."""

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        assert deadline_s > 0
        return [self._answer(call) for call in calls]

    def _answer(self, call: Call) -> Reply:
        bus, known = DOCUMENT.bus, ["/first", f"/second{self.looks}", f"/third{self.looks}"]
        match call.member:
            case "GetAttributes":
                return [{"total-pages": "4"}]
            case "GetChildren":
                return [[(bus, known[0])]]
            case "GetInterfaces":
                return [[TEXT]]
            case "GetRelationSet":
                index = known.index(call.path)
                beside = ((10, known[index + 1 : index + 2]), (11, known[:index][-1:]))
                return [[(relation, [(bus, path) for path in paths]) for relation, paths in beside]]
            case "Get":
                return [(bus, DOCUMENT.path)]
            case _:
                return [0] if call.member == "GetRole" else [[0, 0]]


async def test_what_was_looked_at_in_an_earlier_search_and_is_gone_is_kept_no_longer() -> None:
    document, pulse = Paragraphs(), Pulse()
    tables = DocumentTables(document, pulse, TableCopier(XClipboard(":0"), pulse))
    for document.looks in range(3):
        found = await tables.search(DOCUMENT, deadline_s=60)
        assert found.unfinished == ""
        assert {ref.path for ref in tables.touched(DOCUMENT)} == {f"/second{document.looks}", f"/third{document.looks}"}


@pytest.mark.requires("observe.office")
async def test_where_the_view_shows_nothing_no_table_is_looked_for_and_that_is_told() -> None:
    document, pulse = Blank(), Pulse()
    found = await DocumentTables(document, pulse, TableCopier(XClipboard(":0"), pulse)).search(DOCUMENT, deadline_s=60)
    assert (found.before, found.after, document.looks) == ((), (), 2)
    assert "no text of the document's body is in view" in found.unfinished
