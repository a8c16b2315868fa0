"""One writer at a time: a lock file that the system releases when its holder dies."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import StoreBusy
from deskhand.store.atomic_files import store_error

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_ASK_AGAIN_S: Final = 0.01
_HELD = (BlockingIOError, PermissionError)  # errors on POSIX and Windows for a lock held by another process


class FileLock:
    """An exclusive lock held from construction until `release` or the end of the process, however it ends."""

    def __init__(self, path: Path, *, whose: str) -> None:
        """Raises: StoreBusy if another holder (in this process or another) has it, StoreError if it fails."""
        try:
            self._file = path.open("ab")
        except OSError as error:
            raise store_error("create the lock", path, error) from error
        try:
            _take(self._file.fileno())
        except _HELD as error:
            self._file.close()
            raise StoreBusy(
                f"{_holder(path)} already holds {whose} ({path}).",
                fix="Wait until that process has ended. A new session can have another folder, with --out.",
            ) from error
        except OSError as error:
            self._file.close()
            raise store_error("take the lock", path, error) from error
        with suppress(OSError):  # it only names the holder in messages
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())
            self._file.flush()

    def release(self) -> None:
        """Release the lock; twice is harmless. The file stays, as its removal would race with the next holder."""
        self._file.close()


def _holder(path: Path) -> str:
    """Return the process that wrote its number into a lock file, as a noun."""
    try:
        number = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        number = ""
    return f"Process {number}" if number.isdecimal() else "Another writer"


async def lock_when_free(path: Path, *, whose: str, patience_s: float) -> FileLock:
    """Take the lock when another holder has released it. Raises: StoreBusy after `patience_s`, StoreError."""
    end = monotonic() + patience_s
    while True:
        try:
            return FileLock(path, whose=whose)
        except StoreBusy:
            if monotonic() >= end:
                raise
        await anyio.sleep(_ASK_AGAIN_S)
