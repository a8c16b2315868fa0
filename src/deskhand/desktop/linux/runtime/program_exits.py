"""Exits of the programs behind windows."""

import os
from collections.abc import Iterable
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.notifier import Pulse
from deskhand.desktop.linux.runtime.launcher import Programs, how_it_ended
from deskhand.desktop.processes import ProcessId, identify
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus

_TOLD_S: Final = 1.0
"""Seconds until the end of a program that we started is known here."""


class ProgramExits:
    """Records the process of each window, and the session that started it, for when it is gone.

    The exit code is that of the session's first process, as a start script passes it on.
    """

    def __init__(self, programs: Programs, pulse: Pulse) -> None:
        self._programs = programs
        self._pulse = pulse
        self._seen: dict[int, tuple[ProcessId, ProcessId | None]] = {}

    def note(self, windows: Iterable[TargetInfo]) -> None:
        """Record the processes of open windows."""
        for window in windows:
            if window.pid is not None and window.pid not in self._seen:
                process = identify(window.pid)
                if process is not None:
                    self._seen[window.pid] = process, _leader_of(window.pid)

    async def status(self, window: TargetInfo) -> ProgramStatus:
        """Return the state of a window's program."""
        seen = self._seen.get(window.pid) if window.pid is not None else None
        if seen is None:
            return ProgramStatus(ProgramState.UNKNOWN)
        process, leader = seen
        if process.alive:
            return ProgramStatus(ProgramState.RUNS)
        if leader is None or await self._pulse.until(lambda: _ended(leader), _TOLD_S) is None:
            return ProgramStatus(ProgramState.UNKNOWN)
        code = await self._pulse.until(lambda: self._code(leader.pid), _TOLD_S)
        if code is None:
            return ProgramStatus(ProgramState.UNKNOWN)
        return ProgramStatus(ProgramState.DIED, how_it_ended(code)) if code else ProgramStatus(ProgramState.ENDED)

    async def _code(self, pid: int) -> int | None:
        return self._programs.exited(pid)


async def _ended(leader: ProcessId) -> bool:
    return not leader.alive


def _leader_of(pid: int) -> ProcessId | None:
    try:
        return identify(os.getsid(pid))
    except OSError:
        return None
