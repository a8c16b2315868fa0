"""A user takes the desktop of a session over, and hands it back: the agent learns what differs then."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.core.context import Context
from deskhand.core.errors import DeskhandError, UsageError
from deskhand.core.events import HandedBack, TakenOver
from deskhand.core.fences import harmless
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.change_lines import control_changes, first_lines, window_changes
from deskhand.perception.labels import Labeller

_FINISH_S: Final = 1.5
"""Time in which a running action may end by itself."""
_CUT_S: Final = 3.0
_LOOK_S: Final = 3.0
_MOST_CHANGES: Final = 20


@dataclass(frozen=True, slots=True)
class _Seen:
    """The windows, and the controls of the agent's own one: None if it has none, or it could not be read."""

    windows: tuple[TargetInfo, ...] = ()
    controls: tuple[TargetInfo, ...] | None = None


class TakeOver:
    """At most one user at a time has the desktop."""

    def __init__(self, desktop: Desktop, context: Context) -> None:
        self._desktop = desktop
        self._context = context
        self._lock = anyio.Lock()
        self._labeller = Labeller()
        self._before = _Seen()
        self._since = 0.0

    async def take(self, who: str) -> None:
        """Return when the agent sends nothing any more, and nothing of its is pressed. A running action ends first;
        one that takes long is cut short. Raises: DesktopBusy (another user has it).
        """
        guard, context = self._desktop.guard, self._context
        is_new = not guard.held_by
        guard.hold(who)
        async with self._lock:
            if is_new:
                self._since = context.clock.monotonic()
                context.events.emit(TakenOver(by=who, step=context.session_step))
            with anyio.move_on_after(_FINISH_S) as finishing:
                await guard.idle()
            if finishing.cancelled_caught:
                with anyio.move_on_after(_CUT_S):
                    await guard.cut_short()
            await self._release()
            if is_new:
                self._labeller = Labeller()
                self._before = await self._seen()

    async def hand_back(self, who: str, note: str = "") -> None:
        """Let the agent go on; its next step observes anew. Raises: UsageError (nobody has it)."""
        guard, context = self._desktop.guard, self._context
        async with self._lock:
            if not guard.held_by:
                raise UsageError("nobody has taken the desktop over", fix="the agent works; take it over first")
            await self._release()
            changes = self._changes(self._before, await self._seen())
            seconds = context.clock.monotonic() - self._since
            context.handed_back(_words(seconds, note, len(changes)))
            shown = first_lines(changes, _MOST_CHANGES)
            context.events.emit(
                HandedBack(by=who, note=note, changes=shown, seconds=seconds, step=context.session_step)
            )
            guard.hand_back()

    async def _release(self) -> None:
        """Release keys and buttons that the session's process has left down."""
        with suppress(DeskhandError):
            if (await self._desktop.left_down()).names:
                await self._desktop.let_go()

    async def _seen(self) -> _Seen:
        windows: tuple[TargetInfo, ...] = ()
        with suppress(DeskhandError), anyio.move_on_after(_LOOK_S):
            windows = tuple(await self._desktop.windows())
            root = getattr(self._context.acting, "root", None)
            if isinstance(root, TargetInfo):
                observed = await self._desktop.observe(root, picture=False)
                return _Seen(windows, self._labeller.label(observed))
        return _Seen(windows)

    def _changes(self, before: _Seen, now: _Seen) -> list[str]:
        """The differences, a line each."""
        lines = window_changes(before.windows, now.windows)
        if before.controls is not None and now.controls is not None:
            lines += control_changes(before.controls, now.controls)
        return lines


def _words(seconds: float, note: str, changes: int) -> str:
    """The words for the model: facts, and the user's note, but no texts from the screen."""
    said = f" The user says: {harmless(note)}" if note else ""
    seen = f"{changes} differences were seen" if changes else "no difference was seen"
    return (
        f"The user took the desktop over for {seconds:.0f} s and handed it back; {seen}.{said} "
        "Look at the screen as it is now: some of the work may be done, or be different."
    )
