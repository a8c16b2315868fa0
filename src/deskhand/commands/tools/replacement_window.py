"""The window that replaces one that is gone in the same program."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, data
from deskhand.commands.window_lookup import outermost
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus

_SOON_S: Final = 1.0
APPEARS_S: Final = 10.0
"""Timeout for a running program to show its next window, as after a log-in."""
_ENDS_S: Final = 0.3
"""A program whose last window is gone may be about to end, or crash: it is checked for this long."""
_QUIET_S: Final = 1.0
"""Waiting for a new window ends once a program with other windows has been quiet for this long."""


@dataclass(frozen=True, slots=True)
class Succession:
    """The windows after one is gone. `gone`: it is not listed any more; `window`: its replacement, None if there is
    none or it is ambiguous; `shown`: the windows of its program; `windows`: all open windows.
    """

    gone: bool
    window: TargetInfo | None
    program: ProgramStatus
    shown: tuple[TargetInfo, ...]
    windows: tuple[TargetInfo, ...]


class NextWindow(Arguments):
    """`known`: ids of the windows that were there before; `wait_s`: timeout for a new one."""

    known: list[str] = Field(default_factory=list)
    wait_s: float = Field(default=APPEARS_S, ge=0, le=60)


async def next_window(tools: ToolContext, call: Call, arguments: NextWindow) -> ToolOutcome:
    """The window that replaces one that is gone in the same program."""
    search = _Search(tools.desktop, call.need_window(), frozenset(arguments.known))
    return ToolOutcome(await search.run(arguments.wait_s))


@dataclass(frozen=True, slots=True)
class _Search:
    """Considers windows of the same process: a new one, else the owner of the gone window."""

    desktop: Desktop
    gone: TargetInfo
    known: Collection[str]

    async def run(self, wait_s: float) -> Succession:
        now = await self._now()
        if _is_decided(now) or (not wait_s and now.shown):
            return now
        if not wait_s:
            return await self.desktop.wait_until(self._decided, deadline_s=_ENDS_S) or await self._now()
        found = await self.desktop.wait_until(self._decided, deadline_s=min(_SOON_S, wait_s))
        if found is not None:
            return found
        shown = (await self._now()).shown
        if shown:
            await self.desktop.settle(shown[0], quiet_s=_QUIET_S, deadline_s=wait_s)
        else:
            await self.desktop.wait_until(self._decided, deadline_s=wait_s)
        return await self._now(new_only=False)

    async def _decided(self) -> Succession | None:
        now = await self._now()
        return now if _is_decided(now) else None

    async def _now(self, *, new_only: bool = True) -> Succession:
        windows = await self.desktop.windows()
        status = await self.desktop.program(self.gone)
        shown = tuple(window for window in windows if window.pid is not None and window.pid == self.gone.pid)
        gone = all(not same_window(window, self.gone) for window in windows)
        chosen = None
        if gone and status.state is ProgramState.RUNS:
            chosen = self._new(shown) or (None if new_only else self._owner(shown))
        return Succession(gone, chosen, status, shown, windows)

    def _new(self, shown: Sequence[TargetInfo]) -> TargetInfo | None:
        """The only new window, or owner of a new dialog; None if there are several."""
        new = [window for window in shown if window.handle not in self.known]
        outer = {window.handle: window for window in (outermost(window, shown) for window in new)}
        [found] = outer.values() if len(outer) == 1 else [None]
        may_be = found is not None and (found.handle not in self.known or found.handle == self.gone.parent)
        return found if may_be else None

    def _owner(self, shown: Sequence[TargetInfo]) -> TargetInfo | None:
        """The owner of the gone window, if there is no new window."""
        if any(window.handle not in self.known for window in shown):
            return None
        return next((window for window in shown if window.handle == self.gone.parent), None)


def _is_decided(now: Succession) -> bool:
    """True if waiting cannot change the result."""
    return not now.gone or now.window is not None or now.program.state is not ProgramState.RUNS


TOOLS = (data(NextWindow, next_window, deadline_s=75.0),)
