"""File of learned knowledge: sources, their passages, and a full-text index over these.

One SQLite file in WAL mode in the user's state folder: several sessions read it while one command adds to it. Learning
is one transaction: it is stored completely or not at all.
"""

import sqlite3
import threading
from array import array
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import platformdirs

from deskhand.core.errors import KnowledgeUnusable, StoreError
from deskhand.core.model import Passage
from deskhand.knowledge.passages import Piece
from deskhand.knowledge.query import any_of, words_of
from deskhand.knowledge.scopes import applies
from deskhand.store.atomic_files import FIX_FORBIDDEN, FIX_FULL, make_folder

APPLICATION_ID: Final = 0x44736B4B  # "DskK"
SCHEMA_VERSION: Final = 1
_BUSY_S: Final = 5.0
_MOST_RANKED: Final = 400
"""Passages that one search ranks, about; more only if a single word is in more of them."""
_SCHEMA: Final = """
CREATE TABLE applications (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    application INTEGER NOT NULL REFERENCES applications (id),
    location TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    learned_at REAL NOT NULL,
    UNIQUE (location, application)
) STRICT;
CREATE TABLE passages (id INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES sources (id)) STRICT;
CREATE INDEX passages_of_source ON passages (source);
CREATE TABLE vectors (
    passage INTEGER NOT NULL, embedder TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, passage)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5 (title, body, scope, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO texts (texts, rank) VALUES ('rank', 'bm25(3.0, 1.0, 0.0)');
"""


@dataclass(frozen=True, slots=True)
class Source:
    """A learned source. `location`: an absolute path, or `session:ID`; `application` empty: for all."""

    location: str
    kind: str
    application: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Learned:
    """A source as stored; `learned_at` in seconds since 1970."""

    source: Source
    passages: int
    learned_at: float


def knowledge_file() -> Path:
    """Path of the store: `$XDG_STATE_HOME/deskhand/knowledge.sqlite`."""
    return platformdirs.user_state_path("deskhand") / "knowledge.sqlite"


class KnowledgeStore:
    """Several readers and one writer at a time; one object takes one call at a time, from any thread."""

    def __init__(self, path: Path, *, busy_s: float = _BUSY_S) -> None:
        """Create the file if there is none. `busy_s`: timeout for another writer.

        Raises: KnowledgeUnusable, StoreError.
        """
        self.path = path
        self._guard = threading.Lock()
        make_folder(path.parent)
        with self._told("open"):
            self._connection = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closing twice is harmless."""
        with self._guard, self._told("close"):
            self._connection.close()

    def sources(self) -> tuple[Learned, ...]:
        """All sources, by location and application. Raises: KnowledgeUnusable."""
        rows = self._rows(
            "SELECT s.location, s.kind, a.name, s.digest, s.learned_at, count(p.id) FROM sources s"
            " JOIN applications a ON a.id = s.application LEFT JOIN passages p ON p.source = s.id"
            " GROUP BY s.id ORDER BY s.location, a.name"
        )
        return tuple(
            Learned(Source(location, kind, application, digest), count, at)
            for location, kind, application, digest, at, count in rows
        )

    def change(
        self, learned: Iterable[tuple[Source, Sequence[Piece]]], forgotten: Iterable[Source] = (), *, at: float
    ) -> None:
        """Replace sources of the same location and application, and drop others, in one transaction.

        `at`: seconds since 1970. Raises: KnowledgeUnusable, StoreError; then nothing has changed.
        """
        with self._transaction():
            for source in forgotten:
                self._drop(source)
            for source, pieces in learned:
                self._drop(source)
                self._add(source, pieces, at)

    def search(self, query: str, application: str = "", limit: int = 5) -> tuple[Passage, ...]:
        """The best passages by words, best first; `application` empty: any.

        Raises: KnowledgeUnusable.
        """
        words = words_of(query)
        if not words or limit < 1:
            return ()
        within = ""
        if application:
            scopes = " OR ".join(_scope(number) for number in self._applying(application))
            if not scopes:
                return ()
            within = f"scope : ({scopes}) AND "
        telling = self._telling(words, within)
        rows = self._rows(
            "SELECT s.kind, t.title, t.body, s.location, -t.rank FROM"
            " (SELECT rowid, title, body, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?) t"
            " JOIN passages p ON p.id = t.rowid JOIN sources s ON s.id = p.source ORDER BY t.rank",
            (_expression(telling, within), limit),
        )
        return tuple(Passage(*row) for row in rows)

    def _telling(self, words: Sequence[str], within: str) -> tuple[str, ...]:
        """The rarest of the words, in so few passages that ranking takes no time; at least one.

        A word in very many passages hardly distinguishes them; ranking them all would cost most.
        """
        counted: list[tuple[int, str]] = []
        for word in words:
            ((count,),) = self._rows(
                "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)",
                (_expression((word,), within), _MOST_RANKED),
            )
            if count:
                counted.append((count, word))
        counted.sort(key=lambda item: item[0])
        kept, together = list[str](), 0
        for count, word in counted:
            together += count
            if kept and together > _MOST_RANKED:
                break
            kept.append(word)
        return tuple(kept) or tuple(words[:1])

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Passages by their numbers, those that still exist. Raises: KnowledgeUnusable."""
        found: dict[int, Passage] = {}
        for number in ids:
            for row in self._rows(
                "SELECT s.kind, t.title, t.body, s.location FROM texts t JOIN passages p ON p.id = t.rowid"
                " JOIN sources s ON s.id = p.source WHERE t.rowid = ?",
                (number,),
            ):
                found[number] = Passage(*row)
        return found

    def without_vector(self, embedder: str, limit: int) -> list[tuple[int, str]]:
        """Passages without a vector of this embedder: number, and title with text. Raises: KnowledgeUnusable."""
        return self._rows(
            "SELECT p.id, t.title || char(10) || t.body FROM passages p JOIN texts t ON t.rowid = p.id"
            " WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.embedder = ? AND v.passage = p.id) LIMIT ?",
            (embedder, limit),
        )

    def add_vectors(self, embedder: str, vectors: Iterable[tuple[int, Sequence[float]]]) -> None:
        """Store vectors by passage number. Raises: KnowledgeUnusable, StoreError."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors (embedder, passage, vector) VALUES (?, ?, ?)",
                ((embedder, number, array("f", vector).tobytes()) for number, vector in vectors),
            )

    def vectors(self, embedder: str, application: str = "") -> list[tuple[int, "array[float]"]]:
        """Vectors of the passages that apply, by passage number. Raises: KnowledgeUnusable."""
        rows = self._rows(
            "SELECT v.passage, v.vector, s.application FROM vectors v JOIN passages p ON p.id = v.passage"
            " JOIN sources s ON s.id = p.source WHERE v.embedder = ?",
            (embedder,),
        )
        allowed = set(self._applying(application)) if application else None
        return [(number, array("f", blob)) for number, blob, scope in rows if allowed is None or scope in allowed]

    def _applying(self, application: str) -> list[int]:
        rows = self._rows("SELECT id, name FROM applications")
        return [number for number, name in rows if applies(name, application)]

    def _add(self, source: Source, pieces: Sequence[Piece], at: float) -> None:
        execute = self._connection.execute
        execute("INSERT OR IGNORE INTO applications (name) VALUES (?)", (source.application,))
        (application,) = execute("SELECT id FROM applications WHERE name = ?", (source.application,)).fetchone()
        number = execute(
            "INSERT INTO sources (application, location, kind, digest, learned_at) VALUES (?, ?, ?, ?, ?)",
            (application, _storable(source.location), source.kind, source.digest, at),
        ).lastrowid
        for piece in pieces:
            passage = execute("INSERT INTO passages (source) VALUES (?)", (number,)).lastrowid
            execute(
                "INSERT INTO texts (rowid, title, body, scope) VALUES (?, ?, ?, ?)",
                (passage, _storable(piece.title), _storable(piece.text), _scope(application)),
            )

    def _drop(self, source: Source) -> None:
        rows = self._connection.execute(
            "SELECT s.id FROM sources s JOIN applications a ON a.id = s.application"
            " WHERE s.location = ? AND a.name = ?",
            (_storable(source.location), source.application),
        ).fetchall()
        for (number,) in rows:
            for statement in (
                "DELETE FROM texts WHERE rowid IN (SELECT id FROM passages WHERE source = ?)",
                "DELETE FROM vectors WHERE passage IN (SELECT id FROM passages WHERE source = ?)",
                "DELETE FROM passages WHERE source = ?",
                "DELETE FROM sources WHERE id = ?",
            ):
                self._connection.execute(statement, (number,))

    def _rows(
        self, statement: str, values: Sequence[object] = ()
    ) -> list[tuple[Any, ...]]:  # Any: columns are of the types that the schema, which is strict, gives them
        with self._guard, self._told("read"):
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with self._guard, self._told("add to"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _prepare(self) -> None:
        execute = self._connection.execute
        if execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
            self._create()
        (application_id,), (version,) = (
            execute(f"PRAGMA {key}").fetchone() for key in ("application_id", "user_version")
        )
        if application_id != APPLICATION_ID:
            raise KnowledgeUnusable(
                f"{self.path} is a database, but not Deskhand's knowledge.", fix=f"Move {self.path} away."
            )
        if version > SCHEMA_VERSION:
            raise KnowledgeUnusable(
                f"{self.path} has format {version}; this program knows formats up to {SCHEMA_VERSION}.",
                fix="Use the version of Deskhand that wrote it, or a newer one.",
            )
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")

    def _create(self) -> None:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        try:
            if execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):  # no other process was faster
                for statement in _SCHEMA.strip().removesuffix(";").split(";\n"):
                    execute(statement)
                execute(f"PRAGMA application_id = {APPLICATION_ID}")
                execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                execute("ROLLBACK")
            raise

    @contextmanager
    def _told(self, doing: str) -> Generator[None]:
        """Translate SQLite's errors to errors for the user."""
        try:
            yield
        except sqlite3.Error as error:
            raise _told_of(doing, self.path, error) from error


def _told_of(doing: str, path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorname", "")  # absent where the sqlite3 module itself raised
    message = f"Could not {doing} the knowledge store {path}: {error}."
    if code.startswith("SQLITE_FULL"):
        return StoreError(message, fix=FIX_FULL)
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return StoreError(message, fix=FIX_FORBIDDEN)
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return KnowledgeUnusable(message, fix="Another deskhand is learning: try again when it has ended.")
    return KnowledgeUnusable(
        message, fix=f"The file is damaged: delete {path}, then learn again (deskhand learn PATH --app NAME)."
    )


def _expression(words: Sequence[str], within: str) -> str:
    return f"{within}{{title body}} : ({any_of(words)})"


def _scope(number: object) -> str:
    """Word of an application in the index."""
    return f"app{number}"


def _storable(text: str) -> str:
    """Names of files and texts of screens may contain lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")
