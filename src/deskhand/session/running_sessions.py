"""The running processes that can be stopped: one file each, valid only while its process lives."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from deskhand.core.errors import StoreError
from deskhand.desktop.processes import ProcessId, boot_id, identify, wait_until_gone
from deskhand.store.atomic_files import write_atomic


class Running(BaseModel):
    """One running process. `id`: the session's, otherwise the process's; `desktop`: its name or display, as given.
    `folder`: the session's, otherwise empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    what: str
    desktop: str
    boot: str
    process: ProcessId
    folder: str = ""

    @property
    def alive(self) -> bool:
        return self.boot == boot_id() and self.process.alive


@contextmanager
def announced(
    what: str, session_id: str, desktop: str, *, pid: int | None = None, folder: Path | None = None
) -> Generator[None]:
    """Register a process, this one by default, with `running` for the duration; it is not registered where its file
    cannot be written. `folder`: the session's.
    """
    pid = pid or os.getpid()
    file = _folder() / f"{pid}-{session_id}.json"
    us = identify(pid)
    if us is not None:
        of_session = str(folder.absolute()) if folder else ""
        told = Running(id=session_id, what=what, desktop=desktop, boot=boot_id(), process=us, folder=of_session)
        with suppress(StoreError):
            write_atomic(file, told.model_dump_json().encode())
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def running() -> tuple[Running, ...]:
    """Return the user's running processes in the order of their start. Files of ended processes are removed."""
    found = [entry for file in sorted(_folder().glob("*.json")) if (entry := _read(file))]
    return tuple(sorted(found, key=lambda entry: entry.process.started))


async def stop(entry: Running, *, deadline_s: float) -> bool:
    """Stop a process; True if it ended before the deadline. Raises: PermissionError."""
    if not entry.process.send(signal.SIGTERM):
        return True
    with anyio.move_on_after(deadline_s):
        await wait_until_gone(entry.process)
    return not entry.process.alive


def _folder() -> Path:
    return platformdirs.user_state_path("deskhand", appauthor=False) / "running"


def _read(file: Path) -> Running | None:
    try:
        entry = Running.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        entry = None
    if entry is None or not entry.alive:
        file.unlink(missing_ok=True)
        return None
    return entry
