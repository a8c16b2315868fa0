"""Used area of a spreadsheet, derived from the range of its scroll bars.

Nothing exposes which cells of a sheet are filled, and a request for each of 2^34 cells is impossible. The scroll bars
reach to the last cell with content (a text, a number, a format) or to the last one in view, whichever is further, and
as many rows or columns beyond as are in view. After a paste they do so only once the view has moved: it is moved by a
row and back. Cursor and selection remain.
"""

# upstream: not reported
# seen in: 7.4.7, 25.2

from collections.abc import Sequence
from time import monotonic
from typing import Final

from deskhand.core.errors import ActionRefused, DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.roles import DOCUMENT_SPREADSHEET, HORIZONTAL, SCROLL_BAR, SHOWING, TABLE, VERTICAL
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Place, place_in

_DOWN: Final = "incrementLine"
_UP: Final = "decrementLine"
_SPARE: Final = 2
"""Rows or columns by which the count of those in view may differ from LibreOffice's own, which leaves out a part of
one."""


class UsedArea:
    """Finds it over one transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def within(self, table: Ref, shape: tuple[int, int], *, deadline_s: float) -> tuple[int, int]:
        """(rows, columns) from the first cell on, beyond which none of a sheet of this shape is filled.

        Raises: ActionRefused (it does not say), ElementStale, ApplicationGone, ApplicationUnresponsive.
        """
        return await _Look(self._transport, monotonic() + deadline_s).within(table, shape)


class _Look:
    """One look for it; `end` is on the monotonic clock."""

    def __init__(self, transport: Transport, end: float) -> None:
        self._transport = transport
        self._end = end

    async def within(self, table: Ref, shape: tuple[int, int]) -> tuple[int, int]:
        """As `UsedArea.within`."""
        (parent,) = await self._ask([table.get(calls.ACCESSIBLE, "Parent")])
        document = calls.ref_in(parent)
        if document is None:
            raise _untold()
        (parent,) = await self._ask([document.get(calls.ACCESSIBLE, "Parent")])
        pane = calls.ref_in(parent)
        if pane is None:
            raise _untold()
        (children,) = await self._ask([calls.get_children(pane)])
        around = calls.refs_in(children)
        roles = [calls.int_in(reply) for reply in await self._ask([calls.get_role(ref) for ref in around])]
        bars = [ref for ref, role in zip(around, roles, strict=True) if role == SCROLL_BAR]
        documents = [ref for ref, role in zip(around, roles, strict=True) if role == DOCUMENT_SPREADSHEET]
        await self._renew(bars)
        corners = await self._corners(await self._tables(documents))
        reach = await self._reach(bars)
        ends: list[int] = []
        for axis, size in enumerate(shape):
            views = [(first[axis], min(last[axis], size - 1)) for first, last in corners]
            found = [
                most + max(0, first - now) - (last - first + 1) + _SPARE
                for most, now in reach[axis]
                for first, last in views
            ]
            if not found:
                raise _untold()
            ends.append(min(size, max(*found, *(last + 1 for _, last in views))))
        return ends[0], ends[1]

    async def _renew(self, bars: Sequence[Ref]) -> None:
        """Moves the view by a row and back. Raises: ActionRefused where it does not come back."""
        for bar in await self._shown(bars, VERTICAL):
            (listed,) = await self._ask([calls.get_actions(bar)])
            numbers = range(len(calls.action_names_in(listed)))  # in the list they have no names
            named = await self._ask([calls.get_action_name(bar, number) for number in numbers])
            offered = [calls.text_in(name) for name in named]
            if not {_DOWN, _UP} <= set(offered):
                raise _untold()
            there, back = (bar.call(calls.ACTION, "DoAction", "i", offered.index(name)) for name in (_DOWN, _UP))
            now = bar.get(calls.VALUE, "CurrentValue")
            before, _, moved, _, after = map(calls.float_in, await self._ask([now, there, now, back, now]))
            if moved == before:  # at its end it goes up and down again
                *_, after = map(calls.float_in, await self._ask([back, there, now]))
            if after != before:
                raise ActionRefused(
                    "The view of the spreadsheet did not come back after it was moved by a row to be read.",
                    fix="Name the cells that are to be read, as range=A1:C5.",
                )

    async def _shown(self, bars: Sequence[Ref], direction: int) -> list[Ref]:
        states = await self._ask([calls.get_state(bar) for bar in bars])
        wanted = SHOWING | direction
        return [bar for bar, state in zip(bars, states, strict=True) if calls.bits_in(state) & wanted == wanted]

    async def _tables(self, documents: Sequence[Ref]) -> list[Ref]:
        """The cells of each pane: there are several where rows or columns are frozen."""
        replies = await self._ask([calls.get_children(ref) for ref in documents])
        inside = [ref for reply in replies for ref in calls.refs_in(reply)]
        roles = await self._ask([calls.get_role(ref) for ref in inside])
        return [ref for ref, role in zip(inside, roles, strict=True) if calls.int_in(role) == TABLE]

    async def _corners(self, tables: Sequence[Ref]) -> list[tuple[Place, Place]]:
        """Return the first and last visible cell of each visible pane; None as the last if the sheet ends in it."""
        replies = await self._ask([calls.get_extents(ref) for ref in tables])
        views = [(ref, calls.rect_in(reply)) for ref, reply in zip(tables, replies, strict=True)]
        asked = [
            calls.accessible_at_point(ref, x, y)
            for ref, view in views
            if not view.empty
            for y in (view.top, view.bottom - 1)
            for x in (view.left, view.right - 1)
        ]
        cells = [calls.ref_in(reply) for reply in await self._ask(asked)]
        known = [ref for ref in cells if ref]
        names = await self._ask([calls.get_name(ref) for ref in known])
        place = {ref: place_in(calls.text_in(name)) for ref, name in zip(known, names, strict=True)}
        found: list[tuple[Place, Place]] = []
        for at in range(0, len(cells), 4):
            seen = [place.get(ref) if ref else None for ref in cells[at : at + 4]]
            places = [each for each in seen if each]
            if places:
                rows, columns = [row for row, _ in places], [column for _, column in places]
                last = (max(rows), max(columns)) if all(seen) else (_BEYOND, _BEYOND)
                found.append(((min(rows), min(columns)), last))
        return found

    async def _reach(self, bars: Sequence[Ref]) -> list[list[tuple[int, int]]]:
        """Of the bars that show, the vertical and then the horizontal ones: how far each reaches, and where it is.

        Where a sheet runs from right to left, its horizontal bar counts down from 0.
        """
        names = ("MinimumValue", "MaximumValue", "CurrentValue")
        found: list[list[tuple[int, int]]] = []
        for direction in (VERTICAL, HORIZONTAL):
            shown = await self._shown(bars, direction)
            values = await self._ask([bar.get(calls.VALUE, name) for bar in shown for name in names])
            told = [int(calls.float_in(each) or 0) for each in values]
            parts = zip(told[::3], told[1::3], told[2::3], strict=True)
            found.append([(most, now) if most > 0 else (-least, -now) for least, most, now in parts])
        return found

    async def _ask(self, asked: Sequence[calls.Call]) -> list[Reply]:
        """All answers. Raises: the first that is an error, since without it too little might be taken for all."""
        replies = await self._transport.batch(list(asked), deadline_s=max(0.0, self._end - monotonic()))
        for reply in replies:
            if isinstance(reply, DesktopError):
                raise reply
        return replies


_BEYOND: Final = 1 << 30


def _untold() -> ActionRefused:
    return ActionRefused(
        "The spreadsheet does not say how far it is filled: it shows no scroll bars.",
        fix="Name the cells that are to be read, as range=A1:C5.",
    )
