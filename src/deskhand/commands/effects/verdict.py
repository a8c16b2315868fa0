"""The verdict on an action: its effect can be read back, lasts and is painted; replies do not count (contract 4.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import anyio

from deskhand.commands.catalogue import ToolOutcome
from deskhand.commands.effects.diff import Sign
from deskhand.commands.effects.findings import Finding
from deskhand.commands.effects.saved_file import wait_for_saving, without_known_file, written
from deskhand.commands.effects.snapshot import UNREADABLE, Before, read_if_there
from deskhand.commands.effects.watcher import Watch, places_of
from deskhand.commands.expectation import TURNED_OVER
from deskhand.core.command import Effect, Route
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Until

QUICK_S: Final = 0.3
PATIENT_S: Final = 3.0

_FIRST_S: Final = 0.5
"""Most effects are there by then; afterwards it waits until the application is quiet."""

_OWN_S: Final = 1.0
"""Least timeout for a control's own state; a state that has not changed by then does not change."""

_TRIES: Final = 3
"""Signs that may appear and revert, as of a page that is loading, before the verdict is final."""

_PAINT_S: Final = 1.0
"""A change may be painted this much later than it is reported."""

_AGAIN_S: Final = 0.05
"""Interval of forced observations: a change may have come right after the last one."""

Reading = Callable[[], Awaitable[str | None]]
"""Returns a sentence once the wanted state is read; None before."""


async def wait_for_difference(desktop: Desktop, earlier: Before, *, patient_s: float = PATIENT_S) -> Finding:
    """The effect of an action, if it was expected (`Before.about`), lasts and is painted; of one that saves, whether
    the file was written.
    """
    about, file = earlier.about, earlier.file
    in_dialog = earlier.window is not None and earlier.window.type is Role.DIALOG
    if about.saves and not (about.typed or in_dialog) and file is not None and file.path is not None:
        return await wait_for_saving(desktop, earlier, file)
    found = await _wait_for_difference(desktop, earlier, patient_s)
    if not about.saves or file is None:
        return _or_written(desktop, earlier, found)
    if file.path is None:
        return await without_known_file(desktop, earlier, file, found)
    saved = await wait_for_saving(desktop, earlier, file)
    if in_dialog:
        message = f"{found.message}; {saved.message}"
        return replace(saved, message=message) if saved.effect in {Effect.CONFIRMED, Effect.PARTIAL} else found
    effect = saved.effect if found.effect is Effect.CONFIRMED else found.effect or Effect.UNVERIFIABLE
    return Finding(effect, f"{found.message}; {saved.message}", retry_safe=False)


def _or_written(desktop: Desktop, earlier: Before, found: Finding) -> Finding:
    """An effect that no control shows may be saving, by a button of another name."""
    nothing = found.effect in {None, Effect.UNVERIFIABLE} and not earlier.about.own and not earlier.about.typed
    if nothing and earlier.file is not None and (message := written(desktop, earlier.file)):
        return Finding(Effect.CONFIRMED, message, retry_safe=False)
    return found


async def _wait_for_difference(desktop: Desktop, earlier: Before, patient_s: float) -> Finding:
    watch = Watch(desktop, earlier)
    reverted: Finding | None = None
    for _ in range(_TRIES):
        sign = await _first_sign(desktop, earlier, watch, patient_s)
        if sign is None:
            break
        judged = watch.aspects
        found = await _judge(desktop, earlier, sign, watch.sign_for_sure)
        if found.effect is Effect.CONFIRMED and await watch.is_background(judged):
            continue
        if sign.passing and found.effect is not Effect.CONFIRMED:
            reverted = Finding(Effect.UNVERIFIABLE, found.message, retry_safe=False)
            watch.passes, patient_s = True, QUICK_S
            continue
        if found.effect is not Effect.SUSPECTED_NOOP:
            message, counts = await watch.of_windows()
            if message and not counts:
                message = f"{message}; whether the typed text was accepted is not known"
                return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
            return Finding(Effect.CONFIRMED, message, retry_safe=False) if message else found
        reverted = reverted or found
        patient_s = QUICK_S if _pops_out(earlier) else patient_s
    if watch.by_itself or watch.dismissed or watch.lost or not reverted:  # a popup closes in steps, whose signs revert
        return await _without_sign(earlier, watch)
    return await _popped_out(reverted, watch) if _pops_out(earlier) else reverted


async def _first_sign(desktop: Desktop, earlier: Before, watch: Watch, patient_s: float) -> Sign | None:
    if earlier.about.own:
        sign = await desktop.wait_until(watch.sign, deadline_s=max(patient_s, _OWN_S))
    else:
        sign = await _sign_in(desktop, watch, _FIRST_S)
        if sign is None:
            await desktop.settle(earlier.window, deadline_s=max(patient_s, PATIENT_S))
            sign = await watch.sign_for_sure() or await _sign_in(desktop, watch, patient_s)
    if sign is None and earlier.window is not None:
        await desktop.settle(earlier.window, until=Until.REPORTED)
    return sign or await watch.sign_for_sure()


async def _sign_in(desktop: Desktop, watch: Watch, deadline_s: float) -> Sign | None:
    """The first sign before the deadline; observes at least each `_AGAIN_S`."""
    end = anyio.current_time() + deadline_s
    while (left := end - anyio.current_time()) > 0:
        if (sign := await desktop.wait_until(watch.sign, deadline_s=min(left, _AGAIN_S))) is not None:
            return sign
    return None


async def _without_sign(earlier: Before, watch: Watch) -> Finding:
    """The verdict if there is no sign."""
    if watch.problem:
        return Finding(Effect.UNVERIFIABLE, f"nothing can be read: {watch.problem}", retry_safe=False)
    if not earlier.about.own and watch.by_itself:
        message = f"only background changes were seen: {watch.by_itself}"
        return Finding(Effect.UNVERIFIABLE, _with(message, watch.beside), retry_safe=False)
    if not earlier.about.own:
        typed = earlier.about.typed and watch.beside
        message = "no changed control contains the typed text" if typed else "nothing was seen to change"
        message = watch.side_effect or message
        message += ", but as the pointer came" if earlier.stirred else ""
        return Finding(None, _with(message, watch.beside, watch.read), retry_safe=False)
    if earlier.target is not None and earlier.target.type is Role.PASSWORD:
        return Finding(Effect.UNVERIFIABLE, "a password is never read back", retry_safe=False)
    await watch.elsewhere()
    beside = watch.beside
    effect = Effect.PARTIAL if beside and beside.certain and not beside.mere else Effect.SUSPECTED_NOOP
    hidden = "its menu closed without reporting whether it is checked" if watch.check_hidden else ""
    hidden = hidden or ("it may have been down for a moment" if _pops_out(earlier) else "")
    if effect is Effect.SUSPECTED_NOOP and hidden:
        message = f"{watch.read or 'nothing was seen to change'}, and {hidden}"
        return Finding(Effect.UNVERIFIABLE, _with(message, beside), retry_safe=False)
    may_turn_back = earlier.target is not None and earlier.target.type in TURNED_OVER  # a second press does
    retry_safe = beside is None and not may_turn_back and not earlier.about.typed  # keys may be taken in later
    return Finding(effect, _with(watch.read or "nothing was seen to change", beside), retry_safe=retry_safe)


def _pops_out(earlier: Before) -> bool:
    """True for a button that may pop out again after its work, such as the keys of some calculators."""
    return earlier.target is not None and Trait.TOGGLE in earlier.target.traits


async def _popped_out(reverted: Finding, watch: Watch) -> Finding:
    """The verdict on a button that was pressed and popped out: more may have happened."""
    await watch.elsewhere()
    return Finding(Effect.UNVERIFIABLE, _with(reverted.message, watch.beside), retry_safe=False)


def _with(message: str, beside: Sign | None, read: str = "") -> str:
    more = [beside.message] if beside else []
    return "; ".join([message, *more, *([read] if read else [])])


async def wait_for_reading(
    desktop: Desktop, earlier: Before, reading: Reading, *, deadline_s: float, was_so: bool = False
) -> Finding:
    """Wait until the wanted state is read, lasts, and is painted at the target; effect None: it is not read.

    `was_so`: it was read before the action too, and need not be painted. The repaint is expected at the target's place
    before or now: an empty paragraph of LibreOffice is as wide as a caret, beside the inserted text.
    """

    target = None if was_so else earlier.target
    places: tuple[Rect, ...] = ()

    async def sign() -> Sign | None:
        nonlocal places
        message = await reading()
        if message is None:
            return None
        if target is not None and not places:
            places = places_of(target, await read_if_there(desktop, target, earlier.window) or target)
        return Sign(message, places)

    found = await desktop.wait_until(sign, deadline_s=deadline_s)
    return await _judge(desktop, earlier, found, sign) if found else Finding(None, "it does not read so")


async def _judge(desktop: Desktop, earlier: Before, sign: Sign, look: Callable[[], Awaitable[Sign | None]]) -> Finding:
    """Confirm a sign that lasts and is painted, as far as it can be seen."""
    if sign.certain:
        return Finding(Effect.CONFIRMED, sign.message, retry_safe=False)
    latest = sign

    async def look_again() -> Sign | None:
        nonlocal latest
        found = await look()
        latest = found or latest
        return found

    try:
        lasted_s = await _lasted_s(desktop, earlier, look_again)
    except UNREADABLE as error:
        return Finding(
            Effect.UNVERIFIABLE, f"{sign.message}; whether that lasts is unknown: {error.message}", retry_safe=False
        )
    if lasted_s is not None:
        message = f"{sign.message}: was so for {lasted_s:.2f} s, then reads as before"
        return Finding(Effect.SUSPECTED_NOOP, message, retry_safe=False)
    sign = latest  # a popup is reported before its content
    if not await _painted(desktop, earlier, sign):
        message = f"{sign.message}, as its application reports; nothing was painted there within {_PAINT_S:g} s"
        return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
    return Finding(Effect.CONFIRMED, sign.message, retry_safe=False)


async def _lasted_s(desktop: Desktop, earlier: Before, look: Callable[[], Awaitable[Sign | None]]) -> float | None:
    """Seconds until the sign reverted; None if it lasts. Raises: as `look`."""
    if not earlier.hold_s:
        return None
    began = anyio.current_time()

    async def gone() -> float | None:
        return None if await look() else anyio.current_time() - began

    lasted_s = await desktop.wait_until(gone, deadline_s=earlier.hold_s)
    if lasted_s is None and earlier.window is not None:
        await desktop.settle(earlier.window, until=Until.REPORTED)
    # A program without processor time acts on due events afterwards: the first answer may precede that.
    for _ in range(2):
        lasted_s = lasted_s if lasted_s is not None else await gone()
    return lasted_s


async def _painted(desktop: Desktop, earlier: Before, sign: Sign) -> bool:
    """True once the sign is painted, or if repaints cannot be checked."""
    window, mark = earlier.window, earlier.mark
    if window is None or mark is None or not sign.places:
        return True

    async def shown() -> bool | None:
        answers = [await desktop.painted_since(mark, window, place) for place in sign.places]
        return True if True in answers or False not in answers else None

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
