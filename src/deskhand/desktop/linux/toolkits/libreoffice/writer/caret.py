"""Place of the caret in a document, from which it is restored after the view moved.

References do not survive that. A place is a number of groups of the text before or after a table.
"""

from dataclasses import dataclass

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.toolkits.libreoffice.writer.body_traversal import Group, Walk
from deskhand.desktop.linux.toolkits.libreoffice.writer.paragraph_chain import Chain
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete
from deskhand.desktop.linux.toolkits.libreoffice.writer.table_pieces import set_caret


@dataclass(frozen=True, slots=True)
class _Spot:
    """A paragraph in a group: alone, or the `index`th of a cell."""

    paragraph: Ref
    cell: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class Caret:
    """`distance` is counted in groups from `table`; `offset` in characters of the paragraph."""

    table: str
    distance: int
    cell: str
    index: int
    offset: int


async def find_caret(asker: Asker, walk: Walk, table: str) -> Caret | None:
    """Return the place of the caret; None outside the body, and in a table inside of a table.

    Looks at what was walked so far first, then at the whole document; without a table at once, for its place is counted
    from the beginning then.
    Raises: Incomplete, ApplicationGone, DesktopGone.
    """
    found = await _among(asker, walk, table) if table or walk.whole else None
    if found is None and not walk.whole:
        await walk.until(lambda: False)
        found = await _among(asker, walk, table)
    return found


async def restore_caret(asker: Asker, chain: Chain, caret: Caret) -> None:
    """Puts the caret back. Raises: Incomplete, ApplicationGone, DesktopGone."""
    start = await chain.in_view()
    if start is None:
        raise Incomplete("no text of the body is in view")
    walk = Walk(chain, start)
    await walk.until(lambda: walk.group_beside(caret.table, caret.distance) is not None)
    group = walk.group_beside(caret.table, caret.distance)
    for spot in await _spots(asker, group or ()):
        if (spot.cell, spot.index) == (caret.cell, caret.index):
            moved = await asker.ask([set_caret(spot.paragraph, caret.offset)])
            if calls.true_in(moved[0]):
                return
    raise Incomplete("the caret could not be put back")


async def _among(asker: Asker, walk: Walk, table: str) -> Caret | None:
    spots = [(index, spot) for index, group in enumerate(walk.groups) for spot in await _spots(asker, group)]
    asked = [spot.paragraph.get(calls.TEXT, "CaretOffset") for _, spot in spots]
    for (index, spot), reply in zip(spots, await asker.ask_leniently(asked), strict=True):
        offset = calls.int_in(reply, -1)
        if offset >= 0:
            return Caret(table, index - walk.index_of(table), spot.cell, spot.index, offset)
    return None


async def _spots(asker: Asker, group: Group) -> list[_Spot]:
    spots: list[_Spot] = []
    for place in group:
        if place.table is None:
            spots.append(_Spot(place.paragraph))
            continue
        cells = await asker.children(place.table)
        asked = [call for cell in cells for call in (calls.get_name(cell), calls.get_children(cell))]
        replies = await asker.ask(asked)
        for name, inside in zip(map(calls.text_in, replies[0::2]), map(calls.refs_in, replies[1::2]), strict=True):
            spots += [_Spot(ref, name, index) for index, ref in enumerate(inside)]
    return spots
