"""Changes of a form beside the control that is filled: a part of a compound tool must not cause any (decision 0098)."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Final

from deskhand.commands.call import Call, ToolOutcome
from deskhand.commands.control_kinds import CALLED_INVALID, NUMBERS
from deskhand.commands.effects.snapshot import caret_of, read_back
from deskhand.commands.effects.text_match import is_number, is_shown
from deskhand.commands.window_lookup import belongs, observe_front
from deskhand.core.command import Effect
from deskhand.core.errors import UNREADABLE, ActionRefused, AmbiguousTarget, ApplicationGone, ElementStale
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo, comparable_name, is_field, same_window
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_CHECK: Final = frozenset({"checked", "indeterminate"})
_LATE_S: Final = 0.5
"""A program that changes a value again does so within this time, while nothing else happens."""
_RESTLESS_S: Final = 2.0
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
"""A text that is a number and nothing else: one with zeros before it, such as a postcode, is a text."""


@dataclass(frozen=True, slots=True)
class _Form:
    """The front window of a call before or after a part was filled, and the windows then open."""

    seen: Observation
    windows: tuple[TargetInfo, ...]


@dataclass(frozen=True, slots=True)
class _Filled:
    """A form after parts of a call were filled; `seen`: the caller's observation, `controls`: those filled, as they
    read then, by handle.
    """

    seen: Observation | None
    form: _Form
    controls: Mapping[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])


@dataclass(frozen=True, slots=True)
class _Changes:
    """`surprises`: sentences on what a part must not cause; `filled`: those of them on controls of the same call, by
    id. `noted`: what is no surprise, such as new fields, and a number that its program writes otherwise. `reads`: the
    controls filled so far as they are now, by handle.
    """

    surprises: tuple[str, ...] = ()
    filled: Mapping[str, str] = field(default_factory=dict[str, str])
    noted: tuple[str, ...] = ()
    reads: Mapping[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])


class FormWatch:
    """Compares a form before and after each part of a compound tool, and once more after the last of a call."""

    def __init__(self) -> None:
        self._after: _Filled | None = None

    def forget(self) -> None:
        """Another action follows: what it changes is no surprise."""
        self._after = None

    async def run(self, desktop: Desktop, call: Call, fill: Callable[[], Awaitable[ToolOutcome]]) -> ToolOutcome:
        """Fill a part; a confirmed one is `partial` if anything beside its target changed with it, or its own value
        did not stay. Its data are then sentences on the controls of this call that changed again, by their ids.

        Raises: ActionRefused if a window opened since the part before; as `observe_front` and `fill`.
        """
        earlier = self._after
        self.forget()
        if earlier is None or earlier.seen is not call.command.seen:
            earlier = _Filled(call.command.seen, await _form_of(desktop, call))
        elif surprise := next(_opened(earlier.form, await desktop.windows(), call), ""):
            raise ActionRefused(f"after the last control was filled, {surprise}", fix="observe the window again")
        outcome = await fill()
        is_confirmed = outcome.effect is Effect.CONFIRMED
        return await self._compared(desktop, call, earlier, outcome) if is_confirmed or earlier.controls else outcome

    async def _compared(self, desktop: Desktop, call: Call, earlier: _Filled, outcome: ToolOutcome) -> ToolOutcome:
        """Weaken an outcome by what else changed."""
        target = call.need_target()
        try:
            written = await _read(desktop, target) if outcome.effect is Effect.CONFIRMED else None
            if call.command.is_last:
                await desktop.settle(call.window, quiet_s=_LATE_S, deadline_s=_RESTLESS_S)
            now = await _form_of(desktop, call)
            changes = await _changes(desktop, call, earlier, now, written)
        except ApplicationGone as error:
            return _unexpected(outcome, error.message)
        except UNREADABLE as error:
            message = f"{outcome.evidence}; what else changed could not be read: {error.message}"
            return replace(outcome, effect=_weakened(outcome, Effect.UNVERIFIABLE), evidence=message)
        if outcome.effect is Effect.CONFIRMED and not changes.surprises and not changes.filled:
            self._after = _Filled(call.command.seen, now, {**earlier.controls, **changes.reads})
        return _with(outcome, changes)


def _with(outcome: ToolOutcome, changes: _Changes) -> ToolOutcome:
    outcome = replace(outcome, evidence="; ".join([outcome.evidence, *changes.noted]))
    if not changes.surprises:
        return outcome
    data: JsonObject = {**changes.filled}
    return replace(_unexpected(outcome, changes.surprises[0]), data=data or outcome.data)


def _unexpected(outcome: ToolOutcome, surprise: str) -> ToolOutcome:
    evidence = f"{outcome.evidence}; unexpected: {surprise}"
    return replace(outcome, effect=_weakened(outcome, Effect.PARTIAL), evidence=evidence)


def _weakened(outcome: ToolOutcome, effect: Effect) -> Effect | None:
    return effect if outcome.effect is Effect.CONFIRMED else outcome.effect


async def _form_of(desktop: Desktop, call: Call) -> _Form:
    """Raises: as `observe_front`."""
    seen = await observe_front(desktop, call.need_window())
    return _Form(seen, await desktop.windows())


async def _read(desktop: Desktop, target: TargetInfo) -> TargetInfo | None:
    """The control as it is now; None if it is gone. Raises: as `read_back`, except for that."""
    try:
        return await _counted(desktop, await read_back(desktop, target))
    except (ElementStale, AmbiguousTarget):
        return None


async def _counted(desktop: Desktop, control: TargetInfo) -> TargetInfo:
    """A password with the number of its characters as its number: nothing else of it can be compared."""
    caret = await caret_of(desktop, control) if control.type is Role.PASSWORD else None
    return control if caret is None else replace(control, number=float(caret.length))


async def _changes(desktop: Desktop, call: Call, earlier: _Filled, now: _Form, written: TargetInfo | None) -> _Changes:
    """Compare a form with that before a part; `written`: its control right after it was confirmed; None: it was not.

    Raises: as `read_back`.
    """
    target, before = call.need_target(), earlier.form
    opened = [*_opened(before, now.windows, call)]
    if not same_window(before.seen.window, now.seen.window):
        return _Changes((*opened, f"{before.seen.window.describe} is no longer in front"))
    own = _with_its_parts(before.seen, target)
    known = {handle: was for handle, was in earlier.controls.items() if handle not in own}
    known |= {target.handle: _as_confirmed(call, before.seen, written)} if written is not None else {}
    filled, noted, found = dict[str, str](), list[str](), dict[str, TargetInfo]()
    for handle, was in known.items():
        reads = await _now(desktop, now.seen, was)
        if told := next(_of_field(was, reads, is_filled=True), ""):
            filled[was.id] = told
        if reads is not None:
            found[handle] = replace(reads, id=was.id)
            noted += [] if told or reads.value == was.value else [f"{was.describe} {_shows(reads)} now"]
    later = {control.handle: control for control in now.seen.controls}
    others = (was for was in before.seen.controls if is_field(was) and was.handle not in own | known.keys())
    beside = [told for was in others for told in _of_field(was, later.get(was.handle, was))]
    noted += _appeared(before.seen, now.seen, own)
    return _Changes((*opened, *filled.values(), *beside), filled, tuple(noted), found)


async def _now(desktop: Desktop, seen: Observation, was: TargetInfo) -> TargetInfo | None:
    """A control as a later observation has it, also one made anew or out of view; None if it is gone."""
    found = seen.find(was.handle)
    anew = [control for control in seen.controls if _key(control) == _key(was)] if found is None else []
    found = anew[0] if len(anew) == 1 else found
    return await _read(desktop, was) if found is None else await _counted(desktop, found)


def _key(control: TargetInfo) -> tuple[Role, str]:
    return control.type, comparable_name(control.name)


def _opened(before: _Form, windows: tuple[TargetInfo, ...], call: Call) -> Iterator[str]:
    root = call.need_window()
    for window in windows:
        is_new = not any(same_window(window, other) for other in before.windows)
        if is_new and belongs(window, root, windows):
            yield f"{window.describe} opened"


def _appeared(before: Observation, now: Observation, own: Set[str]) -> Iterator[str]:
    """The fields that were not there before; one made anew was."""
    handles, known = {control.handle for control in before.controls}, [_key(control) for control in before.controls]
    inside = own | {part.handle for top in own if (whole := now.find(top)) for part in now.inside_of(whole)}
    for control in now.controls:
        if is_field(control) and control.handle not in handles | inside and _key(control) not in known:
            yield f"{control.describe} appeared"


def _with_its_parts(seen: Observation, target: TargetInfo) -> set[str]:
    """Handles of a control, of those inside it and of those around it."""
    own = {target.handle, *(part.handle for part in seen.inside_of(target))}
    around = seen.find(target.handle)
    while around is not None and around.parent not in own:
        own.add(around.parent)
        around = seen.find(around.parent)
    return own


def _as_confirmed(call: Call, before: Observation, written: TargetInfo) -> TargetInfo:
    """The control as it read when it was confirmed; its program may have changed it before it was read again."""
    text, given = call.command.parameters.get("text"), call.command.parameters
    if written.type is not Role.TEXTBOX or {"multi_line", TEXT_CUT} & written.states or not given.get("clear"):
        return written
    is_date = any(part.type is Role.SPINBUTTON for part in before.inside_of(written))
    return replace(written, value=text) if isinstance(text, str) and not is_date else written


def _of_field(was: TargetInfo, now: TargetInfo | None, *, is_filled: bool = False) -> Iterator[str]:
    """Sentences on what changed of a field.

    A radio button that lost its mark to the target is expected, unless it was filled; one that got it is not.
    """
    if now is None:
        yield f"{was.describe} is gone"
        return
    if comparable_name(was.name) != comparable_name(now.name):
        yield f"{was.describe} is called {quoted(now.name)} now"
    if not _is_same_value(was, now):
        yield f"{was.describe} {_shows(now)} now"
    turned = (was.states ^ now.states) & _CHECK
    if turned and (is_filled or not (was.type is Role.RADIO and "checked" in was.states)):
        yield f"{was.describe} is {'' if 'checked' in now.states else 'not '}checked now"
    if is_filled and CALLED_INVALID in now.states - was.states:
        yield f"{was.describe} is called invalid by its program now"


def _shows(now: TargetInfo) -> str:
    return f"has {int(now.number or 0)} characters" if now.type is Role.PASSWORD else f"reads {quoted(now.value)}"


def _is_same_value(was: TargetInfo, now: TargetInfo) -> bool:
    """True for the same text, or the same number that its program only writes otherwise."""
    if was.type is Role.PASSWORD:
        return was.number == now.number
    if " ".join(was.value.split()) == " ".join(now.value.split()):
        return True
    if was.type in NUMBERS and was.number is not None and was.number == now.number and is_shown(now.value, was.number):
        return True
    return _NUMBER.fullmatch(was.value) is not None and is_number(now.value, float(was.value))
