"""Programs that were started here, and the state of those whose windows were seen."""

import ctypes
import os
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from ctypes import c_uint32
from typing import IO, Final

from deskhand.core.errors import LaunchFailed
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus
from deskhand.desktop.windows.win32 import dlls

_QUERY: Final = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_STILL_ACTIVE: Final = 259
_FIRST_EXCEPTION: Final = 0xC0000000
_OWN_GROUP: Final = 0x200  # CREATE_NEW_PROCESS_GROUP: our Ctrl+C is not theirs
_LINES: Final = 200


class Started:
    """A program that was started, with the end of its output."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        """Raises: LaunchFailed where it cannot be started."""
        try:
            self._process = subprocess.Popen(
                list(argv),
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                creationflags=_OWN_GROUP,
            )
        except OSError as error:
            raise LaunchFailed(
                f"{argv[0]} could not be started: {error.strerror or error}", fix="Give the path of a program."
            ) from error
        self.pid = self._process.pid
        self._lines = deque[str](maxlen=_LINES)
        if self._process.stdout is not None:
            threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, output: IO[bytes]) -> None:
        for line in output:
            self._lines.append(line.decode(errors="replace").rstrip())

    @property
    def failure(self) -> str:
        """Its failure in words; empty while it runs, and where it ended normally."""
        code = self._process.poll()
        return how_it_died(code) if code else ""

    @property
    def output(self) -> str:
        """The end of its output."""
        return "\n".join(self._lines)


class Processes:
    """Handles of the processes whose windows were seen, by which their end is known."""

    def __init__(self) -> None:
        self._handles: dict[int, int] = {}

    def note(self, pid: int | None) -> None:
        """Remember a process that runs."""
        if pid and pid not in self._handles and (handle := dlls.open_process(_QUERY, 0, pid)):
            self._handles[pid] = handle

    def status(self, pid: int | None) -> ProgramStatus:
        """Return the state of a process that was noted."""
        handle, code = self._handles.get(pid or 0), c_uint32()
        if not handle or not dlls.exit_code(handle, ctypes.byref(code)):
            return ProgramStatus(ProgramState.UNKNOWN)
        if code.value == _STILL_ACTIVE:
            return ProgramStatus(ProgramState.RUNS)
        if code.value:
            return ProgramStatus(ProgramState.DIED, how_it_died(code.value))
        return ProgramStatus(ProgramState.ENDED)

    def close(self) -> None:
        """Close the handles."""
        for handle in self._handles.values():
            dlls.close_handle(handle)
        self._handles.clear()


def how_it_died(code: int) -> str:
    """Return an exit code in words."""
    code &= 0xFFFFFFFF
    return f"exception {code:#010x}" if code >= _FIRST_EXCEPTION else f"exit code {code}"
