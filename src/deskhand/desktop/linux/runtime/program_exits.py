"""Exits of the programs behind windows."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.runtime.launcher import Programs, how_it_ended
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.processes import ProcessId, identify
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus

_TOLD_S: Final = 1.0
"""Seconds until the end of a program that we started is known here."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The process of a window, the first process of its session, its program file and its folder.

    The files are empty where they cannot be read. `noted_at`: seconds since 1970 at which this was read.
    """

    process: ProcessId
    leader: ProcessId | None
    program: Path
    folder: Path
    noted_at: float

    @classmethod
    def of(cls, process: ProcessId) -> "Origin":
        program, folder = _link(process.pid, "exe"), _link(process.pid, "cwd")
        return cls(process, _leader_of(process.pid), program, folder, time.time())


class ProgramExits:
    """Records the process of each window, and the session that started it, for when it is gone.

    The exit code is that of the session's first process, as a start script passes it on.
    """

    def __init__(self, programs: Programs, pulse: Pulse) -> None:
        self._programs = programs
        self._pulse = pulse
        self._seen: dict[int, Origin] = {}

    def note(self, windows: Iterable[TargetInfo]) -> None:
        """Record the processes of open windows."""
        for window in windows:
            if window.pid is not None and window.pid not in self._seen:
                process = identify(window.pid)
                if process is not None:
                    self._seen[window.pid] = Origin.of(process)

    def origin(self, window: TargetInfo) -> Origin | None:
        """Return the process of a window as it was when the window was first listed."""
        return self._seen.get(window.pid) if window.pid is not None else None

    async def status(self, window: TargetInfo) -> ProgramStatus:
        """Return the state of a window's program."""
        seen = self.origin(window)
        if seen is None:
            return ProgramStatus(ProgramState.UNKNOWN)
        process, leader = seen.process, seen.leader
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


def _link(pid: int, name: str) -> Path:
    try:
        return Path(f"/proc/{pid}/{name}").readlink()
    except OSError:
        return Path()


def _leader_of(pid: int) -> ProcessId | None:
    try:
        return identify(os.getsid(pid))
    except OSError:
        return None
