"""Keys to one application, in an order that it preserves, and their effect."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from deskhand.commands.call import Call, Focus, ToolContext
from deskhand.commands.effects.diff import window_sign
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.snapshot import QUICK_S, Before, before
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.effects.window_diff import difference
from deskhand.commands.key_syntax import in_braces, is_overtaken, last_command, may_swap, typed_in
from deskhand.commands.window_lookup import listed
from deskhand.core.command import Effect
from deskhand.core.target import NO_TRAITS, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_HANDLED_S: Final = 1.0
_TO_NEXT: Final = frozenset({"tab", "enter"})
"""Keys that move to the next field."""


async def press_and_judge(tools: ToolContext, call: Call, chords: Sequence[Chord]) -> Finding:
    """Press keys; the effect is that of the command at their end, and that of the keys before it is reported.

    A text among the keys before has to be read, or the command confirms nothing.
    """
    start = last_command(chords)
    if not start:
        return await _pressed(tools, call, chords)
    if typed_in(chords[:start]):
        first = await _pressed(tools, call, chords[:start])
        last = await _pressed(tools, call, chords[start:])
        effect = last.effect if first.effect is Effect.CONFIRMED else first.effect or Effect.UNVERIFIABLE
        return replace(last, effect=effect, message=f"{last.message}; before that: {first.message}")
    earlier = await before(tools, _of_keys(call, chords[:start]))
    await press_in_order(tools.desktop, call, chords[:start])
    await tools.desktop.settle(call.window, deadline_s=_HANDLED_S)
    now = await before(tools, _of_keys(call, chords[start:]))
    last = await _pressed(tools, call, chords[start:], now)
    return replace(last, message=f"{last.message}; before that: {_change(earlier, now) or 'no change'}")


async def _pressed(tools: ToolContext, call: Call, chords: Sequence[Chord], earlier: Before | None = None) -> Finding:
    earlier = earlier or await before(tools, _of_keys(call, chords))
    await press_in_order(tools.desktop, call, chords)
    return await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)


def _of_keys(call: Call, chords: Sequence[Chord]) -> Call:
    """The call as if it had these keys alone."""
    parameters = {**call.command.parameters, "keys": in_braces(chords)}
    return replace(call, command=replace(call.command, parameters=parameters))


def _change(earlier: Before, now: Before) -> str:
    """One difference between two snapshots as a sentence; empty without any."""
    if (sign := window_sign(earlier.windows, now.windows, earlier.window)) is not None:
        return sign.message
    if earlier.seen is None or now.seen is None:
        return ""
    return difference(earlier.seen, now.seen, None, Focus.ANYBODY).first()


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
