"""Tables of Writer documents: a list of them, and the whole content of each."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Final, TypeAlias, TypeVar

import anyio

from deskhand.core.errors import ActionDeadline, ActionRefused, ElementStale
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.roles import DOCUMENT_TEXT
from deskhand.desktop.linux.toolkits.libreoffice.writer.body_traversal import Walk
from deskhand.desktop.linux.toolkits.libreoffice.writer.caret import Caret, find_caret, restore_caret
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.paragraph_chain import Chain, Place
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete
from deskhand.desktop.linux.toolkits.libreoffice.writer.table_pieces import (
    Piece,
    confirm_empty,
    ends_with_a_cell,
    has_deletions,
    join,
    read_piece,
    row_count,
    unknown_texts,
)
from deskhand.desktop.notifier import Pulse

T = TypeVar("T")
Rows: TypeAlias = tuple[tuple[str, ...], ...]

_PAUSE_S: Final = 0.03
_RESTORE_S: Final = 2.0
_DEPTH: Final = 20
_BLANK: Final = "no text of the document's body is in view, from which its tables could be looked for"
_SHORT_PAGES: Final = 4
_SHORT_PLACES: Final = 200
"""Pages, and paragraphs with tables, up to which a paragraph that was read exposes its text (`paragraph_chain`)."""

_NO_TABLE: Final = ""
"""Places are counted from the beginning of the body."""


@dataclass(frozen=True, slots=True)
class Search:
    """The names of a document's tables: those before the first thing in view, and the others, in document order.

    `unfinished` says why there may be more; "" when the whole body was searched. `long`: what was looked at may tell no
    text later. `spared`: nothing was looked for that is not in view.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    unfinished: str = ""
    long: bool = False
    spared: bool = False


@dataclass(slots=True)
class _Reading:
    """One reading over all its attempts; the caret is looked for before it is moved the first time."""

    asker: Asker
    document: Ref
    table: str
    moved: bool = False
    caret: Caret | None = None
    missed: bool = False
    rows_at_the_end: int = -1
    """Of a table that the text seemed to end with, at the last attempt."""


class DocumentTables:
    """Finds and reads tables over one transport."""

    def __init__(self, transport: Transport, pulse: Pulse, copier: TableCopier) -> None:
        self._transport = transport
        self._pulse = pulse
        self._copier = copier
        self._touched: defaultdict[Ref, set[Ref]] = defaultdict(set)

    def touched(self, document: Ref) -> Set[Ref]:
        """The paragraphs of a document that were asked for while they were not in view: what they tell is not all."""
        return self._touched.get(document, frozenset[Ref]())

    async def is_all_in_view(self, document: Ref, *, deadline_s: float) -> bool:
        """True if all of a document's body is in view; False also if that is not known.

        Raises: ApplicationGone, DesktopGone.
        """
        try:
            return await self._chain(Asker(self._transport, monotonic() + deadline_s), document).is_all_in_view()
        except Incomplete:
            return False

    async def search(self, document: Ref, *, deadline_s: float) -> Search:
        """The tables of the body, on all pages. Tables in frames, headers and footers are not among them.

        Looking for them leaves traces: see `chain`.
        A view without text, as behind the end of one on its last page, is believed when it is seen twice.
        Raises: ApplicationGone, DesktopGone.
        """
        end = monotonic() + deadline_s
        latest: list[Walk] = []
        blank = False

        async def attempt() -> Search:
            nonlocal blank
            chain = self._chain(Asker(self._transport, end), document)
            pages = await chain.pages()
            start = await chain.in_view()
            if start is None and blank:
                return Search(unfinished=_BLANK)
            blank = start is None
            latest[:] = [walk] = [_from(chain, start)]
            await walk.until(lambda: False)
            if pages != await chain.pages():
                raise Incomplete("the document is still being laid out")
            self._touched[document] &= chain.asked  # others are gone: all of the body was asked for
            return replace(_found(walk, ""), long=pages > _SHORT_PAGES or walk.count > _SHORT_PLACES)

        try:
            return await self._until_complete(end, attempt)
        except Incomplete:
            cut = f"the document's tables could not all be looked for within {deadline_s:.1f} s"
            return replace(_found(latest[0], cut) if latest else Search(unfinished=cut), long=True)

    async def read(self, document: Ref, table: str, *, deadline_s: float) -> Rows:
        """A whole table of the body by its name. The caret comes back to its place; a selection is lost where texts
        could not be read without moving it.

        Raises: ElementStale (no such table), ActionRefused (also where the caret would have to be moved and could not
        be put back), ActionDeadline (also where it was not put back), ApplicationGone, DesktopGone.
        """
        end = monotonic() + deadline_s
        reading = _Reading(Asker(self._transport, end), document, table)
        return await self._read(reading, partial(self._read_once, reading), end, f'The table "{table}"', deadline_s)

    async def read_outside(self, table: Ref, document: Ref, *, deadline_s: float) -> Rows:
        """Read a table in a frame, a header, a footer or another table, which is always copied.

        Raises: ActionRefused, ActionDeadline, ApplicationGone, DesktopGone.
        """
        end = monotonic() + deadline_s
        reading = _Reading(Asker(self._transport, end), document, _NO_TABLE)
        return await self._read(reading, partial(self._copy_once, reading, table), end, "The table", deadline_s)

    async def document_of(self, ref: Ref, *, deadline_s: float) -> Ref | None:
        """Return the text document around an object, None if there is none.

        Raises: ElementStale, ApplicationGone, DesktopGone.
        """
        asker = Asker(self._transport, monotonic() + deadline_s)
        at: Ref | None = ref
        try:
            for _ in range(_DEPTH):
                at = await asker.parent(at) if at else None
                if at is None or await asker.role(at) == DOCUMENT_TEXT:
                    return at
        except Incomplete as error:
            raise ElementStale(f"The table is gone: {error}", fix="Observe the window again.") from error
        return None

    async def _read(
        self, reading: _Reading, attempt: Callable[[], Awaitable[Rows]], end: float, what: str, deadline_s: float
    ) -> Rows:
        rows: Rows = ()
        put_back = False
        cut: Incomplete | None = None
        try:
            rows = await self._until_complete(end, attempt)
        except Incomplete as error:
            cut = error
        finally:
            with anyio.CancelScope(shield=True):
                put_back = await self._restore(reading)
        lost = "" if put_back else "; the caret could not be put back to its place, and cells may be selected"
        if cut is not None:
            raise ActionDeadline(
                f"{what} could not be read whole within {deadline_s:.1f} s: {cut}{lost}.",
                fix="Wait until the document is laid out and nobody edits it, and read with a longer deadline.",
            ) from cut
        if lost:
            raise ActionDeadline(f"{what} was read{lost}.", fix="Click into the text, then read the table again.")
        return rows

    async def _read_once(self, reading: _Reading) -> Rows:
        chain = self._chain(reading.asker, reading.document)
        pages = await chain.pages()
        walk = await _begin(chain)
        await walk.until(lambda: walk.surrounds(reading.table))
        index = walk.index_of(reading.table)
        if pages != await chain.pages():
            raise Incomplete("the document is still being laid out")
        if index < 0:
            self._miss(reading)
        if not walk.surrounds(reading.table):
            raise Incomplete("the text ends in the table")
        tables = [place.table for place in walk.groups[index] if place.table]
        pieces = [await read_piece(reading.asker, table) for table in tables]
        rows = await self._rows(reading, walk, pieces)
        if pages != await chain.pages():
            raise Incomplete("the document is still being laid out")
        if walk.ends_with(reading.table) and len(rows) != reading.rows_at_the_end:
            reading.rows_at_the_end = len(rows)
            raise Incomplete("the text ends in the table")  # believed when it is seen twice
        return rows

    async def _rows(self, reading: _Reading, walk: Walk, pieces: list[Piece]) -> Rows:
        rows = join(pieces)
        if rows is not None and not unknown_texts(pieces):
            return rows
        await self._before_moving(reading, walk)
        if rows is not None:
            await confirm_empty(reading.asker, pieces)
            rows = join(pieces)
        if rows is not None:
            return rows
        return await self._copy(reading, pieces)

    async def _copy_once(self, reading: _Reading, table: Ref) -> Rows:
        piece = await read_piece(reading.asker, table)
        await self._before_moving(reading, await _begin(self._chain(reading.asker, reading.document)))
        return await self._copy(reading, [piece])

    async def _copy(self, reading: _Reading, pieces: Sequence[Piece]) -> Rows:
        if not ends_with_a_cell(pieces):
            raise ActionRefused(
                "The table cannot be read whole: cells are merged into its last one, and LibreOffice would crash when "
                "such a table is selected.",
                fix="Split the merged cell at the end of the table's last column, or read the cells in view.",
            )
        if has_deletions(pieces):
            raise ActionRefused(
                "The table has to be copied to be read, and words deleted under change tracking would be copied too.",
                fix="Accept or reject the changes (Edit, Track Changes), or read the paragraphs in view.",
            )
        paragraph = next(item.ref for piece in pieces for cell in piece.cells.values() for item in cell.paragraphs)
        rows = await self._copier.rows(reading.asker, reading.document, paragraph)
        if len(rows) != row_count(pieces):
            raise Incomplete(f"{len(rows)} rows were copied of {row_count(pieces)}")
        return rows

    async def _before_moving(self, reading: _Reading, walk: Walk) -> None:
        if not reading.moved:
            reading.caret = await find_caret(reading.asker, walk, reading.table)
            if reading.caret is None:
                raise ActionRefused(
                    "The table cannot be read whole without moving the caret, which could not be put back: it is not "
                    "in the text of the document's body, but maybe in a header, a frame, a footnote or an inner table.",
                    fix="Click into the text of the body, then read the table again.",
                )
            reading.moved = True

    async def _restore(self, reading: _Reading) -> bool:
        """Puts the caret back where it was moved; whether it is in its place."""
        caret = reading.caret
        if caret is None:
            return True
        end = monotonic() + _RESTORE_S
        asker = Asker(self._transport, end)
        try:
            await self._until_complete(end, lambda: restore_caret(asker, self._chain(asker, reading.document), caret))
        except Incomplete:
            return False
        return True

    def _chain(self, asker: Asker, document: Ref) -> Chain:
        return Chain(asker, document, self._touched[document])

    def _miss(self, reading: _Reading) -> None:
        """The first time it may be the layout that is not ready."""
        if not reading.missed:
            reading.missed = True
            raise Incomplete(f"there is no table {reading.table!r} yet")
        raise ElementStale(
            f'The document has no table "{reading.table}" (any more).', fix="Observe the window again and choose anew."
        )

    async def _until_complete(self, end: float, attempt: Callable[[], Awaitable[T]]) -> T:
        """Attempts until one is complete, again after every change. Raises: Incomplete, the last one, at the end."""
        while True:
            count = self._pulse.count
            try:
                return await attempt()
            except Incomplete:
                left = end - monotonic()
                if left <= 0:
                    raise
            await self._pulse.after(count, min(left, _PAUSE_S))


async def _begin(chain: Chain) -> Walk:
    return _from(chain, await chain.in_view())


def _from(chain: Chain, start: Place | None) -> Walk:
    if start is None:
        raise Incomplete("no text of the body is in view")
    return Walk(chain, start)


def _found(walk: Walk, unfinished: str) -> Search:
    before = dict.fromkeys(place.name for place in walk.before if place.table)
    after = dict.fromkeys(place.name for place in walk.after if place.table and place.name not in before)
    return Search(tuple(before), tuple(after), unfinished)
