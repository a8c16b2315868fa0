"""Checks and snapshot right before an action: its target is usable, its effect can be read (contract 4.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeGuard

import anyio

from deskhand.commands.call import ANYTHING, Call, ExpectedEffect, Request, ToolContext
from deskhand.commands.control_kinds import CLOSE_LIST, is_in_toolbar
from deskhand.commands.window_lookup import front_of, front_window, last_or_observed
from deskhand.core.errors import (
    UNREADABLE,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    DeskhandError,
    ElementStale,
    TargetCovered,
    TargetDisabled,
    TargetHidden,
)
from deskhand.core.file_stamp import Stamp, stamp_of
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait, comparable_name, is_marked_unsaved, same_window
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Activity, Until

QUICK_S: Final = 0.3
PATIENT_S: Final = 3.0
_HALO: Final = 16
"""Pixels around a control that belong to it: shadows and focus frames."""

_FOCUS: Final = frozenset({"focused", "editable"})
_MOST_FOCUSED: Final = 3
"""LibreOffice leaves the state at paragraphs that had the keyboard before."""
_WRITTEN_IN: Final = frozenset({Role.HEADING, Role.LISTITEM, Role.PARAGRAPH})
_MOST_WRITTEN_IN: Final = 20
"""Parts of an editor whose carets are read."""

WAIT_S: Final = 2.0
"""Timeout for a target that is hidden, disabled, covered or moving; then it is refused."""


@dataclass(frozen=True, slots=True)
class FileBefore:
    """The file open in the call's window, or named in a file dialog over it; without `path`, `why` is the reason.

    `unsaved`: it had unsaved changes; None if the window does not expose that. `held_open`: its program had it open for
    writing before, as LibreOffice has its locked files.
    """

    window: TargetInfo
    path: Path | None = None
    why: str = ""
    stamp: Stamp | None = None
    unsaved: bool | None = None
    held_open: bool = False

    def stamp_now(self) -> Stamp | None:
        """The file's current stamp; None if it is not known or does not exist."""
        return stamp_of(self.path) if self.path else None

    def window_now(self, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        """The window as listed now; None if it is gone."""
        return next((window for window in windows if same_window(window, self.window)), None)


@dataclass(frozen=True, slots=True)
class Writing:
    """A text and the place of its caret, or its selection."""

    control: TargetInfo
    caret: Caret


@dataclass(frozen=True, slots=True)
class Before:
    """The state right before an action, and the effect that is expected.

    `seen`: the front window; None if it was not observed or cannot be read. `mark`: earlier repaints do not count.
    `shown`: an earlier observation of the same window, without any action in between. `calm`: nothing in it changes all
    the time by itself. `stirred`: something changed as the pointer came, before this snapshot. `writing`: the texts
    whose carets count. `file`: that of the call's window, if the action may save it. `pressed`: the control that was
    resolved last, right before the input. `behind`: the window that the front one, a dialog, belongs to. `at`: the
    time of the snapshot. `restless`: places that its program repaints by itself; None: anywhere.
    """

    windows: tuple[TargetInfo, ...]
    target: TargetInfo | None
    seen: Observation | None
    window: TargetInfo | None = None
    mark: float | None = None
    hold_s: float = 0.0
    expected: ExpectedEffect = ANYTHING
    shown: Observation | None = None
    calm: bool = False
    stirred: bool = False
    writing: tuple[Writing, ...] = ()
    file: FileBefore | None = None
    pressed: TargetInfo | None = None
    behind: Observation | None = None
    at: float = 0.0
    restless: tuple[Rect, ...] | None = ()

    @property
    def tells_nothing(self) -> bool:
        """True if the window exposes nothing: what is known of it, if anything, was read from its picture."""
        return self.seen is not None and all(Trait.READ_FROM_PICTURE in each.traits for each in self.seen.controls)


async def require_usable(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """Wait up to `WAIT_S` for the target to be usable with final states; return it as it is then.

    Raises: TargetDisabled, TargetHidden if it cannot take an action, TargetCovered under an open list; and as
    `resolve`, such as ElementStale.
    """
    await _require_no_list_over(desktop, call, target)
    if target.kind is not TargetKind.CONTROL or (unusable(target) is None and Trait.STATE_IS_LATE not in target.traits):
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


async def _require_no_list_over(desktop: Desktop, call: Call, target: TargetInfo) -> None:
    """Raises: TargetCovered if the caller observed an open list that the target is not in, and it is still open.

    What is under a list of LibreOffice reacts to accessibility as if nothing was open, and Calc can end by it.
    """
    seen = call.command.seen
    if seen is None or Trait.OPENS_LIST in target.traits or not _list_beside(seen, target):
        return
    now = await try_last(desktop, seen.window)
    if now is not None and (over := _list_beside(now, target)):
        raise TargetCovered(f"{target.describe} is under {over.describe}, which is open", fix=CLOSE_LIST)


def _list_beside(seen: Observation, target: TargetInfo) -> TargetInfo | None:
    """An open popup list that a control is not in."""
    lists = [control for control in seen.controls if Trait.POPUP_LIST in control.traits]
    return next((top for top in lists if target.handle not in {top.handle, *_inside(seen, top)}), None)


def _inside(seen: Observation, top: TargetInfo) -> list[str]:
    return [control.handle for control in seen.inside_of(top)]


def unusable(target: TargetInfo) -> ActionRefused | None:
    """The refusal of a control that is hidden or disabled by its own report; None for a usable one."""
    if not target.states & {"showing", "visible"}:
        return TargetHidden(f"{target.describe} does not show", fix="open what it is in, or scroll to it")
    if "enabled" not in target.states:
        return TargetDisabled(f"{target.describe} is disabled", fix="find out what enables it, or wait")
    return None


async def with_final_states(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target, resolved again if its application's states were not final."""
    window = await front_window(desktop, call.need_window())
    if (await desktop.settle(window, until=Until.FINAL_STATES)).waited_s:
        return await desktop.resolve(target)
    return target


async def before(
    tools: ToolContext, call: Call, target: TargetInfo | None = None, *, window: TargetInfo | None = None
) -> Before:
    """Take the snapshot. To be called last, right before input is sent: every later change counts as effect.

    `target`: if it is not the call's own. `window`: of an action at a place in one, whichever is in front.
    """
    desktop, target = tools.desktop, target or call.target
    expected = call.expects.of(Request.of(call.command.parameters, target))
    windows = await desktop.windows()
    window = window or _window_of(call, target, windows)
    seen, fresh, shown, calm = call.command.seen, None, None, False
    restless: tuple[Rect, ...] | None = ()
    if window is not None and _needs_window(expected, target):
        seen = fresh = await try_last(desktop, window)
        activity = await desktop.activity(window)
        shown, calm = _untouched(call.command.seen, seen, activity), activity.is_calm
        restless = activity.restless
    if is_readable(target):
        target = await _present(desktop, expected, target, window, fresh)
    file = None if expected.own else _file_of(desktop, call.window, windows, seen)
    if file is None or not (file.path or expected.saves_unknown):
        expected = replace(expected, saves=False)
    writing = await _writing(desktop, _text_of(expected, target, seen), seen) if expected.caret else ()
    behind = await _behind(desktop, window, windows, expected)
    mark = await desktop.paint_mark(window)
    before = Before(windows, target, seen, window, mark, tools.effect_hold_s, expected, shown, calm)
    return replace(before, writing=writing, file=file, behind=behind, at=anyio.current_time(), restless=restless)


async def _present(
    desktop: Desktop,
    expected: ExpectedEffect,
    target: TargetInfo,
    window: TargetInfo | None,
    fresh: Observation | None,
) -> TargetInfo:
    """The target as its window was just seen, where any change counts: its effect is looked for there too; else as it
    is read alone. Raises: as `read_if_there`.
    """
    now = fresh.find(target.handle) if fresh is not None and expected.is_any_change else None
    if now is not None:
        return now.identified_as(target)
    return await read_if_there(desktop, target, window) or target


def _needs_window(expected: ExpectedEffect, target: TargetInfo | None) -> bool:
    """True if changes in the window count, as also of a toolbar's field, which may filter a list."""
    return expected.is_in_window or (target is not None and is_in_toolbar(target))


async def _behind(
    desktop: Desktop, window: TargetInfo | None, windows: tuple[TargetInfo, ...], expected: ExpectedEffect
) -> Observation | None:
    """The window that a dialog belongs to, if any change counts."""
    if window is None or window.type is not Role.DIALOG or not expected.is_any_change or expected.saves:
        return None
    owner = next((each for each in windows if each.handle == window.parent), None)
    return await try_last(desktop, owner) if owner else None


def _text_of(expected: ExpectedEffect, target: TargetInfo | None, seen: Observation | None) -> TargetInfo | None:
    """The target, or for a drag the innermost control where it begins."""
    if expected.dragged is None or seen is None:
        return target
    start = expected.dragged[0].on(seen.window.rect)
    return next((control for control in reversed(seen.controls) if control.rect.contains(start)), None)


async def _writing(desktop: Desktop, target: TargetInfo | None, seen: Observation | None) -> tuple[Writing, ...]:
    """The target, or else the controls that report the keyboard: those of them that have a text.

    An editor of a page has the keyboard, and its paragraphs, which do not report it, the caret.
    """
    focused = [control for control in seen.controls if control.states >= _FOCUS] if seen else []
    controls = [target] if target else [part for each in focused[-_MOST_FOCUSED:] for part in _parts(each, seen)]
    carets = [(control, await caret_of(desktop, control)) for control in controls]
    return tuple(Writing(control, caret) for control, caret in carets if caret)


def _parts(control: TargetInfo, seen: Observation | None) -> list[TargetInfo]:
    """The editable paragraphs inside a control with the keyboard, then the control itself."""
    inside = seen.inside_of(control) if seen and control.type not in _WRITTEN_IN else []
    written = [part for part in inside if part.type in _WRITTEN_IN and "editable" in part.states]
    return [*written[:_MOST_WRITTEN_IN], control]


async def caret_of(desktop: Desktop, control: TargetInfo) -> Caret | None:
    """The caret of a text; None if it has none, or cannot be read."""
    try:
        return await desktop.caret(control)
    except UNREADABLE:
        return None


def is_readable(target: TargetInfo | None) -> TypeGuard[TargetInfo]:
    """True for a control of the accessibility tree, which reports its own states and value."""
    return target is not None and target.kind is TargetKind.CONTROL and not target.sighting


def _file_of(
    desktop: Desktop, root: TargetInfo | None, windows: tuple[TargetInfo, ...], seen: Observation | None
) -> FileBefore | None:
    if root is None:
        return None
    root = next((window for window in windows if same_window(window, root)), root)
    shown = desktop.file_of(root)
    path = _named_in(seen) or shown.path
    if path is None:
        return FileBefore(root, why=shown.why, unsaved=_unsaved(root, seen))
    return FileBefore(root, path, "", stamp_of(path), _unsaved(root, seen), desktop.is_writing(root, path))


def _named_in(seen: Observation | None) -> Path | None:
    """The whole path in the field of a file dialog, if one was observed."""
    if seen is None or seen.window.type is not Role.DIALOG:
        return None
    fields = [control.value for control in seen.controls if control.type is Role.TEXTBOX]
    return next((Path(value) for value in fields if value.startswith("/") and not value.endswith("/")), None)


def _unsaved(window: TargetInfo, seen: Observation | None) -> bool | None:
    """True if the title marks unsaved changes; False without a mark if the program makes one, or if its button `Save`
    is disabled; else None.
    """
    if is_marked_unsaved(window.name):
        return True
    saves = [c for c in seen.controls if c.type is Role.BUTTON and comparable_name(c.name) == "Save"] if seen else []
    disabled = bool(saves) and all("enabled" not in control.states for control in saves)
    return False if disabled or Trait.MARKS_UNSAVED in window.traits else None


def _untouched(shown: Observation | None, seen: Observation | None, activity: Activity) -> Observation | None:
    """The caller's observation, if no action followed it: its differences from `seen` are background changes."""
    if shown is None or seen is None or not same_window(shown.window, seen.window):
        return None
    return shown if shown.at_s > activity.acted_at_s else None


def _window_of(call: Call, target: TargetInfo | None, windows: tuple[TargetInfo, ...]) -> TargetInfo | None:
    """The window in which an effect is expected: the target's, else the front one of the application."""
    owner = target.fingerprint.owner if target and target.fingerprint else ""
    if (own := next((window for window in windows if owner and window.handle == owner), None)) is not None:
        return own
    if call.window is None:
        return None
    try:
        return front_of(call.window, windows)
    except ApplicationGone:
        return None


async def try_observe(desktop: Desktop, window: TargetInfo) -> Observation | None:
    try:
        return await desktop.observe(window, picture=False)
    except UNREADABLE:
        return None


async def try_last(desktop: Desktop, window: TargetInfo) -> Observation | None:
    """As `try_observe`, but the last observation where nothing changed since."""
    try:
        return await last_or_observed(desktop, window)
    except UNREADABLE:
        return None


async def read_back(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """Resolve the target by its handle alone: an action may change the controls around it and its window's title.

    It does not wait until its application has reported all changes. Raises: ElementStale, AmbiguousTarget,
    ApplicationGone, ApplicationUnresponsive.
    """
    now = await desktop.resolve(replace(target, fingerprint=None))
    return replace(now, fingerprint=target.fingerprint)


async def read_if_there(desktop: Desktop, target: TargetInfo, window: TargetInfo | None) -> TargetInfo | None:
    """The current target, also under another name; None if it is gone. Raises: as `read_back`, except for that."""
    try:
        return await read_back(desktop, target)
    except (ElementStale, AmbiguousTarget):
        seen = await desktop.observe(window, picture=False) if window else None
        return seen.find(target.handle) if seen else None


async def painted_outside(desktop: Desktop, mark: float, window: TargetInfo, places: Iterable[Rect]) -> bool:
    """True if a window was repainted anywhere outside of these places and their halo."""
    return bool(await desktop.painted_since(mark, window, *outside_of(window, places)))


def outside_of(window: TargetInfo, places: Iterable[Rect]) -> list[Rect]:
    left = [window.rect]
    for place in places:
        left = [rest for part in left for rest in part.minus(place.grown(_HALO))]
    return left
