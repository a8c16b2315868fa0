"""Current targets and windows of a call: resolved again, listed, in front, and which window owns which."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.errors import ApplicationGone, ElementStale
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.protocols.desktop import Desktop

_REST_S: Final = 0.5
_CLOSES_S: Final = 1.0
_JUST_NOW_S: Final = 1.0
"""An observation of longer ago is made again, whatever was reported since."""
"""Timeout for a window whose content is gone to close."""


async def found(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """Resolve a target again. If it is gone, retry once its window is idle: during a new layout elements are missing.

    Raises: ElementStale, AmbiguousTarget, ApplicationGone, ApplicationUnresponsive.
    """
    try:
        return await desktop.resolve(target)
    except ElementStale:
        owner = target.fingerprint.owner if target.fingerprint else ""
        window = next((window for window in await desktop.windows() if window.handle == owner), None)
        if window is None:
            raise
    await desktop.settle(window, deadline_s=_REST_S)
    return await desktop.resolve(target)


async def listed(desktop: Desktop, window: TargetInfo) -> TargetInfo | None:
    """A window as listed now; None if it is gone."""
    return next((each for each in await desktop.windows() if same_window(each, window)), None)


async def front_window(desktop: Desktop, root: TargetInfo) -> TargetInfo:
    """The front window of an application: an open dialog of it, else its root window.

    Raises: ApplicationGone if the root window is gone.
    """
    return front_of(root, await desktop.windows())


def front_of(root: TargetInfo, windows: Sequence[TargetInfo]) -> TargetInfo:
    """As `front_window`, among the windows listed now."""
    present = next((w for w in windows if same_window(w, root)), None)
    if present is None:
        raise ApplicationGone(f'the window "{root.name}" is gone', fix="select another window or launch it again")
    return dialog_over(present, windows) or present


def dialog_over(root: TargetInfo, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    """The front dialog of a window, open in front of it; None without any."""
    for window in windows:
        if window.handle == root.handle:
            return None
        if window.type is Role.DIALOG and belongs(window, root, windows):
            return window
    return None


async def last_or_observed(desktop: Desktop, window: TargetInfo) -> Observation:
    """The last observation of a window, if it is of just now and nothing changed since; else a new one. Raises: as
    `Desktop.observe`.
    """
    return await desktop.unchanged(window, within_s=_JUST_NOW_S) or await desktop.observe(window, picture=False)


async def observe_front(desktop: Desktop, root: TargetInfo, *, picture: bool = False) -> Observation:
    """Observe the front window of an application; a dialog that closes meanwhile is followed by the next one.

    A program may remove the content of a dialog from accessibility before the X server removes its window.
    Raises: as `front_window`, `Desktop.observe`.
    """
    while True:
        window = await front_window(desktop, root)
        try:
            return await desktop.observe(window, picture=picture)
        except ApplicationGone:
            if same_window(window, root) or not await _closes(desktop, window):
                raise


async def _closes(desktop: Desktop, window: TargetInfo) -> bool:
    async def closed() -> bool | None:
        return True if await listed(desktop, window) is None else None

    return bool(await desktop.wait_until(closed, deadline_s=_CLOSES_S))


def belongs(window: TargetInfo, root: TargetInfo, windows: Sequence[TargetInfo]) -> bool:
    """True if a dialog belongs to this window or to a sibling dialog, following the chain of transient owners. If the
    chain ends at a dialog without an owner, the process decides.
    """
    of, own = outermost(window, windows), outermost(root, windows)
    if of.handle == own.handle:
        return True
    if Role.DIALOG not in {of.type, own.type}:
        return False
    return window.pid is not None and window.pid == root.pid


def outermost(window: TargetInfo, windows: Sequence[TargetInfo]) -> TargetInfo:
    """The last owner in the chain of transient windows; the window itself if it has none."""
    by_handle, passed = {each.handle: each for each in windows}, {window.handle}
    while (owner := by_handle.get(window.parent)) is not None and owner.handle not in passed:
        passed.add(owner.handle)
        window = owner
    return window
