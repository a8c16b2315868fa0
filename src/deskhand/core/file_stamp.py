"""Stamp of a file that shows if it was written: its time, its size, and its inode."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Final, TypeAlias

Stamps: TypeAlias = Mapping[str, Sequence[int] | None]
"""Files at one moment, by path: time in ns, size and inode; None for one that was not there."""

_LARGEST: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file at one moment. Programs that write another file and rename it change `inode`."""

    modified_ns: int
    size: int
    inode: int

    def to_list(self) -> list[int]:
        return [self.modified_ns, self.size, self.inode]


def stamp_of(path: Path) -> Stamp | None:
    """None if there is no such file, or the name is invalid."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino) if S_ISREG(found.st_mode) else None


def stamps_of(paths: Iterable[str]) -> dict[str, list[int] | None]:
    """Return files as they are now."""
    found = ((path, stamp_of(Path(path))) for path in paths)
    return {path: stamp.to_list() if stamp else None for path, stamp in found}


def was_written(path: str, before: Stamps) -> bool | None:
    """Return whether a file is there and was written since, whatever the clock did; None where it was not looked at."""
    if path not in before:
        return None
    then, now = before[path], stamp_of(Path(path))
    return now is not None and (then is None or now.to_list() != list(then))


def digest_of(path: Path) -> str | None:
    """A digest of a file's content; None if it cannot be read, or is too large to be read now and again."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None


def size_of(path: Path) -> int:
    """A file's size in bytes; 0 if there is no such file, or the name is invalid."""
    stamp = stamp_of(path)
    return stamp.size if stamp else 0
