"""The checks and the snapshot right before an action: its target is usable, its effect can be read (contract 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deskhand.commands.catalogue import Call, ToolContext
from deskhand.commands.expectation import ANYTHING, About, Asked, Opens
from deskhand.commands.window_lookup import front_window
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
from deskhand.core.file_stamp import Stamp, stamp_of
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait, comparable_name, is_marked_unsaved, same_window
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Activity, Until

WAIT_S: Final = 2.0
"""How long a target that is hidden, disabled, covered or moving is waited for before it is refused."""

UNREADABLE: Final = (
    ActionDeadline,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    ElementStale,
)
"""Whatever keeps a window or a control from being read."""


@dataclass(frozen=True, slots=True)
class FileBefore:
    """The file that the call's window shows, or that a file dialog over it names; `path` None where neither is known,
    and `why`.

    `unsaved`: whether it had unsaved changes; None where the window does not say. `kept_open`: its program had it open
    to write already, as LibreOffice has what it locks.
    """

    window: TargetInfo
    path: Path | None = None
    why: str = ""
    stamp: Stamp | None = None
    unsaved: bool | None = None
    kept_open: bool = False

    def stamp_now(self) -> Stamp | None:
        """The file as it is now; None where it is not known, or not there."""
        return stamp_of(self.path) if self.path else None

    def window_now(self, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        """The window as it is now; None where it is gone."""
        return next((window for window in windows if same_window(window, self.window)), None)


@dataclass(frozen=True, slots=True)
class Before:
    """What stood right before an action, and what its effect has to be about.

    `seen`: the window in front; None where it was not looked at or tells nothing. `mark`: what was painted before it
    does not count. `shown`: the same window earlier, where nothing was done to it in between. `calm`: nothing
    in it changes by itself all the time. `stirred`: something changed as the pointer came, before what stood then.
    `file`: that of the call's window, where what is done may save it.
    """

    windows: tuple[TargetInfo, ...]
    target: TargetInfo | None
    seen: Observation | None
    window: TargetInfo | None = None
    mark: float | None = None
    hold_s: float = 0.0
    about: About = ANYTHING
    shown: Observation | None = None
    calm: bool = False
    stirred: bool = False
    file: FileBefore | None = None


async def require_usable(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target once it can be used, where that comes within `WAIT_S`, and what it says is so now; else as it was
    given.

    Raises: TargetDisabled, TargetHidden where it cannot take an action; ElementStale and what else `resolve` raises.
    """
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


def unusable(target: TargetInfo) -> ActionRefused | None:
    """Why a control can take no action at all, as it says itself."""
    if not target.states & {"showing", "visible"}:
        return TargetHidden(f"{target.describe} does not show", fix="open what it is in, or scroll to it")
    if "enabled" not in target.states:
        return TargetDisabled(f"{target.describe} is disabled", fix="find out what enables it, or wait")
    return None


async def with_final_states(desktop: Desktop, call: Call, target: TargetInfo) -> TargetInfo:
    """The target, looked at again once the application's states are final, where they were not."""
    window = await front_window(desktop, call.need_window())
    if (await desktop.settle(window, until=Until.FINAL_STATES)).waited_s:
        return await desktop.resolve(target)
    return target


async def before(
    tools: ToolContext, call: Call, target: TargetInfo | None = None, *, window: TargetInfo | None = None
) -> Before:
    """What stands now. To be asked last, right before something is sent: what changes from now on counts as effect.

    `target`: where it is another than the call's own. `window`: where it is acted on a place in one, whatever is in
    front.
    """
    desktop, target = tools.desktop, target or call.target
    wanted = call.expects.of(Asked.of(call.command.parameters, target))
    windows = await desktop.windows()
    window = window or await _window_of(desktop, call, target, windows)
    if target is not None and target.kind is TargetKind.CONTROL and not target.sighting:
        target = await read_if_there(desktop, target, window) or target
    seen, shown, calm = call.command.seen, None, False
    if window is not None and (not wanted.own or wanted.opens is not Opens.NOTHING):
        seen = await look_at(desktop, window)
        activity = await desktop.activity(window)
        shown = _left_alone(call.command.seen, seen, activity)
        calm = activity.is_calm
    file = None if wanted.own or call.window is None else _file_of(desktop, call.window, windows, seen)
    if file is None or (file.path is None and call.command.tool_name != "keyboard_input"):
        wanted = replace(wanted, saves=False)  # a button of a window of which no file is known may save anything
    mark = await desktop.paint_mark()
    return Before(windows, target, seen, window, mark, tools.effect_hold_s, wanted, shown, calm, file=file)


def _file_of(
    desktop: Desktop, root: TargetInfo, windows: tuple[TargetInfo, ...], seen: Observation | None
) -> FileBefore:
    root = next((window for window in windows if same_window(window, root)), root)
    shown = desktop.file_of(root)
    path = _named_in(seen) or shown.path
    if path is None:
        return FileBefore(root, why=shown.why, unsaved=_unsaved(root, seen))
    return FileBefore(root, path, "", stamp_of(path), _unsaved(root, seen), desktop.is_writing(root, path))


def _named_in(seen: Observation | None) -> Path | None:
    """The whole path that stands in the field of a file dialog, where that is what is seen."""
    if seen is None or seen.window.type is not Role.DIALOG:
        return None
    fields = [control.value for control in seen.controls if control.type is Role.TEXTBOX]
    return next((Path(value) for value in fields if value.startswith("/") and not value.endswith("/")), None)


def _unsaved(window: TargetInfo, seen: Observation | None) -> bool | None:
    """True if the title marks unsaved changes; False without a mark where the program makes one, or where its button
    `Save` is disabled; else None.
    """
    if is_marked_unsaved(window.name):
        return True
    saves = [c for c in seen.controls if c.type is Role.BUTTON and comparable_name(c.name) == "Save"] if seen else []
    disabled = bool(saves) and all("enabled" not in control.states for control in saves)
    return False if disabled or Trait.MARKS_UNSAVED in window.traits else None


def _left_alone(shown: Observation | None, seen: Observation | None, activity: Activity) -> Observation | None:
    """What the agent saw, where what is different by now is so by itself."""
    if shown is None or seen is None or not same_window(shown.window, seen.window):
        return None
    return shown if shown.at_s > activity.acted_at_s else None


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


async def look_at(desktop: Desktop, window: TargetInfo) -> Observation | None:
    try:
        return await desktop.observe(window, picture=False)
    except UNREADABLE:
        return None


async def read_back(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """The target by its handle alone: by what it does, what stands around it and its window's name may change.

    It is not waited until its application has told all it shows. Raises: ElementStale, AmbiguousTarget,
    ApplicationGone, ApplicationUnresponsive.
    """
    now = await desktop.resolve(replace(target, fingerprint=None))
    return replace(now, fingerprint=target.fingerprint)


async def read_if_there(desktop: Desktop, target: TargetInfo, window: TargetInfo | None) -> TargetInfo | None:
    """The target as it is now, also under another name; None where it is gone. Raises: as `read_back`, but for that."""
    try:
        return await read_back(desktop, target)
    except (ElementStale, AmbiguousTarget):
        seen = await desktop.observe(window, picture=False) if window else None
        return seen.find(target.handle) if seen else None
