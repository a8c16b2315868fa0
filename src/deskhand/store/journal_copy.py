"""A copy of a journal that grows elsewhere, in another folder or on another machine."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.errors import StoreError
from deskhand.store.journal import JOURNAL_NAME, Journal, has_records, open_for_reading, sqlite_error

_AFTER: Final = "SELECT seq, at, kind, v, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?"
_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One row of a journal; its hash follows from the rows before it."""

    seq: int
    at: float
    kind: str
    v: int
    body: str


def records_after(session_dir: Path, last: int) -> list[JournalRecord]:
    """The next records after the number `last`, at most some hundred. Raises: StoreError if they cannot be read."""
    path = session_dir / JOURNAL_NAME
    if not path.is_file():
        return []
    try:
        with open_for_reading(path) as connection:
            if not has_records(connection, path):
                return []
            return [JournalRecord(*row) for row in connection.execute(_AFTER, (last, _MOST))]
    except sqlite3.Error as error:
        raise sqlite_error("read", path, error) from error


class JournalCopy(Journal):
    """The copy; as long as it is open, the session in its folder counts as running."""

    def append(self, records: Iterable[JournalRecord]) -> None:
        """Write records as they are, all or none. Raises: StoreError."""
        with self._guard:
            if self._connection is None:
                raise StoreError(f"The journal {self.path} is closed; its copy ends here.")
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                for record in records:
                    self._chain.append(record.at, record.kind, record.v, record.body, seq=record.seq)
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise sqlite_error("write to", self.path, error) from error
