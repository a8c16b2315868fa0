"""Tables: their shape, and the texts of their cells."""

from collections.abc import Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    ElementStale,
)
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Toolkits

_PARAGRAPHS_LIMIT: Final = 1000


class Tables:
    """Reads tables over one transport."""

    def __init__(self, transport: Transport, toolkits: Toolkits) -> None:
        self._transport = transport
        self._toolkits = toolkits

    async def shape(self, table: Ref, *, deadline_s: float) -> tuple[int, int]:
        """Return (rows, columns). Raises: ActionRefused, ElementStale, ApplicationGone, ApplicationUnresponsive."""
        end = monotonic() + deadline_s
        offered = await self._transport.call(calls.get_interfaces(table), deadline_s=deadline_s)
        # some applications end if an object without the interface is asked for its rows
        if calls.TABLE not in calls.strings_in(offered):
            raise ActionRefused(f"{table.path} is no table.", fix="Point at a table.")
        asked = [table.get(calls.TABLE, "NRows"), table.get(calls.TABLE, "NColumns")]
        rows, columns = await self._transport.batch(asked, deadline_s=max(0.0, end - monotonic()))
        for reply in (rows, columns):
            if isinstance(reply, DesktopError):
                raise reply
        if calls.int_in(rows, -1) < 0 or calls.int_in(columns, -1) < 0:
            raise ActionRefused(f"{table.path} has no shape of a table.", fix="Point at a table.")
        return calls.int_in(rows), calls.int_in(columns)

    async def rows_told(self, table: Ref, *, deadline_s: float) -> int:
        """Return the number of rows that a page reports, which may create them while scrolling; 0: not reported.

        Raises: ElementStale, ApplicationGone, ApplicationUnresponsive.
        """
        if not (await self._toolkits.of(table.bus, deadline_s=deadline_s)).tells_late:
            return 0
        told = calls.attributes_in(await self._transport.call(calls.get_attributes(table), deadline_s=deadline_s))
        rows = told.get("rowcount", "")
        return int(rows) if rows.isdecimal() else 0

    async def cells(self, table: Ref, rows: range, columns: range, *, deadline_s: float) -> tuple[tuple[str, ...], ...]:
        """Return the texts of a block, row-major. A merged cell's text is at its first position, "" at the others.

        A check box without a text reads "checked" or "not checked".

        Raises: ActionRefused (a part of the block is outside), ElementStale, ApplicationGone, ActionDeadline.
        """
        with anyio.move_on_after(deadline_s):
            await self._require_inside(table, rows, columns, deadline_s / 2)  # sooner, as it tells what keeps silent
            if not rows or not columns:
                return ()
            toolkit = await self._toolkits.of(table.bus, deadline_s=deadline_s)
            told = await toolkit.read_block(table, rows, columns, partial(self._batch, deadline_s=deadline_s))
            if told is not None:
                return told
            places = [(row, column) for row in rows for column in columns]
            refs = await self._refs(table, places, deadline_s)
            texts = await self._texts(table, refs, deadline_s)
            width = len(columns)
            return tuple(tuple(texts[start : start + width]) for start in range(0, len(texts), width or 1))
        raise ActionDeadline(
            f"The table's {len(rows)} x {len(columns)} cells could not be read within {deadline_s:.1f} s.",
            fix="Read fewer cells at once.",
        )

    async def merged(
        self, table: Ref, rows: range, columns: range, *, deadline_s: float
    ) -> list[tuple[int, int, int, int]]:
        """Return row, column, rows and columns of each merged cell in a block.

        Raises: ActionRefused (a part of the block is outside), ElementStale, ApplicationGone, ActionDeadline.
        """
        end = monotonic() + deadline_s
        await self._require_inside(table, rows, columns, deadline_s / 2)
        places = [(row, column) for row in rows for column in columns]
        asked = [call(table, *place) for place in places for call in (calls.row_extent_at, calls.column_extent_at)]
        told = [max(1, calls.int_in(reply)) for reply in await self._batch(asked, end - monotonic())]
        return [
            (*place, down, across)
            for place, down, across in zip(places, told[::2], told[1::2], strict=True)
            if (down, across) != (1, 1)
        ]

    async def formula_cells(
        self, table: Ref, places: Sequence[tuple[int, int]], *, deadline_s: float
    ) -> tuple[tuple[int, int], ...]:
        """Return those of these cells of a spreadsheet that hold a formula.

        Raises: ElementStale, ApplicationGone, ActionDeadline.
        """
        replies = await self._batch([calls.accessible_at(table, *place) for place in places], deadline_s)
        found = [(place, ref) for place, reply in zip(places, replies, strict=True) if (ref := calls.ref_in(reply))]
        told = await self._batch([calls.get_attributes(ref) for _, ref in found], deadline_s)
        toolkit = await self._toolkits.of(table.bus, deadline_s=deadline_s)
        return tuple(place for (place, _), reply in zip(found, told, strict=True) if toolkit.has_formula(reply))

    async def _require_inside(self, table: Ref, rows: range, columns: range, deadline_s: float) -> None:
        shape = await self.shape(table, deadline_s=deadline_s)
        for indices, size, what in ((rows, shape[0], "row"), (columns, shape[1], "column")):
            outside = [index for index in (*indices[:1], *indices[-1:]) if not 0 <= index < size]
            if outside:
                raise ActionRefused(
                    f"The table has {shape[0]} rows and {shape[1]} columns; there is no {what} {outside[0]}.",
                    fix="Ask for cells inside the table, counted from 0.",
                )

    async def _refs(self, table: Ref, places: Sequence[tuple[int, int]], deadline_s: float) -> list[Ref | None]:
        """Return the cells, None for a place that a merged cell of an earlier place covers."""
        asked = [calls.accessible_at(table, row, column) for row, column in places]
        seen: set[Ref] = set()
        refs: list[Ref | None] = []
        for place, reply in zip(places, await self._batch(asked, deadline_s), strict=True):
            ref = calls.ref_in(reply)
            if ref is None:
                raise ElementStale(f"The table has no cell at {place} just now.", fix="Observe the window again.")
            refs.append(None if ref in seen else ref)
            seen.add(ref)
        return refs

    async def _texts(self, table: Ref, refs: Sequence[Ref | None], deadline_s: float) -> list[str]:
        """Return the text of each cell, else that of its paragraphs, else its name; "" for None.

        Raises: ActionRefused (the application does not expose them), ElementStale, ApplicationGone, ActionDeadline.
        """
        cells = [ref for ref in refs if ref]
        toolkit = await self._toolkits.of(table.bus, deadline_s=deadline_s)
        ask = partial(self._batch, deadline_s=deadline_s)
        # Some applications report of a cell without a text that it does not exist; more is requested of those below.
        replies = await self._batch([calls.get_text(ref) for ref in cells], deadline_s, may_lack=True)
        texts = {ref: calls.text_in(reply) for ref, reply in zip(cells, replies, strict=True)}
        texts.update(await toolkit.correct_cells(table, texts, ask))
        without = [ref for ref, reply in zip(cells, replies, strict=True) if isinstance(reply, DesktopError)]
        texts.update(zip(without, await self._paragraph_texts(without, toolkit, deadline_s), strict=True))
        texts.update(await self._told_in_words({r: t for r, t in texts.items() if calls.EMBEDDED in t}, deadline_s))
        if blank := [ref for ref in cells if not texts[ref]]:
            checks = await toolkit.checks_in(blank, ask)
            texts.update({ref: "checked" if checked else "not checked" for ref, checked in checks.items()})
        return [texts[ref] if ref else "" for ref in refs]

    async def _told_in_words(self, texts: Mapping[Ref, str], deadline_s: float) -> dict[Ref, str]:
        """Return the texts of cells that contain buttons, links, pictures or blocks of text.

        Such a cell of a web page is named by its whole content, in order.
        """
        asked = [call for ref in texts for call in (calls.get_name(ref), calls.get_attributes(ref))]
        replies = await self._batch(asked, deadline_s)
        told: dict[Ref, str] = {}
        for (ref, text), name, attributes in zip(texts.items(), replies[::2], replies[1::2], strict=True):
            own = text.replace(calls.EMBEDDED, "").strip()
            named_from = calls.attributes_in(attributes).get("name-from")
            told[ref] = calls.text_in(name) if named_from == "contents" or (named_from and not own) else own
        return told

    async def _paragraph_texts(self, cells: Sequence[Ref], toolkit: Toolkit, deadline_s: float) -> list[str]:
        replies = await self._batch([calls.get_children(ref) for ref in cells], deadline_s)
        children = [calls.refs_in(reply)[:_PARAGRAPHS_LIMIT] for reply in replies]
        flat = [child for group in children for child in group]
        replies_of = await self._batch([calls.get_text(child) for child in flat], deadline_s)
        texts = {ref: calls.text_in(reply) for ref, reply in zip(flat, replies_of, strict=True) if _is_text(reply)}
        texts.update(await toolkit.correct_paragraphs(texts, partial(self._batch, deadline_s=deadline_s)))
        if toolkit.names_cells_by_place and not all(children):
            raise ActionRefused(
                "The table does not expose the content of some of its cells.",
                fix="Leave the page that it is on and come back, then observe the window again.",
            )
        names = await self._batch([calls.get_name(cell) for cell in cells], deadline_s)
        return [
            "\n".join(texts[child] for child in group if child in texts) if group else calls.text_in(name)
            for group, name in zip(children, names, strict=True)
        ]

    async def _batch(self, asked: Sequence[calls.Call], deadline_s: float, *, may_lack: bool = False) -> list[Reply]:
        """Return all replies; a vanished object (without `may_lack`) or application raises, a refusal is a reply."""
        replies = await self._transport.batch(asked, deadline_s=deadline_s)
        for reply in replies:
            if isinstance(reply, ApplicationGone) or (isinstance(reply, ElementStale) and not may_lack):
                raise reply
            if isinstance(reply, ApplicationUnresponsive):
                raise ActionDeadline(
                    f"The application did not answer for all cells within {deadline_s:.1f} s.",
                    fix="Read fewer cells at once.",
                ) from reply
        return replies


def _is_text(reply: Reply) -> bool:
    return not isinstance(reply, DesktopError)
