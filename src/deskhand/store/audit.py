"""Audit of a session's folder: does the hash chain of its journal hold, and are its files those that it names?"""

import hashlib
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from pydantic import ValidationError

from deskhand.core.errors import StoreError
from deskhand.core.events import FilesWritten, JournalMigrated
from deskhand.store.atomic_files import store_error
from deskhand.store.journal import (
    JOURNAL_NAME,
    format_of,
    has_records,
    is_held,
    no_journal,
    open_for_reading,
    sqlite_error,
)
from deskhand.store.record_chain import FIRST_PREVIOUS, record_hash

_END: Final = b"session_finished"
_AFTER_END: Final = b"problem_met"  # learning from a session that succeeded may still fail
_ROWS: Final = "SELECT seq, at, kind, v, body, hash FROM events ORDER BY seq"
_ROWS_WITHOUT_HASH: Final = "SELECT seq, at, kind, v, body, x'' FROM events ORDER BY seq"
_Row: TypeAlias = tuple[int, float, bytes, int, bytes, bytes]


class Verdict(StrEnum):
    INTACT = "intact"
    CHANGED = "changed"
    UNKNOWN = "unknown"


class Damage(StrEnum):
    CHANGED = "changed"
    REMOVED = "removed"
    INSERTED = "inserted"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first record that is not as the session wrote it; `detail` is a sentence about it.

    Of a removed record only `seq` is known; `kind` and `at` are then those of the record now in its place, if any.
    """

    damage: Damage
    seq: int
    kind: str
    at: float
    detail: str


@dataclass(frozen=True, slots=True)
class FileFault:
    """A file of the folder that is not the one that its record names."""

    path: str
    seq: int
    missing: bool

    @property
    def detail(self) -> str:
        happened = "is missing" if self.missing else "was changed"
        return f"The file {self.path} {happened}: record {self.seq} has its hash."


@dataclass(frozen=True, slots=True)
class Audit:
    """Result. `without_hashes`: records of an older format, whose fields nothing vouches for. `ended`: the session
    recorded its end. `expected_at`: the record with the expected hash, 0 without one or if no record has it.
    """

    records: int
    last_hash: str
    fault: Fault | None = None
    without_hashes: int = 0
    ended: bool = False
    running: bool = False
    expected: str = ""
    expected_at: int = 0
    last_seq: int = 0
    files: int = 0
    file_faults: tuple[FileFault, ...] = ()

    @property
    def _is_expected(self) -> bool:
        return self.expected_at > 0 and self.expected_at == self.last_seq

    @property
    def verdict(self) -> Verdict:
        if self.fault or (self.expected and not self._is_expected) or (self.file_faults and self.ended):
            return Verdict.CHANGED
        if self.without_hashes or self.file_faults:
            return Verdict.UNKNOWN
        return Verdict.INTACT if self.ended or self.running or self._is_expected else Verdict.UNKNOWN

    @property
    def findings(self) -> list[str]:
        """Sentences, the worst first; none if all is as the session wrote it."""
        found = [self.fault.detail] if self.fault else []
        if self.expected and not self._is_expected:
            found.append(self._told_expected())
        found += [fault.detail for fault in self.file_faults]
        if self.file_faults and not self.ended:
            found.append("The session did not record its end, and may have written files again before it stopped.")
        if self.without_hashes:
            found.append(
                f"Records 1 to {self.without_hashes} were written before there were hashes: they cannot be verified."
            )
        if not (self.fault or self.ended or self.running or self._is_expected):
            found.append(
                "The session did not record its end: it was stopped, or the last records were removed. "
                "Only a hash that was kept can tell (--expect)."
            )
        return found

    def _told_expected(self) -> str:
        if not self.expected_at:
            return "No record has the expected hash: the journal is another one, or all its hashes were computed anew."
        return f"The expected hash is that of record {self.expected_at}; records up to {self.last_seq} follow it."


@dataclass(slots=True)
class _Walk:
    """The part of a journal that was read so far."""

    expected: str = ""
    previous: bytes = FIRST_PREVIOUS
    seq: int = 0
    records: int = 0
    ended: bool = False
    expected_at: int = 0
    without_hashes: int = 0
    files: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])

    def take(self, row: _Row) -> None:
        """Take a record whose hash is right."""
        self.seq, _, kind, _, body, self.previous = row
        self.records += 1
        if kind != _AFTER_END:
            self.ended = kind == _END
        if self.previous.hex() == self.expected:
            self.expected_at = self.seq
        if kind == b"files_written":
            files = FilesWritten.model_validate_json(body).files
            self.files |= {path: (digest, self.seq) for path, digest in files.items()}
        elif kind == b"journal_migrated":
            self.without_hashes = JournalMigrated.model_validate_json(body).records


def audit(session_dir: Path, *, expect: str = "") -> Audit:
    """Verify a session's folder, also while it runs; `expect`: the hash that the last record must have, in hex.

    Changes nothing. Raises: StoreError if there is no journal, or it cannot be read.
    """
    path = session_dir / JOURNAL_NAME
    if not path.is_file():
        raise no_journal(path)
    running = False
    with suppress(StoreError):  # nothing can be written there, so no session of this user runs there
        running = is_held(session_dir)
    try:
        with open_for_reading(path) as connection:
            connection.text_factory = bytes  # damaged text is a finding, not an error
            connection.execute("BEGIN")  # one state of the journal for all queries
            found = _audit(connection, path, _Walk(expect.lower()), running=running)
    except sqlite3.Error as error:
        raise sqlite_error("read", path, error) from error
    except ValidationError as error:
        raise StoreError(f"A record of {path} has its hash, but cannot be read: {error.title}.") from error
    return found


def _audit(connection: sqlite3.Connection, path: Path, walk: _Walk, *, running: bool) -> Audit:
    if not has_records(connection, path):
        return Audit(0, "", running=running, expected=walk.expected)
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(events)")}
    fault = None
    if b"hash" not in columns:
        _walk_without_hashes(connection, walk)
    elif format_of(connection) > 1:
        fault = _walk_chain(connection, walk)
    else:
        fault = Fault(
            Damage.CHANGED, 0, "", 0.0, "The journal's format was changed to 1, whose records have no hashes."
        )
    faults = () if fault or running else tuple(_file_faults(path.parent, walk.files))
    return Audit(
        records=walk.records,
        last_hash="" if fault else walk.previous.hex(),
        fault=fault,
        without_hashes=walk.without_hashes,
        ended=walk.ended,
        running=running,
        expected=walk.expected,
        expected_at=walk.expected_at,
        last_seq=walk.seq,
        files=0 if fault or running else len(walk.files),
        file_faults=faults,
    )


def _walk_without_hashes(connection: sqlite3.Connection, walk: _Walk) -> None:
    for row in connection.execute(_ROWS_WITHOUT_HASH):
        walk.take(row)
    walk.without_hashes = walk.records


def _walk_chain(connection: sqlite3.Connection, walk: _Walk) -> Fault | None:
    with closing(connection.cursor()) as cursor:
        for row in cursor.execute(_ROWS):
            if row[0] != walk.seq + 1 or not _fits(walk.previous, row[0], row):
                return _diagnose(connection, walk, row, cursor.fetchone())
            walk.take(row)
    return None


def _fits(previous: bytes, seq: int, row: _Row) -> bool:
    """True if a record was written under number `seq` after the record with the hash `previous`."""
    _, at, kind, version, body, digest = row
    try:
        return len(previous) == 32 and record_hash(previous, seq, at, kind, version, body) == digest
    except (struct.error, TypeError):  # a field of another type than the journal's
        return False


def _diagnose(connection: sqlite3.Connection, walk: _Walk, row: _Row, following: _Row | None) -> Fault:
    """Find the damage at the first record that does not continue the chain."""
    seq, at, kind = row[0], row[1], row[2].decode("utf-8", "replace")
    due = walk.seq + 1
    told = f"Record {seq} ({kind}, {_moment(at)})"
    if seq > due:
        span = f"Record {due} is" if seq == due + 1 else f"Records {due} to {seq - 1} are"
        return Fault(Damage.REMOVED, due, kind, at, f"{span} missing before record {seq} ({kind}, {_moment(at)}).")
    original = _original_place(connection, row)
    if 0 < original < due:
        return Fault(Damage.INSERTED, seq, kind, at, f"{told} was inserted: it is a copy of record {original}.")
    if original:
        return Fault(Damage.MOVED, seq, kind, at, f"{told} was moved: it was written as record {original}.")
    if following is not None and _fits(walk.previous, due, following):
        return Fault(Damage.INSERTED, seq, kind, at, f"{told} was inserted: the record after it had its number.")
    if following is not None and _fits(row[5], seq + 2, following):
        detail = f"Record {due} is missing: the one that has its number now ({kind}, {_moment(at)}) came after it."
        return Fault(Damage.REMOVED, due, kind, at, detail)
    happened = "changed" if following is not None else "changed or added"
    return Fault(Damage.CHANGED, seq, kind, at, f"{told} was {happened}: its hash does not fit its content.")


def _original_place(connection: sqlite3.Connection, row: _Row) -> int:
    """Number under which a record was written, if the record before it still has its own hash; 0 if unknown."""
    hashes = dict(connection.execute("SELECT seq, hash FROM events ORDER BY seq"))
    for seq, digest in hashes.items():
        for written in (seq + 1, seq, seq + 2):
            if written != row[0] and _fits(digest, written, row):
                return written
    return 1 if _fits(FIRST_PREVIOUS, 1, row) else 0


def _file_faults(folder: Path, files: dict[str, tuple[str, int]]) -> Iterator[FileFault]:
    """Raises: StoreError for a file that cannot be read."""
    for name, (digest, seq) in files.items():
        path = folder / name
        try:
            if not path.is_file():
                yield FileFault(name, seq, missing=True)
                continue
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    yield FileFault(name, seq, missing=False)
        except OSError as error:
            raise store_error("read", path, error) from error


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError, TypeError):  # a changed time
        return "at an impossible time"
