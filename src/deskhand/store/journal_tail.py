"""The events of a running session as they are written, without a word to its process."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from deskhand.core.errors import StoreError
from deskhand.core.events import Event
from deskhand.store.journal import (
    JOURNAL_NAME,
    NotReadableInPlace,
    connect_read_only,
    has_records,
    no_journal,
    parse_row,
    sqlite_error,
)

_NEW: Final = "SELECT seq, kind, v, body FROM events WHERE seq > ? ORDER BY seq"


class JournalTail:
    """Reads a journal from its first event on; each read returns what came since the one before."""

    def __init__(self, session_dir: Path) -> None:
        """Raises: StoreError if there is no journal."""
        self._path = session_dir / JOURNAL_NAME
        if not self._path.is_file():
            raise no_journal(self._path)
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._last = 0

    def read(self) -> list[Event]:
        """Return the new events. Raises: StoreError if it is damaged, or an event is of a newer version."""
        try:
            connection = self._connection or self._connected()
            (version,) = connection.execute("PRAGMA data_version").fetchone()
            if version == self._version or not has_records(connection, self._path):
                return []
            rows = connection.execute(_NEW, (self._last,)).fetchall()
        except NotReadableInPlace as error:
            raise StoreError(f"{self._path} cannot be followed", fix="its folder must be writable") from error
        except sqlite3.Error as error:
            raise sqlite_error("read", self._path, error) from error
        self._version = version
        if rows:
            self._last = rows[-1][0]
        return [parse_row(self._path, *row) for row in rows]

    def close(self) -> None:
        """Let go of the file."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _connected(self) -> sqlite3.Connection:
        self._connection = connect_read_only(self._path)
        return self._connection
