"""An action's effect is what can be read back, lasts and is painted, never what a call answered (contract 4.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import anyio

from deskhand.commands.catalogue import ToolOutcome
from deskhand.commands.effects.diff import Sign
from deskhand.commands.effects.findings import Finding
from deskhand.commands.effects.saved_file import unless_saved, wait_for_saving, written
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
"""Most effects are there so soon; after that it is waited until nothing happens any more."""

_OWN_S: Final = 1.0
"""So long at least a control's own state may take: what is not there by then has not come."""

_TRIES: Final = 3
"""So many signs may come and go, as of something that is only loading, until it is enough."""

_PAINT_S: Final = 1.0
"""So much later than it is told may a change be painted."""

_AGAIN_S: Final = 0.05
"""So soon it is looked again, whatever happened: a change may have come while it was too early for another look."""

Reading = Callable[[], Awaitable[str | None]]
"""What was wanted and reads so now, as a sentence; None where it does not."""


async def wait_for_difference(desktop: Desktop, earlier: Before, *, patient_s: float = PATIENT_S) -> Finding:
    """What an action did, as far as it is about what was asked (`Before.about`), lasts, and shows on the screen; of one
    that saves, whether the file was written.
    """
    about, file = earlier.about, earlier.file
    in_dialog = earlier.window is not None and earlier.window.type is Role.DIALOG
    if about.saves and not (about.typed or in_dialog) and file is not None and file.path is not None:
        return await wait_for_saving(desktop, earlier, file)
    found = await _wait_for_difference(desktop, earlier, patient_s)
    if not about.saves or file is None:
        return _or_written(desktop, earlier, found)
    if file.path is None:
        return await unless_saved(desktop, earlier, file, found)
    saved = await wait_for_saving(desktop, earlier, file)
    if in_dialog:
        told = f"{found.told}; {saved.told}"
        return replace(saved, told=told) if saved.effect in {Effect.CONFIRMED, Effect.PARTIAL} else found
    effect = saved.effect if found.effect is Effect.CONFIRMED else found.effect or Effect.UNVERIFIABLE
    return Finding(effect, f"{found.told}; {saved.told}", retry_safe=False)


def _or_written(desktop: Desktop, earlier: Before, found: Finding) -> Finding:
    """What nothing shows may be to save, by a button of another name."""
    nothing = found.effect in {None, Effect.UNVERIFIABLE} and not earlier.about.own and not earlier.about.typed
    if nothing and earlier.file is not None and (told := written(desktop, earlier.file)):
        return Finding(Effect.CONFIRMED, told, retry_safe=False)
    return found


async def _wait_for_difference(desktop: Desktop, earlier: Before, patient_s: float) -> Finding:
    watch = Watch(desktop, earlier)
    reverted: Finding | None = None
    for _ in range(_TRIES):
        sign = await _first_sign(desktop, earlier, watch, patient_s)
        if sign is None:
            break
        judged = watch.aspects
        found = await _judged(desktop, earlier, sign, watch.sign_for_sure)
        if found.effect is Effect.CONFIRMED and await watch.learns_restless(judged):
            continue
        if sign.passing and found.effect is not Effect.CONFIRMED:
            reverted = Finding(Effect.UNVERIFIABLE, found.told, retry_safe=False)
            watch.passes, patient_s = True, QUICK_S
            continue
        if found.effect is not Effect.SUSPECTED_NOOP:
            told, counts = await watch.of_windows()
            if told and not counts:
                told = f"{told}; whether what was typed was taken is not known"
                return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)
            return Finding(Effect.CONFIRMED, told, retry_safe=False) if told else found
        reverted = reverted or found
        patient_s = QUICK_S if _pops_out(earlier) else patient_s
    if watch.by_itself or watch.put_away or watch.lost or not reverted:  # what closes is told in steps, which pass
        return await _of_nothing(earlier, watch)
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
    """The first sign that comes in time. A window whose application has not run meanwhile is looked at for nothing."""
    end = anyio.current_time() + deadline_s
    while (left := end - anyio.current_time()) > 0:
        if (sign := await desktop.wait_until(watch.sign, deadline_s=min(left, _AGAIN_S))) is not None:
            return sign
    return None


async def _of_nothing(earlier: Before, watch: Watch) -> Finding:
    """What it means that there is no sign."""
    if watch.problem:
        return Finding(Effect.UNVERIFIABLE, f"nothing can be read: {watch.problem}", retry_safe=False)
    if not earlier.about.own and watch.by_itself:
        told = f"nothing was seen to change but what changes by itself: {watch.by_itself}"
        return Finding(Effect.UNVERIFIABLE, _with(told, watch.beside), retry_safe=False)
    if not earlier.about.own:
        typed = earlier.about.typed and watch.beside
        told = "what was typed is not read in what changed" if typed else "nothing was seen to change"
        told = watch.on_the_way or told
        told += ", but as the pointer came" if earlier.stirred else ""
        return Finding(None, _with(told, watch.beside, watch.read), retry_safe=False)
    if earlier.target is not None and earlier.target.type is Role.PASSWORD:
        return Finding(Effect.UNVERIFIABLE, "a password is never read back", retry_safe=False)
    await watch.elsewhere()
    beside = watch.beside
    effect = Effect.PARTIAL if beside and beside.certain and not beside.mere else Effect.SUSPECTED_NOOP
    untold = "nothing tells whether it is checked: its menu closed" if watch.closed_untold else ""
    untold = untold or ("it may have been down for a moment" if _pops_out(earlier) else "")
    if effect is Effect.SUSPECTED_NOOP and untold:
        told = f"{watch.read or 'nothing was seen to change'}, and {untold}"
        return Finding(Effect.UNVERIFIABLE, _with(told, beside), retry_safe=False)
    may_turn_back = earlier.target is not None and earlier.target.type in TURNED_OVER  # a second press does
    retry_safe = beside is None and not may_turn_back and not earlier.about.typed  # keys may be taken in later
    return Finding(effect, _with(watch.read or "nothing was seen to change", beside), retry_safe=retry_safe)


def _pops_out(earlier: Before) -> bool:
    """Whether it may be a button that pops out again once it did its work, as the keys of some calculators."""
    return earlier.target is not None and Trait.TOGGLE in earlier.target.traits


async def _popped_out(reverted: Finding, watch: Watch) -> Finding:
    """It was pressed, and nothing tells whether that was all."""
    await watch.elsewhere()
    return Finding(Effect.UNVERIFIABLE, _with(reverted.told, watch.beside), retry_safe=False)


def _with(told: str, beside: Sign | None, read: str = "") -> str:
    more = [beside.told] if beside else []
    return "; ".join([told, *more, *([read] if read else [])])


async def wait_for_reading(
    desktop: Desktop, earlier: Before, reading: Reading, *, deadline_s: float, was_so: bool = False
) -> Finding:
    """Whether what was wanted comes to read so, lasts, and shows where the target is; effect None: it does not read so.

    `was_so`: it read so before, and need not be painted for that. What shows is looked for where the target was, and
    where it is then: an empty paragraph of LibreOffice is as wide as a caret, which stands beside what is put in.
    """

    target = None if was_so else earlier.target
    places: tuple[Rect, ...] = ()

    async def sign() -> Sign | None:
        nonlocal places
        told = await reading()
        if told is None:
            return None
        if target is not None and not places:
            places = places_of(target, await read_if_there(desktop, target, earlier.window) or target)
        return Sign(told, places)

    found = await desktop.wait_until(sign, deadline_s=deadline_s)
    return await _judged(desktop, earlier, found, sign) if found else Finding(None, "it does not read so")


async def _judged(desktop: Desktop, earlier: Before, sign: Sign, look: Callable[[], Awaitable[Sign | None]]) -> Finding:
    """Confirmed where it lasts and is painted where it can be seen."""
    if sign.certain:
        return Finding(Effect.CONFIRMED, sign.told, retry_safe=False)
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
            Effect.UNVERIFIABLE, f"{sign.told}; whether that lasts is unknown: {error.message}", retry_safe=False
        )
    if lasted_s is not None:
        told = f"{sign.told}: was so for {lasted_s:.2f} s, then reads as before"
        return Finding(Effect.SUSPECTED_NOOP, told, retry_safe=False)
    sign = latest  # what opens is told before all that stands in it
    if not await _painted(desktop, earlier, sign):
        told = f"{sign.told}, as its application tells; nothing was painted there within {_PAINT_S:g} s"
        return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)
    return Finding(Effect.CONFIRMED, sign.told, retry_safe=False)


async def _lasted_s(desktop: Desktop, earlier: Before, look: Callable[[], Awaitable[Sign | None]]) -> float | None:
    """For how long there was a sign, None where there still is. Raises: as `look`."""
    if not earlier.hold_s:
        return None
    began = anyio.current_time()

    async def gone() -> float | None:
        return None if await look() else anyio.current_time() - began

    lasted_s = await desktop.wait_until(gone, deadline_s=earlier.hold_s)
    if lasted_s is None and earlier.window is not None:
        await desktop.settle(earlier.window, until=Until.REPORTED)
    # A program that had no processor meanwhile does what was due in between: the first answer may come before that.
    for _ in range(2):
        lasted_s = lasted_s if lasted_s is not None else await gone()
    return lasted_s


async def _painted(desktop: Desktop, earlier: Before, sign: Sign) -> bool:
    """Whether it can be seen, or can be neither seen nor missed; it may be painted a while after it is told."""
    window, mark = earlier.window, earlier.mark
    if window is None or mark is None or not sign.places:
        return True

    async def shown() -> bool | None:
        answers = [await desktop.painted_since(mark, window, place) for place in sign.places]
        return True if True in answers or False not in answers else None

    return bool(await desktop.wait_until(shown, deadline_s=_PAINT_S))


def unless_untold(found: Finding, why: str, *, retry_safe: bool) -> Finding:
    """That nothing was seen says nothing of what does not tell: then it is unverifiable, and `why`."""
    if found.effect not in {None, Effect.SUSPECTED_NOOP}:
        return found
    return Finding(Effect.UNVERIFIABLE, f"{found.told}; {why}", retry_safe=retry_safe)


def outcome(found: Finding, route: Route, *, nothing: Effect, data: object = None) -> ToolOutcome:
    """What was found, with its evidence; `nothing` where nothing was."""
    effect = found.effect or nothing
    safe = found.retry_safe if found.retry_safe is not None else effect is Effect.SUSPECTED_NOOP
    return ToolOutcome(data, effect, route, found.told, retry_safe=safe)
