"""Confirmation of a state that is read back: it lasts and is painted (contract 4.3)."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import anyio

from deskhand.commands.call import ToolOutcome
from deskhand.commands.control_kinds import hides_check
from deskhand.commands.effects.evidence import Finding, Sign, places_of
from deskhand.commands.effects.same_record import other_record
from deskhand.commands.effects.snapshot import Before, read_if_there
from deskhand.commands.waiting import wait_for_program
from deskhand.core.command import Effect, Route
from deskhand.core.errors import UNREADABLE, ActionDeadline, ApplicationUnresponsive, DeskhandError
from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Until

OWN_S: Final = 1.0
"""Timeout for a control's own state: in a quiet program it does not change later."""

_SHARE: Final = 1 / 3
"""A window that takes more than this share of the time to be read is read again at its end alone."""
_PAINT_S: Final = 1.0
"""A change may be painted this much later than it is reported."""
Reading = Callable[[], Awaitable[str | None]]
"""Returns a sentence once the wanted state is read; None before."""


async def wait_for_reading(
    desktop: Desktop, earlier: Before, reading: Reading, *, deadline_s: float, was_so: bool = False
) -> Finding:
    """Wait until the wanted state is read, lasts, and is painted at the target; effect None: it is not read.

    `was_so`: it was read before the action too, and need not be painted. The repaint is expected at the target's place
    before or now: an empty paragraph of LibreOffice is as wide as a caret, beside the inserted text.
    """

    target = None if was_so else earlier.target
    places: tuple[Rect, ...] = ()
    silent = list[DeskhandError]()

    async def sign() -> Sign | None:
        nonlocal places
        silent.clear()
        try:
            message = await reading()
        except (ApplicationUnresponsive, ActionDeadline) as error:
            silent.append(error)
            raise
        if message is None:
            return None
        if target is not None and not places:
            places = places_of(target, await read_if_there(desktop, target, earlier.window) or target)
        return Sign(message, places)

    found = await wait_in_quiet(desktop, earlier.window, sign, patient_s=deadline_s)
    if silent and earlier.window is not None:
        with suppress(ApplicationUnresponsive):
            found = await wait_for_program(desktop, earlier.window, sign, deadline_s=deadline_s)
    if silent:
        return Finding(Effect.UNVERIFIABLE, f"what it reads now is unknown: {silent[0].message}", retry_safe=False)
    if found and not was_so and (other := await other_record(desktop, earlier.pressed, earlier.target, earlier.seen)):
        return Finding(Effect.UNVERIFIABLE, f"{found.message}; {other}", retry_safe=False)
    return await judge(desktop, earlier, found, sign) if found else Finding(None, "it does not read so")


async def wait_in_quiet(
    desktop: Desktop, window: TargetInfo | None, look: Callable[[], Awaitable[Sign | None]], *, patient_s: float
) -> Sign | None:
    """The first result of `look` other than None; after `OWN_S` it is waited for only until the program is quiet."""
    found = await desktop.wait_until(look, deadline_s=min(patient_s, OWN_S))
    if found is not None or patient_s <= OWN_S:
        return found
    settled = await desktop.settle(window, deadline_s=patient_s)
    return await desktop.wait_until(look, deadline_s=0 if settled.is_quiet else patient_s)


async def judge(
    desktop: Desktop,
    earlier: Before,
    sign: Sign,
    look: Callable[[], Awaitable[Sign | None]],
    took_s: float = 0.0,
) -> Finding:
    """Confirm a sign that lasts and is painted, as far as it can be seen; `took_s`: how long the last look took."""
    if sign.certain:
        return Finding(Effect.CONFIRMED, sign.message, retry_safe=False)
    latest = sign

    async def look_again() -> Sign | None:
        nonlocal latest
        found = await look()
        latest = found or latest
        return found

    try:
        lasted_s = await _lasted_s(desktop, earlier, look_again, took_s)
    except UNREADABLE as error:
        return Finding(
            Effect.UNVERIFIABLE, f"{sign.message}; whether that lasts is unknown: {error.message}", retry_safe=False
        )
    if lasted_s is not None:
        message = f"{sign.message}: was so for {lasted_s:.2f} s, then reads as before"
        return Finding(Effect.SUSPECTED_NOOP, message, retry_safe=False)
    sign = latest  # a popup is reported before its content
    if not await is_painted(desktop, earlier, sign):
        message = f"{sign.message}, as its application reports; nothing was painted there within {_PAINT_S:g} s"
        return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
    return Finding(Effect.CONFIRMED, sign.message, retry_safe=False)


async def _lasted_s(
    desktop: Desktop, earlier: Before, look: Callable[[], Awaitable[Sign | None]], took_s: float
) -> float | None:
    """Seconds until the sign reverted; None if it lasts. Raises: as `look`."""
    if not earlier.hold_s:
        return None
    began = anyio.current_time()

    async def gone() -> float | None:
        nonlocal took_s
        at = anyio.current_time()
        found = await look()
        took_s = anyio.current_time() - at
        return None if found else anyio.current_time() - began

    async def gone_meanwhile() -> float | None:
        left_s = began + earlier.hold_s - anyio.current_time()  # at the end it is looked at anyway
        return await gone() if left_s > 0 and took_s < earlier.hold_s * _SHARE else None

    lasted_s = await desktop.wait_until(gone_meanwhile, deadline_s=earlier.hold_s)
    if lasted_s is None and earlier.window is not None:
        await desktop.settle(earlier.window, until=Until.REPORTED)
    # A program without processor time acts on due events afterwards: the first answer may precede that.
    for _ in range(2):
        lasted_s = lasted_s if lasted_s is not None else await gone()
    return lasted_s


async def is_painted(desktop: Desktop, earlier: Before, sign: Sign) -> bool:
    """True once the sign is painted, or if repaints cannot be checked."""
    window, mark = earlier.window, earlier.mark
    if window is None or mark is None or not sign.places:
        return True

    async def shown() -> bool | None:
        return None if await desktop.painted_since(mark, window, *sign.places) is False else True

    return bool(await desktop.wait_until(shown, deadline_s=_PAINT_S))


def or_unverifiable(found: Finding, why: str, *, retry_safe: bool) -> Finding:
    """Make a missing effect unverifiable, for the reason `why`, if the control would not expose it."""
    if found.effect not in {None, Effect.SUSPECTED_NOOP}:
        return found
    return Finding(Effect.UNVERIFIABLE, f"{found.message}; {why}", retry_safe=retry_safe)


def outcome(found: Finding, route: Route, *, nothing: Effect, data: object = None) -> ToolOutcome:
    """The outcome of a finding; `nothing` is the effect if none was found."""
    effect = found.effect or nothing
    safe = found.retry_safe if found.retry_safe is not None else effect is Effect.SUSPECTED_NOOP
    return ToolOutcome(data, effect, route, found.message, retry_safe=safe)


def check_or_unverifiable(target: TargetInfo, found: Finding) -> Finding:
    """Weaken the finding on a control that reports its state later: a retry may undo the action."""
    if not hides_check(target):
        return found
    return or_unverifiable(found, "open its menu again to see whether it is checked", retry_safe=False)
