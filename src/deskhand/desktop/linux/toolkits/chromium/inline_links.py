"""Links inside lines of text, which may continue on the next line."""

# upstream: not reported
# seen in: 156

from typing import Final

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.coordinates import first_line
from deskhand.desktop.linux.atspi.toolkit import Ask

_DEEPEST: Final = 40


async def part_of_link(link: Ref, place: Rect, space: int, ask: Ask) -> Rect:
    """Return the extents of the first character of a link in several lines, whose own extents hold other text."""
    (attributes,) = await ask([calls.get_attributes(link)])
    if calls.attributes_in(attributes).get("display") != "inline":
        return place
    first = link
    for _ in range(_DEEPEST):
        below = calls.ref_in((await ask([calls.get_child(first, 0)]))[0])
        if below is None:
            break
        first = below
    asked = [calls.get_range_extents(first, 0, 1, space), calls.get_extents(first, space)]
    character, whole = map(calls.extents_in, await ask(asked))
    part = first_line(place, whole if character.empty else character)
    return part if part.intersection(place) == part else place
