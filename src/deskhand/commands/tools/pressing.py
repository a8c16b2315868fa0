"""Keys that go to one application, none before what it has still to handle."""

from collections.abc import Sequence
from typing import Final

from deskhand.commands.catalogue import Call
from deskhand.commands.tools.about import is_office
from deskhand.commands.tools.entering import goes_apart
from deskhand.commands.tools.keys import is_overtaken
from deskhand.desktop.base import Chord, Desktop

_HANDLED_S: Final = 1.0


async def press_in_order(desktop: Desktop, call: Call, chords: Sequence[Chord]) -> None:
    """What goes apart is handled before the next is sent, see `entering.goes_apart` and `keys.is_overtaken`."""
    office = is_office(call)
    start = 0
    for end in range(1, len(chords) + 1):
        one, following = chords[end - 1], chords[end : end + 1]
        if not following or goes_apart(one.key, following[0].key) or (office and is_overtaken(one, following[0])):
            if start:
                await desktop.settle(call.window, deadline_s=_HANDLED_S)
            await desktop.press(chords[start:end])
            start = end
