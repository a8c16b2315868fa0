"""Keys to one application, in an order that it preserves."""

from collections.abc import Sequence
from typing import Final

from deskhand.commands.call import Call
from deskhand.commands.key_syntax import is_overtaken, may_swap
from deskhand.commands.window_lookup import listed
from deskhand.core.target import NO_TRAITS, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_HANDLED_S: Final = 1.0
_TO_NEXT: Final = frozenset({"tab", "enter"})
"""Keys that move to the next field."""


async def press_in_order(desktop: Desktop, call: Call, chords: Sequence[Chord]) -> None:
    """Press keys in groups; the application handles each group before the next is sent."""
    window = await listed(desktop, call.window) if call.window is not None and len(chords) > 1 else None
    traits = window.traits if window else NO_TRAITS
    start = 0
    for end in range(1, len(chords) + 1):
        if end < len(chords) and not _waits_between(chords[end - 1], chords[end], traits):
            continue
        if start:
            await desktop.settle(call.window, deadline_s=_HANDLED_S)
        await desktop.press(chords[start:end])
        start = end


def _waits_between(one: Chord, following: Chord, traits: frozenset[Trait]) -> bool:
    """True if the first key has to be handled before the second is sent."""
    if may_swap(one.key, following.key):
        return True
    if Trait.OVERTAKES_KEYS in traits and is_overtaken(one, following):
        return True
    return Trait.SLOW_FIELDS in traits and one.key in _TO_NEXT
