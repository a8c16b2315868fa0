"""Tables: their shape, and the texts of their cells."""

from collections.abc import Mapping, Sequence
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
from deskhand.desktop.linux.atspi.check_cells import TOGGLE
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.roles import CHECKABLE, CHECKED, COLUMN_HEADER, RESULT_UNTOLD
from deskhand.desktop.linux.atspi.toolkit import Toolkits

_SHAPE_DEADLINE_S: Final = 2.0
_PARAGRAPHS_LIMIT: Final = 1000
_OF_TWO: Final = 2
_OVERLAP: Final = 4
"""Pixels by which what stands left of a table may reach into it."""


class Tables:
    """Reads tables over one transport."""

    def __init__(self, transport: Transport, toolkits: Toolkits) -> None:
        self._transport = transport
        self._toolkits = toolkits

    async def shape(self, table: Ref, *, deadline_s: float = _SHAPE_DEADLINE_S) -> tuple[int, int]:
        """(rows, columns) as the table says. Raises: ActionRefused, ElementStale, ApplicationGone."""
        offered = await self._transport.call(calls.get_interfaces(table), deadline_s=deadline_s)
        if calls.TABLE not in calls.strings_in(
            offered
        ):  # a list item of Qt 5, asked for its rows, ends its application
            raise ActionRefused(f"{table.path} is no table.", fix="Point at a table.")
        asked = [table.get(calls.TABLE, "NRows"), table.get(calls.TABLE, "NColumns")]
        rows, columns = await self._transport.batch(asked, deadline_s=deadline_s)
        for reply in (rows, columns):
            if isinstance(reply, DesktopError):
                raise reply
        if calls.int_in(rows, -1) < 0 or calls.int_in(columns, -1) < 0:
            raise ActionRefused(f"{table.path} has no shape of a table.", fix="Point at a table.")
        return calls.int_in(rows), calls.int_in(columns)

    async def rows_told(self, table: Ref, *, deadline_s: float = _SHAPE_DEADLINE_S) -> int:
        """How many rows a page says that its table has, which may make them as they are scrolled to; 0: it does not.

        Raises: ElementStale, ApplicationGone.
        """
        if not (await self._toolkits.of(table.bus, deadline_s=deadline_s)).tells_late:
            return 0
        told = calls.attributes_in(await self._transport.call(calls.get_attributes(table), deadline_s=deadline_s))
        rows = told.get("rowcount", "")
        return int(rows) if rows.isdecimal() else 0

    async def cells(self, table: Ref, rows: range, columns: range, *, deadline_s: float) -> tuple[tuple[str, ...], ...]:
        """The texts of a block, row-major. A merged cell's text stands at its first position, "" at the others.

        A check box without a text reads "checked" or "not checked".

        Raises: ActionRefused (a part of the block is outside), ElementStale, ApplicationGone, ActionDeadline.
        """
        with anyio.move_on_after(deadline_s):
            await self._require_inside(table, rows, columns)
            if not rows or not columns:
                return ()
            places = [(row, column) for row in rows for column in columns]
            refs = await self._refs(table, places, deadline_s)
            await self._require_cells(table, refs, deadline_s)
            texts = await self._texts(refs, deadline_s)
            width = len(columns)
            return tuple(tuple(texts[start : start + width]) for start in range(0, len(texts), width or 1))
        raise ActionDeadline(
            f"The table's {len(rows)} x {len(columns)} cells could not be read within {deadline_s:.1f} s.",
            fix="Read fewer cells at once.",
        )

    async def merged(
        self, table: Ref, rows: range, columns: range, *, deadline_s: float
    ) -> list[tuple[int, int, int, int]]:
        """Row and column of the cells in a block that stand for more than one place, and for how many of each.

        Raises: ActionRefused (a part of the block is outside), ElementStale, ApplicationGone, ActionDeadline.
        """
        await self._require_inside(table, rows, columns)
        places = [(row, column) for row in rows for column in columns]
        asked = [call(table, *place) for place in places for call in (calls.row_extent_at, calls.column_extent_at)]
        told = [max(1, calls.int_in(reply)) for reply in await self._batch(asked, deadline_s)]
        return [
            (*place, down, across)
            for place, down, across in zip(places, told[::2], told[1::2], strict=True)
            if (down, across) != (1, 1)
        ]

    async def untold(
        self, table: Ref, places: Sequence[tuple[int, int]], *, deadline_s: float
    ) -> tuple[tuple[int, int], ...]:
        """Which of these cells of a spreadsheet, without text, hold a formula of which no result is told.

        Raises: ElementStale, ApplicationGone, ActionDeadline.
        """
        replies = await self._batch([calls.accessible_at(table, *place) for place in places], deadline_s)
        found = [(place, ref) for place, reply in zip(places, replies, strict=True) if (ref := calls.ref_in(reply))]
        told = await self._batch([calls.get_attributes(ref) for _, ref in found], deadline_s)
        toolkit = await self._toolkits.of(table.bus, deadline_s=deadline_s)
        states = [toolkit.cell_state(reply) for reply in told]
        return tuple(place for (place, _), state in zip(found, states, strict=True) if state & RESULT_UNTOLD)

    async def _require_inside(self, table: Ref, rows: range, columns: range) -> None:
        shape = await self.shape(table)
        for indices, size, what in ((rows, shape[0], "row"), (columns, shape[1], "column")):
            outside = [index for index in (*indices[:1], *indices[-1:]) if not 0 <= index < size]
            if outside:
                raise ActionRefused(
                    f"The table has {shape[0]} rows and {shape[1]} columns; there is no {what} {outside[0]}.",
                    fix="Ask for cells inside the table, counted from 0.",
                )

    async def _refs(self, table: Ref, places: Sequence[tuple[int, int]], deadline_s: float) -> list[Ref | None]:
        """The cells, None for a place that a merged cell of an earlier place covers."""
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

    async def _require_cells(self, table: Ref, refs: Sequence[Ref | None], deadline_s: float) -> None:
        """Qt answers with the head of a column for what it can place nowhere, as all but the first cells in KRename. In
        the grids of LibreOffice's databases the heads of rows, left of the table, count as its first column.
        """
        cells = [ref for ref in refs if ref]
        toolkit = await self._toolkits.of(table.bus, deadline_s=deadline_s)
        if toolkit.heads_stand_for_cells:
            roles = await self._batch([calls.get_role(ref) for ref in cells], deadline_s)
            if COLUMN_HEADER in map(calls.int_in, roles):
                raise ActionRefused("The table tells heads of columns for some of its cells.", fix="Read its picture.")
        elif toolkit.counts_row_heads and cells:
            replies = await self._batch([calls.get_extents(ref) for ref in (table, cells[0])], deadline_s)
            whole, first = map(calls.rect_in, replies)
            if not whole.empty and first.left < first.right <= whole.left + _OVERLAP:
                raise ActionRefused(
                    "The table counts the heads of its rows as a column and leaves out the last one.",
                    fix="Read its picture.",
                )

    async def _texts(self, refs: Sequence[Ref | None], deadline_s: float) -> list[str]:
        """A cell's own text, else that of its paragraphs (Writer, Impress), else its name.

        Raises: ActionRefused: cells of an Impress table that were looked at before it was filled go on having nothing
        in them, and LibreOffice's name of a cell is that of its place.
        """
        cells = [ref for ref in refs if ref]
        # Qt says of a cell without a text that it does not exist; those are asked something else below.
        replies = await self._batch([calls.get_text(ref) for ref in cells], deadline_s, may_lack=True)
        texts = {ref: calls.text_in(reply) for ref, reply in zip(cells, replies, strict=True)}
        texts.update(await self._whole_lines({ref: text for ref, text in texts.items() if "\n" in text}, deadline_s))
        without = [ref for ref, reply in zip(cells, replies, strict=True) if isinstance(reply, DesktopError)]
        texts.update(zip(without, await self._paragraph_texts(without, deadline_s), strict=True))
        texts.update(await self._told_in_words({r: t for r, t in texts.items() if calls.EMBEDDED in t}, deadline_s))
        texts.update(await self._checks([ref for ref in cells if not texts[ref]], deadline_s))
        return [texts[ref] if ref else "" for ref in refs]

    async def _whole_lines(self, texts: Mapping[Ref, str], deadline_s: float) -> dict[Ref, str]:
        """Texts of several lines that are told wrong, read again character by character.

        LibreOffice 7.4 leaves out characters where a line is empty, but tells how many there are. Asked for one of
        them it answers with that one, with others before it.
        """
        if not texts or not (await self._toolkits.of(next(iter(texts)).bus, deadline_s=deadline_s)).miscounts_lines:
            return {}
        replies = await self._batch([calls.get_text_length(ref) for ref in texts], deadline_s)
        lengths = dict(zip(texts, map(calls.int_in, replies), strict=True))
        wrong = {ref: lengths[ref] for ref, text in texts.items() if _units(text) != lengths[ref]}
        places = [(ref, at) for ref, length in wrong.items() for at in range(length)]
        replies = await self._batch([calls.get_part(ref, at, at + 1) for ref, at in places], deadline_s)
        told = {place: calls.text_in(reply)[-1:] for place, reply in zip(places, replies, strict=True)}
        marks = [(ref, at) for (ref, at), text in told.items() if text == "?" and at]  # maybe half a character
        replies = await self._batch([calls.get_part(ref, at - 1, at + 1) for ref, at in marks], deadline_s)
        for (ref, at), reply in zip(marks, replies, strict=True):
            if _units(character := calls.text_in(reply)[-1:]) == _OF_TWO:
                told[ref, at - 1], told[ref, at] = "", character
        return {ref: "".join(told[ref, at] for at in range(length)) for ref, length in wrong.items()}

    async def _checks(self, cells: Sequence[Ref], deadline_s: float) -> dict[Ref, str]:
        """Of cells without a text that hold a check box: whether it is checked, as an observation says it."""
        toolkit = await self._toolkits.of(cells[0].bus, deadline_s=deadline_s) if cells else None
        if toolkit is None or not toolkit.has_checks_in_cells:
            return {}
        replies = await self._batch([calls.get_state(ref) for ref in cells], deadline_s)
        states = {ref: toolkit.state_in(calls.bits_in(reply)) for ref, reply in zip(cells, replies, strict=True)}
        boxes = {ref for ref, state in states.items() if state & (CHECKED | CHECKABLE)}
        if toolkit.omits_checkable:
            others = [ref for ref in cells if ref not in boxes]
            replies = await self._batch([calls.get_actions(ref) for ref in others], deadline_s)
            offered = zip(others, map(calls.action_names_in, replies), strict=True)
            boxes |= {ref for ref, names in offered if TOGGLE in {name.lower() for name in names}}
        return {ref: "checked" if states[ref] & CHECKED else "not checked" for ref in boxes}

    async def _told_in_words(self, texts: Mapping[Ref, str], deadline_s: float) -> dict[Ref, str]:
        """Of cells with buttons, links, pictures or blocks of text in them: what a person reads there.

        Such a cell of a web page is named by all that stands in it, in its order.
        """
        asked = [call for ref in texts for call in (calls.get_name(ref), calls.get_attributes(ref))]
        replies = await self._batch(asked, deadline_s)
        told: dict[Ref, str] = {}
        for (ref, text), name, attributes in zip(texts.items(), replies[::2], replies[1::2], strict=True):
            own = text.replace(calls.EMBEDDED, "").strip()
            named_from = calls.attributes_in(attributes).get("name-from")
            told[ref] = calls.text_in(name) if named_from == "contents" or (named_from and not own) else own
        return told

    async def _paragraph_texts(self, cells: Sequence[Ref], deadline_s: float) -> list[str]:
        replies = await self._batch([calls.get_children(ref) for ref in cells], deadline_s)
        children = [calls.refs_in(reply)[:_PARAGRAPHS_LIMIT] for reply in replies]
        flat = [child for group in children for child in group]
        texts = dict(zip(flat, await self._batch([calls.get_text(child) for child in flat], deadline_s), strict=True))
        if not all(children) and (await self._toolkits.of(cells[0].bus, deadline_s=deadline_s)).names_cells_by_place:
            raise ActionRefused(
                "The table does not say what stands in some of its cells.",
                fix="Leave the page that it is on and come back, then observe the window again.",
            )
        names = await self._batch([calls.get_name(cell) for cell in cells], deadline_s)
        return [
            "\n".join(calls.text_in(texts[child]) for child in group if not isinstance(texts[child], DesktopError))
            if group
            else calls.text_in(name)
            for group, name in zip(children, names, strict=True)
        ]

    async def _batch(self, asked: Sequence[calls.Call], deadline_s: float, *, may_lack: bool = False) -> list[Reply]:
        """All answers; a vanished object (but with `may_lack`) or application ends the reading, a refusal is one."""
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


def _units(text: str) -> int:
    """How LibreOffice counts characters: those beyond U+FFFF as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
