"""`deskhand audit verify`: what it says, and its exit codes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.driver import Console
from cli.recorded import events_of, record, write
from deskhand.session.clock import SystemClock
from deskhand.store.journal import JOURNAL_NAME, Journal

pytestmark = pytest.mark.requires("journal.audit")


def tamper(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / JOURNAL_NAME, isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_session_as_it_was_written_is_intact(console: Console) -> None:
    folder = record("20261129-100000-abc123")
    done = console("audit", "verify", "abc123")
    assert done.code == 0
    first, last = done.out.splitlines()
    assert first == "intact: 16 records"
    assert console("audit", "verify", folder, "--expect", last.removeprefix("last hash ")).code == 0
    assert console("audit", "verify", folder, "--expect", "0" * 64).code == 1


def test_a_changed_record_is_named(console: Console) -> None:
    tamper(record("20261129-100000-abc123"), "UPDATE events SET at = at + 60 WHERE seq = 6")
    done = console("audit", "verify", "abc123")
    assert done.code == 1
    assert done.out.startswith("changed: 5 records\n  Record 6 (action_intended, 2026-")
    damage = console("audit", "verify", "abc123", "--json").json["damage"]
    assert isinstance(damage, dict)
    assert (damage["what"], damage["record"], damage["kind"]) == ("changed", 6, "action_intended")


def test_a_session_without_an_end_is_unknown(console: Console) -> None:
    record("20261129-100000-abc123", outcome="")
    done = console("audit", "verify", "abc123", "--json")
    assert (done.code, done.json["verdict"], done.json["ended"]) == (3, "unknown", False)


def test_a_running_session_is_verified(console: Console, tmp_path: Path) -> None:
    write(tmp_path / "log", events_of("s", at=1.0, outcome=""))
    with Journal(tmp_path / "log", SystemClock()):
        done = console("audit", "verify", tmp_path)
    assert (done.code, done.out.splitlines()[0]) == (0, "intact: 12 records, running")


def test_what_is_no_hash_and_what_is_no_session_are_usage_errors(console: Console, tmp_path: Path) -> None:
    folder = record("20261129-100000-abc123")
    assert console("audit", "verify", folder, "--expect", "abc").code == 2
    assert console("audit", "verify", tmp_path, "--json").item("error", "type") == "UsageError"
    (tmp_path / JOURNAL_NAME).write_bytes(b"this is not a database, " * 50)
    assert console("audit", "verify", tmp_path).code == 4
