"""The verdict on an action: its effect can be read back, lasts and is painted; replies do not count (contract 4.3)."""

from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from deskhand.commands.control_kinds import TURNED_OVER
from deskhand.commands.effects.background_changes import BackgroundChanges
from deskhand.commands.effects.confirmation import OWN_S, is_painted, judge, wait_in_quiet
from deskhand.commands.effects.elsewhere import Measures, changed_behind
from deskhand.commands.effects.evidence import Finding, Sign
from deskhand.commands.effects.same_record import other_record
from deskhand.commands.effects.saved_file import wait_for_saving, without_known_file, written
from deskhand.commands.effects.snapshot import PATIENT_S, QUICK_S, Before
from deskhand.commands.effects.watcher import Watch
from deskhand.commands.effects.window_diff import appeared, difference, own_changes
from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, same_window
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus, Until

_FIRST_S: Final = 0.5
"""Most effects are there by then; afterwards it waits until the application is quiet."""

_QUIET_S: Final = 0.5
"""Further timeout in a program that is quiet: an effect may come from a timer or from another computer."""

_TRIES: Final = 3
"""Signs that may appear and revert, such as those of a loading page, before the verdict is final."""


_AGAIN_S: Final = 0.05
"""Interval of forced observations: a change may have come right after the last one."""

_ENDS_S: Final = 0.3
"""A program whose window is gone may be about to crash: it is watched for this long."""

MEASURES: Final = Measures(difference, own_changes, judge)

_UNCHANGED: Final = "nothing was seen to change"


async def wait_for_difference(desktop: Desktop, earlier: Before, *, patient_s: float = PATIENT_S) -> Finding:
    """The effect of an action, if it was expected (`Before.expected`), lasts and is painted; of one that saves, whether
    the file was written.
    """
    return await _unless_ended(desktop, earlier, await _found(desktop, earlier, patient_s))


async def _unless_ended(desktop: Desktop, earlier: Before, found: Finding) -> Finding:
    """The finding, unless the program of the window crashed: that it is gone is no effect then.

    A program whose last window is gone is watched for a moment longer. One that ended in an unknown way proves nothing.
    """
    window = earlier.window
    windows = await desktop.windows()
    if window is None or window.pid is None or any(same_window(each, window) for each in windows):
        return found
    shows_others = any(each.pid == window.pid for each in windows)
    status = await desktop.wait_until(partial(_ended, desktop, window), deadline_s=0 if shows_others else _ENDS_S)
    if status is None or status.state is ProgramState.ENDED:
        return found
    if status.state is ProgramState.DIED:
        message = f'the program of "{window.name}" died ({status.how})'
        return Finding(Effect.PARTIAL, message, retry_safe=False)
    if found.effect is not Effect.CONFIRMED:
        return found
    message = f"{found.message}; its program ended too, and whether normally is unknown"
    return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)


async def _ended(desktop: Desktop, window: TargetInfo) -> ProgramStatus | None:
    """The end of a window's program; None while it runs."""
    status = await desktop.program(window)
    return None if status.state is ProgramState.RUNS else status


async def _found(desktop: Desktop, earlier: Before, patient_s: float) -> Finding:
    """The effect of an action, before the end of its program is considered."""
    expected, file = earlier.expected, earlier.file
    if not expected.saves or file is None:
        return await _found_anywhere(desktop, earlier, patient_s)
    in_dialog = earlier.window is not None and earlier.window.type is Role.DIALOG
    if file.path is not None and not expected.typed and not in_dialog:
        return await wait_for_saving(desktop, earlier, file, difference)
    found = await _wait_for_sign(desktop, earlier, patient_s)
    if file.path is None:
        return await without_known_file(desktop, earlier, file, found)
    saved = await wait_for_saving(desktop, earlier, file, difference)
    message = f"{found.message}; {saved.message}"
    if in_dialog:
        return replace(saved, message=message) if saved.effect in {Effect.CONFIRMED, Effect.PARTIAL} else found
    effect = saved.effect if found.effect is Effect.CONFIRMED else found.effect or Effect.UNVERIFIABLE
    return Finding(effect, message, retry_safe=False)


async def _found_anywhere(desktop: Desktop, earlier: Before, patient_s: float) -> Finding:
    """The effect of an action that is not to save: in its window, in a file, or in the window of its dialog."""
    found = _or_written(desktop, earlier, await _wait_for_sign(desktop, earlier, patient_s))
    behind = await changed_behind(desktop, earlier, MEASURES) if found.effect is None else None
    return behind or found


def _or_written(desktop: Desktop, earlier: Before, found: Finding) -> Finding:
    """An effect that no control shows may be saving, by a button of another name."""
    nothing = found.effect in {None, Effect.UNVERIFIABLE} and not earlier.expected.own and not earlier.expected.typed
    if nothing and earlier.file is not None and (message := written(desktop, earlier.file)):
        return Finding(Effect.CONFIRMED, message, retry_safe=False)
    return found


async def _wait_for_sign(desktop: Desktop, earlier: Before, patient_s: float) -> Finding:
    background = BackgroundChanges(desktop, own_changes, earlier.shown, earlier.seen)
    watch = Watch(desktop, earlier, appeared if earlier.expected.hovers else difference, background)
    reverted: Finding | None = None
    for _ in range(_TRIES):
        sign = await _first_sign(desktop, earlier, watch, patient_s)
        if sign is None:
            break
        judged = watch.judged()
        if other := await other_record(desktop, earlier.pressed, earlier.target, earlier.seen):
            return Finding(Effect.UNVERIFIABLE, f"{sign.message}; {other}", retry_safe=False)
        found = await judge(desktop, earlier, sign, watch.sign_for_sure, watch.took_s)
        if found.effect is Effect.CONFIRMED and await watch.is_background(
            judged, partial(is_painted, desktop, earlier)
        ):
            continue
        if sign.passing and found.effect is not Effect.CONFIRMED:
            reverted = Finding(Effect.UNVERIFIABLE, found.message, retry_safe=False)
            watch.passes, patient_s = True, QUICK_S
            continue
        if found.effect is not Effect.SUSPECTED_NOOP:
            return await _or_window(watch, found)
        reverted = reverted or found
        patient_s = QUICK_S if _pops_out(earlier) else patient_s
    return await _without_lasting_sign(earlier, watch, reverted)


async def _or_window(watch: Watch, found: Finding) -> Finding:
    """A window that opened or closed by now is better evidence than the finding, as is what surely does not repeat."""
    message, counts = await watch.of_windows()
    if not message:
        return replace(found, message=watch.lasting.message) if watch.lasting else found
    if counts:
        return Finding(Effect.CONFIRMED, message, retry_safe=False)
    message = f"{message}; whether the typed text was accepted is not known"
    return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)


async def _without_lasting_sign(earlier: Before, watch: Watch, reverted: Finding | None) -> Finding:
    if watch.otherwise:
        return Finding(Effect.PARTIAL, watch.otherwise, retry_safe=False)
    if reverted is None or watch.by_itself or watch.dismissed or watch.lost:
        return await _without_sign(earlier, watch)  # a popup closes in steps, whose signs revert
    return await _popped_out(reverted, watch) if _pops_out(earlier) else reverted


async def _first_sign(desktop: Desktop, earlier: Before, watch: Watch, patient_s: float) -> Sign | None:
    if earlier.tells_nothing and (await desktop.settle(earlier.window, deadline_s=_FIRST_S)).is_quiet:
        sign = await watch.sign_for_sure()
        if sign is not None or not await _may_show_more(desktop, earlier):
            return sign  # what is still to come would have been painted, or be worked at
    return await _awaited_sign(desktop, earlier, watch, patient_s)


async def _may_show_more(desktop: Desktop, earlier: Before) -> bool:
    """True if texts of a window's picture may still change: its picture did, or that is not known."""
    window, mark = earlier.window, earlier.mark
    if window is None or mark is None or not (earlier.seen and earlier.seen.controls):
        return False
    return await desktop.painted_since(mark, window, window.rect) is not False


async def _awaited_sign(desktop: Desktop, earlier: Before, watch: Watch, patient_s: float) -> Sign | None:
    if earlier.expected.own:
        own_s = max(patient_s, OWN_S) if patient_s else 0.0
        sign = await wait_in_quiet(desktop, earlier.window, watch.sign, patient_s=own_s)
    elif (sign := await _sign_in(desktop, watch, _FIRST_S)) is None:
        settled = await desktop.settle(earlier.window, deadline_s=max(patient_s, PATIENT_S))
        left_s = min(patient_s, _QUIET_S) if settled.is_quiet else patient_s
        sign = await watch.sign_for_sure() or await _sign_in(desktop, watch, left_s)
    if sign is None and earlier.window is not None:
        await desktop.settle(earlier.window, until=Until.REPORTED)
    return sign or await watch.sign_for_sure() or (await watch.own_in_window() if earlier.expected.own else None)


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
    if not earlier.expected.own:
        return _without_change(earlier, watch)
    if earlier.target is not None and earlier.target.type is Role.PASSWORD:
        return Finding(Effect.UNVERIFIABLE, "a password is never read back", retry_safe=False)
    await watch.elsewhere()
    return _without_own_change(earlier, watch)


def _without_change(earlier: Before, watch: Watch) -> Finding:
    """The verdict on an action that may change anything in its window."""
    if watch.by_itself:
        message = f"only background changes were seen: {watch.by_itself}"
        return Finding(Effect.UNVERIFIABLE, _with(message, watch.beside), retry_safe=False)
    message = _UNCHANGED
    if earlier.expected.typed and watch.beside:
        message = "no changed control contains the typed text"
    message = watch.side_effect or message
    message += ", but as the pointer came" if earlier.stirred else ""
    return Finding(None, _with(message, watch.beside, watch.read), retry_safe=False)


def _without_own_change(earlier: Before, watch: Watch) -> Finding:
    """The verdict on an action that should have changed its target's own states."""
    beside, message = watch.beside, watch.read or _UNCHANGED
    if beside and beside.certain and not beside.mere:
        return Finding(Effect.PARTIAL, _with(message, beside), retry_safe=False)
    hidden = "it may have been down for a moment" if _pops_out(earlier) else ""
    if watch.check_hidden:
        hidden = "its menu closed without reporting whether it is checked"
    if hidden:
        return Finding(Effect.UNVERIFIABLE, _with(f"{message}, and {hidden}", beside), retry_safe=False)
    may_turn_back = earlier.target is not None and earlier.target.type in TURNED_OVER  # a second press does
    retry_safe = beside is None and not may_turn_back and not earlier.expected.typed  # keys may be taken in later
    return Finding(Effect.SUSPECTED_NOOP, _with(message, beside), retry_safe=retry_safe)


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
