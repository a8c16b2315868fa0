"""Journal of a session: every event, in order, written before the announced action happens.

One SQLite file in WAL mode, one row per event, one commit per event; the rows form a hash chain. A commit is a single
`write` to the log beside the file; measured at a few tens of microseconds (`tools/bench_store.py`), so `emit` may run
inside the event loop.
"""

import json
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Set
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, get_args

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from deskhand.core.errors import StoreBusy, StoreError
from deskhand.core.events import EVENTS, ActionFinished, ActionIntended, Event, JournalMigrated
from deskhand.core.ports import Clock
from deskhand.store.atomic_files import FIX_BROKEN, FIX_FORBIDDEN, FIX_FULL, make_folder, store_error
from deskhand.store.lock import FileLock
from deskhand.store.record_chain import TABLE, Chain, add_hashes

JOURNAL_STEM: Final = "journal."
"""Names of all files of a journal begin with it."""
JOURNAL_NAME: Final = "journal.sqlite"
_LOCK_NAME: Final = "journal.lock"
APPLICATION_ID: Final = 0x44736B48  # "DskH", so that `file` and we recognise our own
SCHEMA_VERSION: Final = 2
"""2: records have hashes. A journal of format 1 is read as it is; before something is added it gets them."""

_ROWS: Final = """
SELECT seq, kind, v, body FROM events
WHERE ?1 = '[]' OR kind IN (SELECT value FROM json_each(?1)) ORDER BY seq
"""
_FIX_NEWER = "Read it with the version of Deskhand that wrote it, or a newer one."
_BUSY_S = 5.0
_PAGES_BEFORE_FOLDING = 10_000  # 40 MB of log; see `_prepare`


class Journal:
    """Writer of a journal; implements `core.ports.EventSink`. One writer per journal, any number of readers.

    Opening an existing journal continues after its last event, in its hash chain. It contains typed passwords: it is
    readable by its owner alone, and so is a folder that is made for it.
    """

    def __init__(self, session_dir: Path, clock: Clock) -> None:
        """Raises: StoreError if the file cannot be made, is not a journal, is newer, or has a writer."""
        self.path = session_dir / JOURNAL_NAME
        self._clock = clock
        self._guard = threading.Lock()
        self._failure: StoreError | None = None
        make_folder(session_dir, private=True)
        self._lock = _lock(session_dir)
        try:
            self._connection: sqlite3.Connection | None
            self._connection, self._chain = _open_for_writing(self.path, clock)
        except sqlite3.Error as error:
            self._lock.release()
            raise sqlite_error("open", self.path, error) from error
        except StoreError:
            self._lock.release()
            raise

    def emit(self, event: Event) -> None:
        """Write an event; after the return it survives the death of this process, an intent also a power cut. Sets `at`
        if it is 0.

        After one that could not be written none is taken: those before it are all that happened.
        Raises: StoreError if it could not be written (full disk, read-only, I/O error) or the journal is closed.
        """
        stamped = event if event.at else event.model_copy(update={"at": self._clock.now()})
        body = _body(stamped)
        with self._guard:
            if self._connection is None:
                raise StoreError(f"The journal {self.path} is closed; {event.kind} was not written.")
            if self._failure is not None:
                raise self._failure
            try:
                _flush_commits(self._connection, at_once=isinstance(stamped, ActionIntended))
                self._chain.append(stamped.at, stamped.kind, stamped.v, body)
            except sqlite3.Error as error:
                self._failure = sqlite_error("write to", self.path, error)
                raise self._failure from error

    def close(self) -> None:
        """Merge the log into the file and release the lock. Closing twice is harmless."""
        with self._guard:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                connection.close()
            except sqlite3.Error as error:
                # The events are safe in the log beside the file; only the merge failed.
                raise sqlite_error("close", self.path, error) from error
            finally:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def is_held(session_dir: Path) -> bool:
    """True if a session is writing its journal in this folder. Raises: StoreError if that cannot be determined."""
    if not (session_dir / _LOCK_NAME).exists():
        return False
    try:
        _lock(session_dir).release()
    except StoreBusy:
        return True
    return False


@contextmanager
def held(session_dir: Path) -> Generator[None]:
    """Keep any session from writing its journal in this folder. Raises: StoreBusy if one does, StoreError."""
    lock = _lock(session_dir)
    try:
        yield
    finally:
        lock.release()


def _lock(session_dir: Path) -> FileLock:
    return FileLock(session_dir / _LOCK_NAME, whose="the journal of this session")


def is_journal(session_dir: Path) -> bool:
    """True if the folder has a journal of ours of any format, or an empty one; False also if that cannot be read."""
    try:
        with open_for_reading(session_dir / JOURNAL_NAME) as connection:
            (application_id,) = connection.execute("PRAGMA application_id").fetchone()
            if application_id == APPLICATION_ID:
                return True
            return connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    except (sqlite3.Error, OSError):
        return False


def is_strange(session_dir: Path) -> bool:
    """True if the folder is not empty and has no file of a session. Raises: OSError."""
    if (session_dir / JOURNAL_NAME).exists() or not session_dir.is_dir():
        return False
    return any(path.name != _LOCK_NAME for path in session_dir.iterdir())


def read_events(session_dir: Path, *, kinds: Set[str] = frozenset()) -> Iterator[Event]:
    """Events of a session in order, also while it runs and after its writer was killed. Changes nothing.

    `kinds`: those of these kinds alone, if any. Raises: StoreError if there is no journal, it is damaged, or an event
    has an unknown kind or version.
    """
    path = session_dir / JOURNAL_NAME
    if not path.is_file():
        raise no_journal(path)
    try:
        with open_for_reading(path) as connection:
            if not has_records(connection, path):
                return
            for seq, kind, version, body in connection.execute(_ROWS, (json.dumps([*kinds]),)):
                yield parse_row(path, seq, kind, version, body)
    except sqlite3.Error as error:
        raise sqlite_error("read", path, error) from error
    except OSError as error:
        raise store_error("read the journal", path, error) from error


def no_journal(path: Path) -> StoreError:
    """The error for a journal that is not there."""
    return StoreError(f"There is no journal at {path}.", fix="Give the folder of a session; it holds the journal.")


def unfinished_intents(events: Iterable[Event]) -> list[ActionIntended]:
    """Actions that were about to be sent and have no result: it is unknown if they happened."""
    open_intents: dict[str, ActionIntended] = {}
    for event in events:
        if isinstance(event, ActionIntended):
            open_intents[event.call_id] = event
        elif isinstance(event, ActionFinished):
            open_intents.pop(event.call_id, None)
    return list(open_intents.values())


def _open_for_writing(path: Path, clock: Clock) -> tuple[sqlite3.Connection, Chain]:
    try:
        path.touch(0o600)  # the log and the index beside it get the same rights
    except OSError as error:
        raise store_error("open the journal", path, error) from error
    # The threads that emit take turns under a lock of our own.
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        return connection, _prepare(connection, path, clock)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection, path: Path, clock: Clock) -> Chain:
    fresh = not has_records(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    _flush_commits(connection, at_once=False)
    # Folding the log into the file flushes the disk; an ordinary session does it once, when it closes.
    connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_BEFORE_FOLDING}")
    if fresh:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute(TABLE)
        connection.execute("COMMIT")
    elif format_of(connection) == 1:
        return _migrated(connection, clock)
    return Chain(connection)


def _flush_commits(connection: sqlite3.Connection, *, at_once: bool) -> None:
    """Set whether the next commits reach the disk before they return. Raises: sqlite3.Error.

    NORMAL hands a commit to the kernel, so the death of this process (SIGKILL included) loses nothing; a power cut may
    lose the last commits, never the order or the file. FULL adds one fsync, milliseconds on a disk: for the intent of
    an action, whose effect may be on another machine, so that it is not sent again (decision 0126).
    """
    connection.execute(f"PRAGMA synchronous = {'FULL' if at_once else 'NORMAL'}")


def _migrated(connection: sqlite3.Connection, clock: Clock) -> Chain:
    """Give the records of format 1 their hashes, and record that; an interruption leaves the journal as it was."""
    connection.execute("BEGIN IMMEDIATE")
    chain, records = add_hashes(connection)
    event = JournalMigrated(at=clock.now(), from_format=1, records=records)
    chain.append(event.at, event.kind, event.v, _body(event))
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")
    return chain


def _body(event: Event) -> str:
    try:
        return event.model_dump_json()
    except PydanticSerializationError:
        # Text from a screen may contain lone surrogates, which UTF-8 cannot encode.
        text = json.dumps(event.model_dump(), ensure_ascii=False)
        return text.encode("utf-8", "replace").decode("utf-8")


def has_records(connection: sqlite3.Connection, path: Path) -> bool:
    """True for a journal, False for an empty file, whose writer was killed before the first event.

    Raises: StoreError if it is another database or a newer journal, sqlite3.Error.
    """
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
        return False
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    version = format_of(connection)
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path} is a database, but not a journal of Deskhand.", fix="Give the folder of a session.")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"The journal {path} has format {version}; this program knows formats up to {SCHEMA_VERSION}.",
            fix=_FIX_NEWER,
        )
    return True


def format_of(connection: sqlite3.Connection) -> int:
    """Format of a journal. Raises: sqlite3.Error."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version


@contextmanager
def open_for_reading(path: Path) -> Generator[sqlite3.Connection]:
    """A read-only connection, also if the folder is not writable.

    SQLite puts an index file beside a journal in WAL mode, and cannot make one in a read-only folder. Without a log
    nothing writes, so the file is read as immutable, which leaves no index behind. With a log (which an immutable
    reader would ignore) in a read-only folder both are read from a copy.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        try:
            with closing(connect_read_only(path)) as connection:
                yield connection
                return
        except NotReadableInPlace:
            pass
    if not log.exists() or log.stat().st_size == 0:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="deskhand-journal-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        with closing(connect_read_only(copy)) as connection:
            yield connection


class NotReadableInPlace(Exception):
    """SQLite could not make or use its index file beside the journal."""


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection to a journal beside its log. Raises: NotReadableInPlace, sqlite3.Error."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            raise NotReadableInPlace from error
        raise
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _known_versions() -> dict[str, int]:
    return {event.model_fields["kind"].default: event.model_fields["v"].default for event in get_args(Event)}


_VERSIONS: Final = _known_versions()


def parse_row(path: Path, seq: int, kind: str, version: int, body: str) -> Event:
    """The event of a row. Raises: StoreError."""
    if kind not in _VERSIONS:
        raise StoreError(f"Event {seq} of {path} is of a kind unknown here: {kind!r}.", fix=_FIX_NEWER)
    if version > _VERSIONS[kind]:
        raise StoreError(
            f"Event {seq} of {path} is {kind!r} in version {version}; this program reads version {_VERSIONS[kind]}.",
            fix=_FIX_NEWER,
        )
    try:
        return EVENTS.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StoreError(f"Event {seq} ({kind}) of {path} is damaged at {where}: {first['msg']}.") from error


_FIXES = {"SQLITE_FULL": FIX_FULL, "SQLITE_READONLY": FIX_FORBIDDEN, "SQLITE_CANTOPEN": FIX_FORBIDDEN}


def sqlite_error(doing: str, path: Path, error: sqlite3.Error) -> StoreError:
    """The error for the user that a database error becomes."""
    code = getattr(error, "sqlite_errorname", "")  # absent where the sqlite3 module itself raised
    fix = next((text for name, text in _FIXES.items() if code.startswith(name)), FIX_BROKEN)
    if code == "SQLITE_NOTADB":
        fix = "Move that file away; it is not a journal."
    return StoreError(f"Could not {doing} the journal {path}: {error}.", fix=fix)
