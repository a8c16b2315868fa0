"""An action's effect is what can be read back, lasts and is painted, never what a call answered (SPEC 4.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

import anyio

from deskhand.commands.catalogue import Call, ToolContext, ToolOutcome
from deskhand.commands.tools.about import ANYTHING, VALUE, About, about
from deskhand.commands.tools.differences import (
    TELLING_STATES,
    Sign,
    difference,
    own_difference,
    told_states,
    window_sign,
)
from deskhand.commands.tools.look import front_window
from deskhand.core.command import Effect, Route
from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    DeskhandError,
    ElementStale,
    TargetDisabled,
    TargetHidden,
)
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.base import Desktop

QUICK_S: Final = 0.3
PATIENT_S: Final = 3.0
WAIT_S: Final = 2.0
"""How long a target that is hidden, disabled, covered or moving is waited for before it is refused."""

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

_UNREADABLE: Final = (
    ActionDeadline,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    ElementStale,
)

Reading = Callable[[], Awaitable[str | None]]
"""What was wanted and reads so now, as a sentence; None where it does not."""


@dataclass(frozen=True, slots=True)
class Before:
    """What stood right before an action, and what its effect has to be about.

    `seen`: the window in front; None where it was not looked at or tells nothing. `mark`: what was painted before it
    does not count.
    """

    windows: tuple[TargetInfo, ...]
    target: TargetInfo | None
    seen: Observation | None
    window: TargetInfo | None = None
    mark: float | None = None
    hold_s: float = 0.0
    about: About = ANYTHING


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of waiting for an effect; `effect` None: nothing was seen, and the tool says what that means."""

    effect: Effect | None
    told: str
    retry_safe: bool | None = None


async def require_usable(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target once it can be used, where that comes within `WAIT_S`; else as it was given.

    Raises: TargetDisabled, TargetHidden where it cannot take an action; ElementStale and what else `resolve` raises.
    """
    if target.kind is not TargetKind.CONTROL or unusable(target) is None:
        return target
    last = await with_final_states(desktop, call, target)

    async def look() -> TargetInfo | DeskhandError | None:
        nonlocal last
        try:
            last = await desktop.resolve(target)
        except (ElementStale, AmbiguousTarget) as error:
            return error
        return last if unusable(last) is None else None

    ready = last if unusable(last) is None else await desktop.wait_until(look, deadline_s=WAIT_S)
    if isinstance(ready, TargetInfo):
        return ready
    raise ready or unusable(last) or ActionRefused(f"{target.describe} cannot be used")


def unusable(target: TargetInfo) -> ActionRefused | None:
    """Why a control can take no action at all, as it says itself."""
    if not target.states & {"showing", "visible"}:
        return TargetHidden(f"{target.describe} does not show", fix="open what it is in, or scroll to it")
    if "enabled" not in target.states:
        return TargetDisabled(f"{target.describe} is disabled", fix="find out what enables it, or wait")
    return None


async def with_final_states(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target, looked at again once the application's states are final, where they were not."""
    if await desktop.wait_for_states(await front_window(desktop, call.need_window())):
        return await desktop.resolve(target)
    return target


async def before(tools: ToolContext, call: Call, target: TargetInfo | None = None) -> Before:
    """What stands now. To be asked last, right before something is sent: what changes from now on counts as effect.

    `target`: where it is another than the call's own.
    """
    desktop, target = tools.desktop, target or call.target
    wanted = about(replace(call, target=target))
    windows = await desktop.windows()
    window = await _window_of(desktop, call, target, windows)
    if target is not None and target.kind is TargetKind.CONTROL and not target.sighting:
        target = await _read(desktop, target, window) or target
    seen = call.command.seen
    if window is not None and (not wanted.own or wanted.opens):
        seen = await _look_at(desktop, window)
    mark = await desktop.paint_mark()
    return Before(windows, target, seen, window, mark, tools.effect_hold_s, wanted)


async def _window_of(
    desktop: Desktop, call: Call, target: TargetInfo | None, windows: tuple[TargetInfo, ...]
) -> TargetInfo | None:
    """The window in which an effect is looked for: the target's, else the one in front of the application."""
    owner = target.fingerprint.owner if target and target.fingerprint else ""
    if (own := next((window for window in windows if owner and window.handle == owner), None)) is not None:
        return own
    if call.window is None:
        return None
    try:
        return await front_window(desktop, call.window)
    except ApplicationGone:
        return None


async def _look_at(desktop: Desktop, window: TargetInfo) -> Observation | None:
    try:
        return await desktop.observe(window, picture=False)
    except _UNREADABLE:
        return None


async def read_back(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """The target by its handle alone: by what it does, what stands around it and its window's name may change.

    It is not waited until its application has told all it shows. Raises: ElementStale, AmbiguousTarget,
    ApplicationGone, ApplicationUnresponsive.
    """
    now = await desktop.resolve(replace(target, fingerprint=None))
    return replace(now, fingerprint=target.fingerprint)


async def _read(desktop: Desktop, target: TargetInfo, window: TargetInfo | None) -> TargetInfo | None:
    """The target as it is now, also under another name; None where it is gone. Raises: as `read_back`, but for that."""
    try:
        return await read_back(desktop, target)
    except (ElementStale, AmbiguousTarget):
        seen = await desktop.observe(window, picture=False) if window else None
        return seen.find(target.handle) if seen else None


class _Watch:
    """Looks for signs of one action.

    `beside`: what was seen that is not what was asked for. `problem`: why the last look told nothing; empty: it did.
    """

    def __init__(self, desktop: Desktop, earlier: Before) -> None:
        self._desktop = desktop
        self._earlier = earlier
        self._next_at = 0.0
        self.beside: Sign | None = None
        self.problem = ""
        self.read = ""

    async def sign(self) -> Sign | None:
        """The first sign of what was asked for that shows now; a whole window is not looked at all the time."""
        return await self._look(patient=True)

    async def sign_for_sure(self) -> Sign | None:
        """As `sign`, whatever that takes."""
        return await self._look(patient=False)

    async def _look(self, *, patient: bool) -> Sign | None:
        self.problem = ""
        try:
            return await self._windows() or await self._own() or await self._around(patient=patient)
        except _UNREADABLE as error:
            self.problem = error.message
            return None

    async def _windows(self) -> Sign | None:
        earlier = self._earlier
        pid = earlier.window.pid if earlier.window else None
        sign = window_sign(earlier.windows, await self._desktop.windows(), pid)
        if sign is None or (not sign.mere and (not earlier.about.own or earlier.about.opens)):
            return sign
        self.beside = replace(sign, mere=sign.mere)
        return None

    async def _own(self) -> Sign | None:
        """The target's own states and value."""
        target, about_ = self._earlier.target, self._earlier.about
        if target is None or target.kind is not TargetKind.CONTROL or target.sighting:
            return None
        now = await _read(self._desktop, target, self._earlier.window)
        if now is None:
            sign = Sign(f"{target.describe} is gone", _places(target))
            if not about_.own or about_.opens:
                return sign
            self.beside = self.beside or replace(sign, certain=True)
            return None
        counts = about_.own or (TELLING_STATES | {VALUE, "enabled"})
        told = own_difference(target, now, counts)
        if told and about_.typed not in now.value:
            self.beside = Sign(f"{told}, in which {about_.typed!r} does not stand", certain=True)
            return None
        if told:
            return Sign(told, _places(now, target))
        if about_.own:
            self.read = f"{target.describe} reads {_as_read(now, about_.own)} as before"
        return None

    async def _around(self, *, patient: bool) -> Sign | None:
        """Whatever is different in the window."""
        earlier, began = self._earlier, anyio.current_time()
        if earlier.seen is None or (patient and began < self._next_at):
            return None
        if earlier.about.own and not earlier.about.opens:
            return None
        try:
            now = await self._desktop.observe(earlier.seen.window, picture=False)
        except ApplicationGone:
            return Sign(f'the window "{earlier.seen.window.name}" is gone')
        ended = anyio.current_time()
        self._next_at = ended + (ended - began)  # half of the time is enough for looking
        self.problem = now.truncated.reason if now.truncated else ""
        found = difference(earlier.seen, now, earlier.target, earlier.about.focus)
        if not earlier.about.own:
            self.read = f'{len(now.controls)} controls of "{now.window.name}" read as before'
            return found.sign()
        self.beside = self.beside or found.sign()
        return replace(found, changed=()).sign()

    async def elsewhere(self) -> None:
        """Looks once for what changed instead of what was asked for."""
        earlier = self._earlier
        if self.beside is not None or earlier.seen is None or earlier.target is None:
            return
        now = await _look_at(self._desktop, earlier.seen.window)
        if now is not None:
            self.beside = difference(earlier.seen, now, earlier.target, earlier.about.focus).sign()


def _as_read(now: TargetInfo, own: frozenset[str]) -> str:
    if VALUE in own:
        return repr(now.value)
    states = own & (now.states | {"selected"} if "selected" in own else now.states | {"checked"})
    return told_states(now.states, states)


def _places(*looks: TargetInfo) -> tuple[Rect, ...]:
    return tuple(look.rect for look in looks if not look.rect.empty)


async def wait_for_difference(desktop: Desktop, earlier: Before, *, patient_s: float = PATIENT_S) -> Finding:
    """What an action did, as far as it is about what was asked (`Before.about`), lasts, and shows on the screen."""
    watch = _Watch(desktop, earlier)
    reverted: Finding | None = None
    for _ in range(_TRIES):
        sign = await _first_sign(desktop, earlier, watch, patient_s)
        if sign is None:
            break
        found = await _judged(desktop, earlier, sign, watch.sign_for_sure)
        if found.effect is not Effect.SUSPECTED_NOOP:
            return found
        reverted = reverted or found
    return reverted or await _of_nothing(earlier, watch)


async def _first_sign(desktop: Desktop, earlier: Before, watch: _Watch, patient_s: float) -> Sign | None:
    if earlier.about.own:
        sign = await desktop.wait_until(watch.sign, deadline_s=max(patient_s, _OWN_S))
    else:
        sign = await _sign_in(desktop, watch, _FIRST_S)
        if sign is None:
            await desktop.settle(earlier.window, deadline_s=max(patient_s, PATIENT_S))
            sign = await watch.sign_for_sure() or await _sign_in(desktop, watch, patient_s)
    if sign is None and earlier.window is not None:
        await desktop.wait_until_told(earlier.window)
    return sign or await watch.sign_for_sure()


async def _sign_in(desktop: Desktop, watch: _Watch, deadline_s: float) -> Sign | None:
    """The first sign that comes in time. A window whose application has not run meanwhile is looked at for nothing."""
    end = anyio.current_time() + deadline_s
    while (left := end - anyio.current_time()) > 0:
        if (sign := await desktop.wait_until(watch.sign, deadline_s=min(left, _AGAIN_S))) is not None:
            return sign
    return None


async def _of_nothing(earlier: Before, watch: _Watch) -> Finding:
    """What it means that there is no sign."""
    if watch.problem:
        return Finding(Effect.UNVERIFIABLE, f"nothing can be read: {watch.problem}", retry_safe=False)
    if not earlier.about.own:
        return Finding(None, _with("nothing was seen to change", watch.beside, watch.read))
    if earlier.target is not None and earlier.target.type is Role.PASSWORD:
        return Finding(Effect.UNVERIFIABLE, "a password is never read back", retry_safe=False)
    await watch.elsewhere()
    beside = watch.beside
    effect = Effect.PARTIAL if beside and beside.certain and not beside.mere else Effect.SUSPECTED_NOOP
    return Finding(effect, _with(watch.read or "nothing was seen to change", beside), retry_safe=beside is None)


def _with(told: str, beside: Sign | None, read: str = "") -> str:
    more = [beside.told] if beside else []
    return "; ".join([told, *more, *([read] if read else [])])


async def wait_for_reading(
    desktop: Desktop, earlier: Before, reading: Reading, *, deadline_s: float, was_so: bool = False
) -> Finding:
    """Whether what was wanted comes to read so, lasts, and shows where the target is; effect None: it does not read so.

    `was_so`: it read so before, and need not be painted for that.
    """

    async def sign() -> Sign | None:
        told = await reading()
        places = () if was_so or earlier.target is None else _places(earlier.target)
        return Sign(told, places) if told is not None else None

    found = await desktop.wait_until(sign, deadline_s=deadline_s)
    return await _judged(desktop, earlier, found, sign) if found else Finding(None, "it does not read so")


async def _judged(desktop: Desktop, earlier: Before, sign: Sign, look: Callable[[], Awaitable[Sign | None]]) -> Finding:
    """Confirmed where it lasts and is painted where it can be seen."""
    if sign.certain:
        return Finding(Effect.CONFIRMED, sign.told, retry_safe=False)
    try:
        lasted_s = await _lasted_s(desktop, earlier, look)
    except _UNREADABLE as error:
        return Finding(
            Effect.UNVERIFIABLE, f"{sign.told}; whether that lasts is unknown: {error.message}", retry_safe=False
        )
    if lasted_s is not None:
        told = f"{sign.told}: was so for {lasted_s:.2f} s, then reads as before"
        return Finding(Effect.SUSPECTED_NOOP, told, retry_safe=False)
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
        await desktop.wait_until_told(earlier.window)
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


def outcome(found: Finding, route: Route, *, nothing: Effect, data: object = None) -> ToolOutcome:
    """What was found, with its evidence; `nothing` where nothing was."""
    effect = found.effect or nothing
    safe = found.retry_safe if found.retry_safe is not None else effect is Effect.SUSPECTED_NOOP
    return ToolOutcome(data, effect, route, found.told, retry_safe=safe)
