"""What changed: an action's effect is what can be read back, never what a call answered (SPEC 4.3)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from deskhand.commands.catalogue import Call, ToolOutcome
from deskhand.commands.tools.look import front_window
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused, AmbiguousTarget, DeskhandError, ElementStale
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.base import Desktop

TELLING_STATES = frozenset({"checked", "selected", "expanded", "pressed", "indeterminate"})
QUICK_S = 0.3
PATIENT_S = 3.0


@dataclass(frozen=True, slots=True)
class Before:
    """What stood before an action: the windows, and the target's telling states and value."""

    windows: tuple[TargetInfo, ...]
    target: TargetInfo | None
    seen: Observation | None


async def require_usable(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target as it is once its states are final, where it is disabled until then; else as it was given.

    Raises: ActionRefused where the target cannot take an action now.
    """
    if target.kind is not TargetKind.CONTROL or "enabled" in target.states:
        return target
    target = await with_final_states(desktop, call, target)
    if "enabled" not in target.states:
        raise ActionRefused(f"{target.describe} is disabled", fix="find out what enables it, or wait")
    return target


async def with_final_states(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target, looked at again once the application's states are final, where they were not."""
    if await desktop.wait_for_states(await front_window(desktop, call.need_window())):
        return await desktop.resolve(target)
    return target


async def before(desktop: Desktop, call: Call) -> Before:
    """What stands now."""
    return Before(await desktop.windows(), call.target, call.command.seen)


async def read_back(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """The target after it was acted on: what stands around it may have changed by that, its handle has not.

    Raises: ElementStale, AmbiguousTarget, ApplicationGone, ApplicationUnresponsive.
    """
    print_ = target.fingerprint
    return await desktop.resolve(replace(target, fingerprint=replace(print_, record=())) if print_ else target)


async def quick_difference(desktop: Desktop, earlier: Before) -> str | None:
    """A change that is cheap to see: a window came or went, the target's states or value changed, or it is gone."""
    windows = await desktop.windows()
    if (told := _window_difference(earlier.windows, windows)) is not None:
        return told
    target = earlier.target
    if target is None or target.kind is not TargetKind.CONTROL or target.sighting:
        return None
    try:
        now = await read_back(desktop, target)
    except (ElementStale, AmbiguousTarget):
        return f"{target.describe} is gone"
    states = (now.states ^ target.states) & TELLING_STATES
    if states:
        return f"{target.describe} is now {_told(now.states, states)}"
    if now.value != target.value:
        return f"{target.describe} now has the value {now.value!r}"
    return None


def _told(now: Iterable[str], changed: Iterable[str]) -> str:
    states = frozenset(now)
    return ", ".join(state if state in states else f"not {state}" for state in sorted(changed))


def _window_difference(earlier: tuple[TargetInfo, ...], now: tuple[TargetInfo, ...]) -> str | None:
    known, present = {w.handle for w in earlier}, {w.handle for w in now}
    for window in now:
        if window.handle not in known:
            return f'the window "{window.name}" appeared'
    for window in earlier:
        if window.handle not in present:
            return f'the window "{window.name}" closed'
    titles = {w.handle: w.name for w in earlier}
    renamed = next((w for w in now if titles[w.handle] != w.name), None)
    return f'the window "{titles[renamed.handle]}" is now "{renamed.name}"' if renamed else None


async def structure_difference(desktop: Desktop, earlier: Before) -> str | None:
    """A change anywhere in the observed window: controls that came, went, or read differently."""
    seen = earlier.seen
    if seen is None:
        return None
    try:
        now = await desktop.observe(seen.window, picture=False)
    except DeskhandError:
        return f'the window "{seen.window.name}" cannot be read any more'
    listed = [c for c in seen.controls if not c.sighting]
    old = {c.handle: (c.name, c.value, c.states & TELLING_STATES, "focused" in c.states) for c in listed}
    new = {c.handle: (c.name, c.value, c.states & TELLING_STATES, "focused" in c.states) for c in now.controls}
    came, went = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    changed = sum(1 for handle in new.keys() & old.keys() if new[handle] != old[handle])
    if came or went or changed:
        return f"{came} controls came, {went} went, {changed} changed"
    return None


async def wait_for_difference(desktop: Desktop, earlier: Before, *, patient_s: float = PATIENT_S) -> str | None:
    """The first sign that an action did something; None where nothing changed in time."""

    async def quick() -> str | None:
        return await quick_difference(desktop, earlier)

    if (told := await quick()) is not None:
        return told
    await desktop.settle(earlier.seen.window if earlier.seen else None, deadline_s=max(patient_s, PATIENT_S))
    told = await quick() or await structure_difference(desktop, earlier)
    if told is not None:
        return told
    return await desktop.wait_until(quick, deadline_s=patient_s)


def outcome(told: str | None, route: Route, *, nothing: Effect, data: object = None) -> ToolOutcome:
    """Confirmed with what was seen; else `nothing`, with words that say so."""
    if told is not None:
        return ToolOutcome(data, Effect.CONFIRMED, route, told, retry_safe=False)
    return ToolOutcome(data, nothing, route, "nothing was seen to change", retry_safe=nothing is Effect.SUSPECTED_NOOP)
