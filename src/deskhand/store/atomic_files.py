"""Atomic writing of files, and the wording of file errors."""

import errno
import os
import tempfile
from pathlib import Path

from deskhand.core.errors import StoreError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})

_NEW = "A new session can have another folder, with --out."
FIX_FULL = f"Free some space on that file system. {_NEW}"
FIX_FORBIDDEN = f"Make that folder writable. {_NEW}"
FIX_BROKEN = f"Check the disk that holds this folder: is it full, what does the kernel log say? {_NEW}"


def store_error(doing: str, path: Path, error: OSError) -> StoreError:
    """Error for the user from an `error` that occurred while `doing` something ("write the picture") to `path`."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return StoreError(f"Could not {doing} {path}: the disk is full ({reason}).", fix=FIX_FULL)
    if error.errno in _FORBIDDEN:
        return StoreError(f"Could not {doing} {path}: {reason}.", fix=FIX_FORBIDDEN)
    return StoreError(f"Could not {doing} {path}: {reason}.", fix=FIX_BROKEN)


def make_folder(path: Path, *, private: bool = False) -> None:
    """Make the folder and those above it. `private`: accessible to its owner alone if it is new. Raises: StoreError."""
    try:
        path.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    except OSError as error:
        raise store_error("create the folder", path, error) from error


def write_atomic(
    path: Path, data: bytes, *, doing: str = "write", private: bool = False, umask: int | None = None
) -> None:
    """Write `data` to `path`, so that a reader sees the old file or the whole new one, never a part. `private`: for its
    owner alone, independent of the `umask`, by default that of this process.

    Nothing is flushed to the disk platter: these files explain a session, the journal is its record.
    Raises: StoreError; then no temporary file is left.
    """
    make_folder(path.parent)
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.chmod(0o600 if private else 0o666 & ~(_umask() if umask is None else umask))
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise store_error(doing, path, error) from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
