"""Entering a date or a time of a page, whose parts take numbers one by one (contract 4.2)."""

from collections.abc import Mapping
from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.effects.confirmation import outcome, wait_for_reading
from deskhand.commands.effects.snapshot import QUICK_S, before, read_back
from deskhand.commands.techniques.dates import Moment, parts_of_date
from deskhand.commands.techniques.escalation import take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_HALF: Final = "am/pm"
_OF_DAY: Final = frozenset({"year", "month", "day"})
_OF_TIME: Final = frozenset({"hour", "minute", _HALF})


async def enter_parts(tools: ToolContext, call: Call, field: TargetInfo, moment: Moment) -> ToolOutcome:
    """Type each part of a date or time into its own field, and read all of them back.

    Raises: ActionRefused if the field has other parts; as `take_keyboard`.
    """
    seen = call.command.seen
    parts = parts_of_date(seen.inside_of(field) if seen else [])
    wanted = moment.numbers(halves=_HALF in parts)
    if wanted.keys() != parts.keys():
        message = f"{field.describe} has {', '.join(parts)}, and {quoted(moment.iso)} has {', '.join(wanted)}"
        raise ActionRefused(message, fix="give a date as 2026-03-12, a time as 10:20, both as 2026-03-12 10:20")
    reads = await _reads(tools.desktop, parts)
    if _are_right(reads, wanted):
        message = f"{field.describe} reads {moment.iso} already, by its parts"
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, message)

    async def right() -> str | None:
        nonlocal reads
        reads = await _reads(tools.desktop, parts)
        return f"{field.describe} reads {moment.iso}, by its parts" if _are_right(reads, wanted) else None

    earlier = await before(tools, call, field)
    for group in (_OF_DAY, _OF_TIME):
        await _type_parts(tools, call, {part: field for part, field in parts.items() if part in group}, wanted)
    found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S)
    if found.effect is not None:
        return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)
    read = ", ".join(f"{part} {quoted(reads[part])}" for part in parts)
    return ToolOutcome(None, Effect.PARTIAL, Route.SYNTHETIC_INPUT, f"wanted {moment.iso}, reads {read}")


async def _type_parts(
    tools: ToolContext, call: Call, parts: Mapping[str, TargetInfo], wanted: Mapping[str, str]
) -> None:
    """Type parts in view order: the digits of one lead to the next. Raises: as `take_keyboard`."""
    if not parts:
        return
    await take_keyboard(tools, call, next(iter(parts.values())), sure=True)
    await tools.desktop.settle(call.window)  # a page moves its focus later than it reports it
    keys = [key for part in parts for key in (wanted[part][:1] if part == _HALF else wanted[part])]
    await press_in_order(tools.desktop, call, [Chord(key) for key in keys])

    async def taken() -> bool | None:
        return True if _are_right(await _reads(tools.desktop, parts), wanted) else None

    await tools.desktop.wait_until(taken, deadline_s=QUICK_S)  # a focus request would overtake the keys


async def enter_and_leave(tools: ToolContext, call: Call, editor: TargetInfo, text: str) -> ToolOutcome:
    """Type a date into the editor of a field and leave it, since only then it counts. Raises: as `take_keyboard`."""
    earlier = await before(tools, call, editor)
    await take_keyboard(tools, call, editor, sure=True)
    keys = ["space" if key == " " else key for key in text]
    await press_in_order(tools.desktop, call, [Chord("a", ("ctrl",)), *map(Chord, keys), Chord("tab")])
    reads = [editor.value]

    async def right() -> str | None:
        now = await read_back(tools.desktop, editor)
        reads.append(now.value)
        is_left = "focused" not in now.states
        return f"{editor.describe} reads {quoted(text)} now that it was left" if is_left and now.value == text else None

    found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S, was_so=editor.value == text)
    if found.effect is not None:
        return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)
    effect = Effect.SUSPECTED_NOOP if reads[-1] == editor.value else Effect.PARTIAL
    message = f"wanted {quoted(text)}, reads {quoted(reads[-1])}, which counts once the field is left"
    return ToolOutcome(None, effect, Route.SYNTHETIC_INPUT, message)


async def _reads(desktop: Desktop, parts: Mapping[str, TargetInfo]) -> dict[str, str]:
    return {part: (await read_back(desktop, control)).value for part, control in parts.items()}


def _are_right(reads: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(_plain(text) == _plain(wanted[part]) for part, text in reads.items())


def _plain(text: str) -> str:
    return str(int(text)) if text.isdigit() else text.casefold()
