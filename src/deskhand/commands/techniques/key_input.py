"""Keys that go to one application, none before what it has still to handle."""

from collections.abc import Sequence
from typing import Final

from deskhand.commands.catalogue import Call
from deskhand.commands.effects.expectation import is_office
from deskhand.commands.key_syntax import is_overtaken
from deskhand.commands.techniques.text_entry import goes_apart
from deskhand.desktop.base import Chord, Desktop

_HANDLED_S: Final = 1.0
_DATABASE: Final = "libreoffice-base"
_TO_NEXT: Final = frozenset({"tab", "enter"})
"""Keys that go on to the next field, which takes its time in the grids of databases: what is typed before is lost."""


async def press_in_order(desktop: Desktop, call: Call, chords: Sequence[Chord]) -> None:
    """What goes apart is handled before the next is sent, see `entering.goes_apart` and `keys.is_overtaken`."""
    office, in_database = is_office(call), call.window is not None and call.window.application == _DATABASE
    start = 0
    for end in range(1, len(chords) + 1):
        one, following = chords[end - 1], chords[end : end + 1]
        late = (office and following and is_overtaken(one, following[0])) or (in_database and one.key in _TO_NEXT)
        if not following or goes_apart(one.key, following[0].key) or late:
            if start:
                await desktop.settle(call.window, deadline_s=_HANDLED_S)
            await desktop.press(chords[start:end])
            start = end
