"""Copy of a task's folder, as it grows on a node: the journal record by record, other files whole, in pieces."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import Final, TypeAlias

from deskhand.core.errors import StoreError
from deskhand.core.ports import Clock
from deskhand.store.atomic_files import make_folder, store_error
from deskhand.store.journal import JOURNAL_STEM
from deskhand.store.journal_copy import JournalCopy, JournalRecord, records_after

PIECE_BYTES: Final = 1 << 20
_UPDATE_BYTES: Final = 8 << 20
_DESKTOP: Final = "desktop"
"""Folders in the log whose names begin with it are the homes of running programs."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file; `path` is relative to the folder. `last`: the file is complete."""

    path: str
    offset: int
    data: bytes
    last: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """A file that was copied and is gone."""

    path: str


@dataclass(frozen=True, slots=True)
class Records:
    """New records of the journal."""

    records: tuple[JournalRecord, ...]


Change: TypeAlias = Piece | Removed | Records


@dataclass(slots=True)
class FolderTail:
    """The changes of a folder since they were last asked for. `log`: name of the folder of its journal. `is_behind`:
    there were more than one answer takes.
    """

    folder: Path
    log: str
    is_behind: bool = False
    _last: int = 0
    _sent: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, tuple[int, int, int]])
    _rest: Iterator[Piece] = field(default_factory=lambda: iter(()))

    def changes(self, *, ended: bool) -> list[Change]:
        """The next changes, some megabytes at most; empty: there are none. `ended`: nothing works there any more."""
        found: list[Change] = []
        with suppress(StoreError):  # being made, or damaged: the files are copied all the same
            if records := records_after(self.folder / self.log, self._last):
                self._last = records[-1].seq
                found.append(Records(tuple(records)))
        budget = _UPDATE_BYTES
        self.is_behind = False
        for piece in self._pieces(ended=ended):
            found.append(piece)
            budget -= len(piece.data) if isinstance(piece, Piece) else 0
            if budget <= 0:
                self.is_behind = True
                break
        return found

    def _pieces(self, *, ended: bool) -> Iterator[Piece | Removed]:
        for piece in self._rest:  # a `yield from` would end it where the caller takes no more for now
            yield piece
        there = dict(self._files(ended=ended))
        for path in [path for path in self._sent if path not in there]:
            del self._sent[path]
            yield Removed(path)
        for path, stamp in there.items():
            if self._sent.get(path) != stamp:
                self._sent[path] = stamp
                self._rest = _pieces_of(self.folder, path)
                for piece in self._rest:
                    yield piece

    def _files(self, *, ended: bool) -> Iterator[tuple[str, tuple[int, int, int]]]:
        for root, folders, names in os.walk(self.folder):
            place = Path(root)
            in_log = place == self.folder / self.log
            if in_log and not ended:
                folders[:] = [name for name in folders if not name.startswith(_DESKTOP)]
            for name in sorted(names):
                if in_log and name.startswith(JOURNAL_STEM):
                    continue
                with suppress(OSError):  # gone since
                    found = (place / name).lstat()
                    if S_ISREG(found.st_mode):
                        path = (place / name).relative_to(self.folder).as_posix()
                        yield path, (found.st_mtime_ns, found.st_size, found.st_ino)


def _pieces_of(folder: Path, path: str) -> Iterator[Piece]:
    """The file from its first to its last byte; nothing more where it cannot be read: it is gone, or was renamed."""
    with suppress(OSError), (folder / path).open("rb") as file:
        offset, data = 0, file.read(PIECE_BYTES)
        while True:
            following = file.read(PIECE_BYTES) if len(data) == PIECE_BYTES else b""
            yield Piece(path, offset, data, last=not following)
            if not following:
                return
            offset, data = offset + len(data), following


class FolderCopy:
    """Writes the changes of a folder into another one; a reader sees each file as it was or as it is, never a part."""

    def __init__(self, folder: Path, log: str, clock: Clock) -> None:
        self._folder = folder
        self._log = folder / log
        self._clock = clock
        self._journal: JournalCopy | None = None

    def take(self, change: Change) -> None:
        """Raises: StoreError."""
        match change:
            case Records():
                if self._journal is None:
                    self._journal = JournalCopy(self._log, self._clock)
                self._journal.append(change.records)
            case Piece():
                path = self._inside(change.path)
                try:
                    self._write(path, change)
                except OSError as error:
                    raise store_error("write", path, error) from error
            case Removed():
                with suppress(OSError):
                    path = self._inside(change.path)
                    path.unlink(missing_ok=True)
                    _part_of(path).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the copy of the journal; closing twice is harmless. Raises: StoreError."""
        if self._journal is not None:
            self._journal.close()

    def _inside(self, written: str) -> Path:
        """Raises: StoreError for a path that leads out of the folder."""
        path = Path(written)
        if path.is_absolute() or ".." in path.parts:
            raise StoreError(f"a node sent a file to {written}, which is not in the folder of its task")
        return self._folder / path

    def _write(self, path: Path, piece: Piece) -> None:
        make_folder(path.parent, private=path.is_relative_to(self._log))
        part = _part_of(path)
        with part.open("wb" if piece.offset == 0 else "r+b") as file:
            file.seek(piece.offset)
            file.write(piece.data)
        if piece.last:
            part.replace(path)


def _part_of(path: Path) -> Path:
    """The file in which a copy is collected until it is complete."""
    return path.with_name(f".{path.name[:200]}.part")
