"""The clean state of a private desktop: its own processes and files, to which a reset returns."""

import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread

from deskhand.core.errors import ResetFailed
from deskhand.desktop.linux.runtime.guardian import descendants, remove, remove_document_locks
from deskhand.desktop.linux.runtime.home import Folders, prepare_home
from deskhand.desktop.linux.runtime.libreoffice_profile import pipe
from deskhand.desktop.processes import PARENT, ProcessId, identify, marked, stat_fields, wait_until_gone

_GRACE_S: Final = 0.5
"""Time for programs that are asked to end, as at the end of a desktop."""
_KILL_S: Final = 5.0
_MANAGER: Final = "openbox"
"""It may have been started again since: it is known by its name, as a child of the guardian."""


@dataclass(frozen=True, slots=True)
class CleanState:
    """The processes of a desktop that has no program yet, and the names in its folders.

    `mark`: of its processes; `guardian`: their ancestor; `caller`: the environment that its home is made from.
    """

    places: Folders
    mark: str
    guardian: ProcessId
    caller: Mapping[str, str]
    processes: frozenset[ProcessId]
    names: frozenset[str]

    @classmethod
    def of(cls, places: Folders, mark: str, guardian: ProcessId, caller: Mapping[str, str]) -> "CleanState":
        """Return the present state. Raises: OSError."""
        processes = frozenset(filter(None, map(identify, descendants(guardian.pid))))
        names = frozenset(path.name for folder in _own(places) for path in folder.iterdir())
        return cls(places, mark, guardian, dict(caller), processes, names)

    async def end_programs(self) -> None:
        """End all other processes: those that do not end when they are asked are killed. Raises: ResetFailed."""
        await self._end(signal.SIGTERM, _GRACE_S)
        with anyio.move_on_after(_KILL_S):
            while await self._end(signal.SIGKILL, _KILL_S):
                pass
            return
        left = "; ".join(sorted(map(_described, await to_thread.run_sync(self._programs))))
        raise ResetFailed(f"programs of the desktop did not end: {left}", fix="open a new desktop")

    async def restore_files(self) -> None:
        """Make the home folder and the folder for temporary files anew. Raises: OSError."""
        await to_thread.run_sync(self._restore_files)

    async def _end(self, number: signal.Signals, wait_s: float) -> bool:
        """Send a signal to all programs and wait for their ends; False if there were none."""
        programs = await to_thread.run_sync(self._programs)
        for program in programs:
            with suppress(PermissionError):  # it is reported as left
                program.send(number)
        with anyio.move_on_after(wait_s):
            async with anyio.create_task_group() as group:
                for program in programs:
                    group.start_soon(wait_until_gone, program)
        return bool(programs)

    def _programs(self) -> set[ProcessId]:
        """Return the processes that the desktop did not have when it was clean."""
        pids = descendants(self.guardian.pid) | marked(self.mark)
        found = set(filter(None, map(identify, pids))) - self.processes
        return {process for process in found if process.alive and not self._is_manager(process.pid)}

    def _is_manager(self, pid: int) -> bool:
        try:
            is_named = Path(f"/proc/{pid}/comm").read_text() == f"{_MANAGER}\n"
            return is_named and int(stat_fields(Path(f"/proc/{pid}/stat").read_bytes())[PARENT]) == self.guardian.pid
        except OSError:
            return False

    def _restore_files(self) -> None:
        remove_document_locks(str(self.places.directory))
        strange = [path for folder in _own(self.places) for path in folder.iterdir() if path.name not in self.names]
        remove([*map(str, (self.places.home, self.places.temporary, pipe(self.places.office_profile), *strange))])
        for listed in (self.places.documents, self.places.exits):
            listed.unlink(missing_ok=True)
        self.places.temporary.mkdir(mode=0o700)
        prepare_home(self.places, self.caller)


def _own(places: Folders) -> tuple[Path, Path]:
    """Return the folders that have files of the desktop itself, and others."""
    return places.runtime, places.logs


def _described(process: ProcessId) -> str:
    try:
        name = Path(f"/proc/{process.pid}/comm").read_text().strip()
    except OSError:
        name = "a process"
    return f"{name} ({process.pid})"
