"""Values that a field shows and its program does not accept: called invalid, or beyond its limits (contract 4.2)."""

from dataclasses import replace

from deskhand.commands.call import ToolOutcome
from deskhand.commands.control_kinds import CALLED_INVALID
from deskhand.commands.effects.snapshot import read_back
from deskhand.commands.effects.text_match import decimal_mark, is_shown
from deskhand.core.command import Effect
from deskhand.core.errors import UNREADABLE
from deskhand.core.target import TargetInfo
from deskhand.core.text import number_text
from deskhand.desktop.protocols.desktop import Desktop


async def as_accepted(
    desktop: Desktop, field: TargetInfo, done: ToolOutcome, wanted: float | None = None
) -> ToolOutcome:
    """A confirmed value that its program calls invalid, or that is beyond its limits, is `partial`.

    `field`: that the value was written into; `wanted`: the number, for a number field. Limits are reported for a number
    that a field did not take, too.
    """
    try:
        now = await read_back(desktop, field)
        beyond = "" if wanted is None else await _beyond(desktop, now, wanted)
    except UNREADABLE:  # the value may have closed its form
        return done
    invalid = "its program calls that invalid" if CALLED_INVALID in now.states else ""
    told = "; ".join(filter(None, [done.evidence, invalid, beyond]))
    if done.effect is Effect.CONFIRMED and (invalid or beyond):
        return replace(done, effect=Effect.PARTIAL, evidence=told, retry_safe=False)
    return replace(done, evidence=told) if beyond else done


async def _beyond(desktop: Desktop, field: TargetInfo, wanted: float) -> str:
    """The limits of a number field as a phrase, where they exclude a number; empty if not, or if they have another
    unit than its text.
    """
    if field.number is None or not is_shown(field.value, field.number, decimal_mark([field.value])):
        return ""
    limits = await desktop.number_limits(field)
    if limits is None or limits[0] <= wanted <= limits[1]:
        return ""
    return f"it takes {number_text(limits[0])} to {number_text(limits[1])}"
