"""Cells of tables as LibreOffice reports them: which ones, and texts of several lines."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import NOWHERE
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.toolkit import Ask

_OF_TWO: Final = 2
_OVERLAP: Final = 4
"""Pixels by which a row header, left of a table, may reach into it."""


async def require_cells(table: Ref, cells: Iterable[Ref], ask: Ask) -> None:
    """Raises: ActionRefused if row headers count as the first column, as in the grids of databases."""
    # upstream: not reported
    # seen in: 7.4.7
    replies = await ask([calls.get_extents(ref) for ref in (table, *islice(cells, 1))])
    whole, *cell = map(calls.rect_in, replies)
    first = cell[0] if cell else NOWHERE
    if not whole.empty and first.left < first.right <= whole.left + _OVERLAP:
        raise ActionRefused(
            "The table counts the heads of its rows as a column and leaves out the last one.",
            fix="Read its picture.",
        )


async def correct_lines(texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
    """Read texts again character by character if they have another length than reported.

    Characters are left out if a line is empty. The reply for one character is that one, with others before it.
    """
    # upstream: not reported
    # seen in: 7.4.7
    replies = await ask([calls.get_text_length(ref) for ref in texts])
    lengths = dict(zip(texts, map(calls.int_in, replies), strict=True))
    wrong = {ref: lengths[ref] for ref, text in texts.items() if _units(text) != lengths[ref]}
    places = [(ref, at) for ref, length in wrong.items() for at in range(length)]
    replies = await ask([calls.get_part(ref, at, at + 1) for ref, at in places])
    characters = {place: calls.text_in(reply)[-1:] for place, reply in zip(places, replies, strict=True)}
    marks = [(ref, at) for (ref, at), text in characters.items() if text == "?" and at]  # maybe half a character
    replies = await ask([calls.get_part(ref, at - 1, at + 1) for ref, at in marks])
    for (ref, at), reply in zip(marks, replies, strict=True):
        if _units(character := calls.text_in(reply)[-1:]) == _OF_TWO:
            characters[ref, at - 1], characters[ref, at] = "", character
    return {ref: "".join(characters[ref, at] for at in range(length)) for ref, length in wrong.items()}


def _units(text: str) -> int:
    """Return the length of a text as LibreOffice counts it: characters beyond U+FFFF are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
