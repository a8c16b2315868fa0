"""Changes of a form beside the control that is filled: a part of a compound tool must not cause any (decision 0098)."""

from collections.abc import Awaitable, Callable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Final

from deskhand.commands.call import Call, ToolOutcome
from deskhand.commands.control_kinds import NUMBERS
from deskhand.commands.window_lookup import belongs, observe_front
from deskhand.core.command import Effect
from deskhand.core.errors import UNREADABLE, ActionRefused, ApplicationGone
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name, is_field, same_window
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_CHECK: Final = frozenset({"checked", "indeterminate"})


@dataclass(frozen=True, slots=True)
class _Form:
    """The front window of a call before or after a part was filled, and the windows then open."""

    seen: Observation
    windows: tuple[TargetInfo, ...]


@dataclass(frozen=True, slots=True)
class _Filled:
    """A form after a part of a call was filled; `seen`: the caller's observation, `controls`: those filled so far."""

    seen: Observation | None
    form: _Form
    controls: frozenset[str]


class FormWatch:
    """Compares a form before and after each part of a compound tool, and between two parts of the same call."""

    def __init__(self) -> None:
        self._after: _Filled | None = None

    def forget(self) -> None:
        """Another action follows: what it changes is no surprise."""
        self._after = None

    async def run(self, desktop: Desktop, call: Call, fill: Callable[[], Awaitable[ToolOutcome]]) -> ToolOutcome:
        """Fill a part; a confirmed one is `partial` if anything beside its target changed with it.

        Raises: ActionRefused if anything changed since the part before; as `observe_front` and `fill`.
        """
        before, earlier = await _form_of(desktop, call), self._after
        self.forget()
        filled = frozenset[str]()
        if earlier is not None and earlier.seen is call.command.seen:
            filled = earlier.controls
            surprise = next(_surprises(earlier.form, before, call, own=set(), filled=filled), "")
            if surprise:
                raise ActionRefused(f"after the last control was filled, {surprise}", fix="observe the window again")
        outcome = await fill()
        if outcome.effect is not Effect.CONFIRMED:
            return outcome
        try:
            now = await _form_of(desktop, call)
        except ApplicationGone as error:
            return _unexpected(outcome, error.message)
        except UNREADABLE as error:
            message = f"{outcome.evidence}; what else changed could not be read: {error.message}"
            return replace(outcome, effect=Effect.UNVERIFIABLE, evidence=message)
        target = call.need_target()
        own = _with_its_parts(before.seen, target)
        if surprise := next(_surprises(before, now, call, own=own, filled=filled), ""):
            return _unexpected(outcome, surprise)
        self._after = _Filled(call.command.seen, now, filled | {target.handle})
        return outcome


def _unexpected(outcome: ToolOutcome, surprise: str) -> ToolOutcome:
    return replace(outcome, effect=Effect.PARTIAL, evidence=f"{outcome.evidence}; unexpected: {surprise}")


async def _form_of(desktop: Desktop, call: Call) -> _Form:
    """Raises: as `observe_front`."""
    seen = await observe_front(desktop, call.need_window())
    return _Form(seen, await desktop.windows())


def _surprises(before: _Form, now: _Form, call: Call, *, own: Set[str], filled: Set[str]) -> Iterator[str]:
    """The changes of a form, those of `own` handles left out; `filled`: handles of controls of the same call."""
    root = call.need_window()
    for window in now.windows:
        is_new = not any(same_window(window, other) for other in before.windows)
        if is_new and belongs(window, root, now.windows):
            yield f"{window.describe} opened"
    if not same_window(before.seen.window, now.seen.window):
        yield f"{before.seen.window.describe} is no longer in front"
        return
    later = {control.handle: control for control in now.seen.controls}
    for was in before.seen.controls:
        if is_field(was) and was.handle not in own and (control := later.get(was.handle)) is not None:
            yield from _changes(was, control, is_filled=was.handle in filled)


def _with_its_parts(seen: Observation, target: TargetInfo) -> set[str]:
    """Handles of a control, of those inside it and of those around it."""
    own = {target.handle, *(part.handle for part in seen.inside_of(target))}
    around = seen.find(target.handle)
    while around is not None and around.parent not in own:
        own.add(around.parent)
        around = seen.find(around.parent)
    return own


def _changes(was: TargetInfo, now: TargetInfo, *, is_filled: bool) -> Iterator[str]:
    """A radio button that lost its mark to the target is expected, unless it was filled; one that got it is not."""
    if comparable_name(was.name) != comparable_name(now.name):
        yield f"{was.describe} is called {quoted(now.name)} now"
    if was.value != now.value and not _is_same_number(was, now):
        yield f"{was.describe} reads {quoted(now.value)} now"
    turned = (was.states ^ now.states) & _CHECK
    if turned and (is_filled or not (was.type is Role.RADIO and "checked" in was.states)):
        yield f"{was.describe} is {'' if 'checked' in now.states else 'not '}checked now"


def _is_same_number(was: TargetInfo, now: TargetInfo) -> bool:
    """True for a number field that only writes its number otherwise."""
    return was.type in NUMBERS and was.number is not None and was.number == now.number
