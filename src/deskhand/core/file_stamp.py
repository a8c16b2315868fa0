"""Stamp of a file that shows if it was written: its time, its size, and its inode."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Final

from deskhand.core.json import JsonValue

_LARGEST: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file at one moment. Programs that write another file and rename it change `inode`."""

    modified_ns: int
    size: int
    inode: int

    def to_list(self) -> list[JsonValue]:
        return [self.modified_ns, self.size, self.inode]


def stamp_of(path: Path) -> Stamp | None:
    """None if there is no such file, or the name is invalid."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino) if S_ISREG(found.st_mode) else None


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
