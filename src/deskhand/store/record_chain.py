"""The hash chain of a journal: each record has a SHA-256 over its own fields and the hash of the record before it.

A record that is changed, removed, inserted or moved is found, unless all later hashes are computed anew; that is found
by a hash that was kept elsewhere (decision 0120).
"""

import hashlib
import sqlite3
import struct
from typing import Final

FIRST_PREVIOUS: Final = hashlib.sha256(b"deskhand journal").digest()
"""The hash before the first record."""

TABLE: Final = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    v INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT
"""
_INSERT: Final = "INSERT INTO events (seq, at, kind, v, body, hash) VALUES (?, ?, ?, ?, ?, ?)"
_FIXED: Final = struct.Struct(">32sqdqI")


def record_hash(previous: bytes, seq: int, at: float, kind: bytes, version: int, body: bytes) -> bytes:
    """Hash of a record; `previous`: that of the record before it, 32 bytes."""
    return hashlib.sha256(_FIXED.pack(previous, seq, at, version, len(kind)) + kind + body).digest()


class Chain:
    """Appends records to the table `events`; begins after its last record. Not thread-safe."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Raises: sqlite3.Error."""
        self._connection = connection
        last = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        self._seq, self._hash = last or (0, FIRST_PREVIOUS)

    def append(self, at: float, kind: str, version: int, body: str, *, seq: int = 0) -> None:
        """Write a record, by default under the next number. Raises: sqlite3.Error; then nothing was written."""
        seq = seq or self._seq + 1
        digest = record_hash(self._hash, seq, at, kind.encode(), version, body.encode())
        self._connection.execute(_INSERT, (seq, at, kind, version, body, digest))
        self._seq, self._hash = seq, digest


def add_hashes(connection: sqlite3.Connection) -> tuple[Chain, int]:
    """Give the records of a journal of format 1 their hashes, in their order; return the chain and their number.

    Within the caller's transaction. Raises: sqlite3.Error.
    """
    connection.execute("ALTER TABLE events RENAME TO events_without_hashes")
    connection.execute(TABLE)
    chain, records = Chain(connection), 0
    for seq, at, kind, version, body in connection.execute(
        "SELECT seq, at, kind, v, body FROM events_without_hashes ORDER BY seq"
    ):
        chain.append(at, kind, version, body, seq=seq)
        records += 1
    connection.execute("DROP TABLE events_without_hashes")
    return chain, records
