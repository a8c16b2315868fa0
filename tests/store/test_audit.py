"""A change of a journal or its files from outside is found, and the first one is named (contract 4.8)."""

# ruff: noqa: S608 - the statements are the test's own

import contextlib
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.core.errors import StoreError
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    Event,
    FilesWritten,
    JournalMigrated,
    ProblemMet,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepStarted,
)
from deskhand.store.audit import Audit, Damage, Verdict, audit
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import JOURNAL_NAME, Journal, read_events
from store.clocks import StillClock

pytestmark = pytest.mark.requires("journal.audit")

START = SessionStarted(session_id="s1", version="0.1.0", request="Save it", model="playbook:x", desktop=":7")
END = SessionFinished(outcome="success", reason="saved", seconds=2.0, at=9.0)
FORMAT_1 = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    v INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT
"""


def session(actions: int = 4) -> list[Event]:
    """12 events for the default of 4 actions; 1 and 12 are the session's start and end."""
    step = StepStarted(step=1, agent="a", round=1, state="CONTINUE", at=5.0)
    events: list[Event] = [START, RoundStarted(round=1, request="Save it", at=4.5), step]
    for number in range(actions):
        call = f"call {number}"
        events.append(
            ActionIntended(step=1, agent="a", call_id=call, tool="click_input", arguments={"id": str(number)}, at=6.0)
        )
        events.append(ActionFinished(step=1, agent="a", call_id=call, tool="click_input", status="success", at=7.0))
    return [*events, END]


def write(folder: Path, events: list[Event]) -> None:
    with Journal(folder, StillClock()) as journal:
        for event in events:
            journal.emit(event)


@contextlib.contextmanager
def outside(folder: Path):
    with contextlib.closing(sqlite3.connect(folder / JOURNAL_NAME, isolation_level=None)) as connection:
        yield connection


def tamper(folder: Path, *statements: str) -> None:
    with outside(folder) as connection:
        for statement in statements:
            connection.execute(statement)


def renumber(by: int, above: int) -> tuple[str, str]:
    """Shift the numbers of the records above one, in two moves as the number is a key."""
    return (
        f"UPDATE events SET seq = -(seq + {by}) WHERE seq > {above}",
        "UPDATE events SET seq = -seq WHERE seq < 0",
    )


def exchange(one: int, other: int) -> tuple[str, str, str]:
    return (
        f"UPDATE events SET seq = -1 WHERE seq = {one}",
        f"UPDATE events SET seq = {one} WHERE seq = {other}",
        f"UPDATE events SET seq = {other} WHERE seq = -1",
    )


def copy_of(source: int, number: int) -> str:
    return f"INSERT INTO events SELECT {number}, at, kind, v, body, hash FROM events WHERE seq = {source}"


def test_what_a_session_wrote_is_intact(tmp_path: Path) -> None:
    write(tmp_path, session())
    before = (tmp_path / JOURNAL_NAME).read_bytes()
    found = audit(tmp_path)
    assert (found.verdict, found.records, found.ended, found.findings) == (Verdict.INTACT, 12, True, [])
    assert (tmp_path / JOURNAL_NAME).read_bytes() == before


def test_equal_sessions_end_with_equal_hashes_and_others_do_not(tmp_path: Path) -> None:
    write(tmp_path / "a", session())
    write(tmp_path / "b", session())
    write(tmp_path / "c", session(3))
    hashes = [audit(tmp_path / name).last_hash for name in "abc"]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("statements", "damage", "seq", "sentence"),
    [
        (
            ("UPDATE events SET body = replace(body, 'click', 'clack') WHERE seq = 6",),
            Damage.CHANGED,
            6,
            "Record 6 (action_intended, 1970-01-01 00:00:06 UTC) was changed: its hash does not fit its content.",
        ),
        (("UPDATE events SET at = 8.0 WHERE seq = 5",), Damage.CHANGED, 5, "Record 5 (action_finished, 1970-01-01"),
        (("UPDATE events SET at = 1e300 WHERE seq = 5",), Damage.CHANGED, 5, "at an impossible time"),
        (("UPDATE events SET kind = 'action_finished' WHERE seq = 4",), Damage.CHANGED, 4, "Record 4 (action_finished"),
        (("UPDATE events SET v = 3 WHERE seq = 1",), Damage.CHANGED, 1, "Record 1 (session_started"),
        (("UPDATE events SET hash = x'00' WHERE seq = 7",), Damage.CHANGED, 7, "Record 7 "),
        (("UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE seq = 2",), Damage.CHANGED, 2, "Record 2 "),
        (("UPDATE events SET body = body || ' ' WHERE seq = 12",), Damage.CHANGED, 12, "was changed or added"),
        (
            ("DELETE FROM events WHERE seq = 1",),
            Damage.REMOVED,
            1,
            "Record 1 is missing before record 2 (round_started",
        ),
        (("DELETE FROM events WHERE seq IN (4, 5)",), Damage.REMOVED, 4, "Records 4 to 5 are missing before record 6"),
        (
            ("DELETE FROM events WHERE seq = 6", *renumber(-1, 6)),
            Damage.REMOVED,
            6,
            "Record 6 is missing: the one that has its number now (action_finished, 1970-01-01 00:00:07 UTC) came",
        ),
        ((*renumber(1, 5), copy_of(4, 6)), Damage.INSERTED, 6, "inserted: it is a copy of record 4."),
        (
            (*renumber(1, 0), "INSERT INTO events VALUES (1, 4.0, 'round_started', 1, '{}', x'00')"),
            Damage.INSERTED,
            1,
            "Record 1 (round_started, 1970-01-01 00:00:04 UTC) was inserted: the record after it had its number.",
        ),
        ((copy_of(12, 13),), Damage.INSERTED, 13, "is a copy of record 12"),
        (exchange(4, 6), Damage.MOVED, 4, "was moved: it was written as record 6."),
        (exchange(6, 7), Damage.MOVED, 6, "was moved: it was written as record 7."),
        (exchange(1, 2), Damage.MOVED, 1, "was moved: it was written as record 2."),
        (("UPDATE events SET seq = 40 WHERE seq = 6",), Damage.REMOVED, 6, "Record 6 is missing before record 7"),
        (("PRAGMA user_version = 1",), Damage.CHANGED, 0, "format was changed to 1"),
    ],
)
def test_the_first_change_is_named(
    tmp_path: Path, statements: tuple[str, ...], damage: Damage, seq: int, sentence: str
) -> None:
    write(tmp_path, session())
    tamper(tmp_path, *statements)
    found = audit(tmp_path)
    assert found.verdict is Verdict.CHANGED
    assert found.fault is not None
    assert (found.fault.damage, found.fault.seq) == (damage, seq)
    assert sentence in found.findings[0]


def _change_text(row: int, dice: random.Random) -> tuple[str, ...]:
    return (f"UPDATE events SET body = substr(body, 1, {dice.randrange(1, 40)}) || 'x' WHERE seq = {row}",)


def _change_time(row: int, dice: random.Random) -> tuple[str, ...]:
    return (f"UPDATE events SET at = at + {dice.choice([-1, 1]) * dice.choice([1e-6, 0.5, 3600])} WHERE seq = {row}",)


def _change_kind(row: int, dice: random.Random) -> tuple[str, ...]:
    return (f"UPDATE events SET kind = kind || '{dice.choice('_x')}', v = {dice.choice([1, 2])} WHERE seq = {row}",)


def _change_hash(row: int, dice: random.Random) -> tuple[str, ...]:
    return (f"UPDATE events SET hash = x'{dice.randbytes(32).hex()}' WHERE seq = {row}",)


def _remove(row: int, dice: random.Random) -> tuple[str, ...]:
    return (f"DELETE FROM events WHERE seq = {row}", *(renumber(-1, row) if dice.random() < 0.5 else ()))


def _insert(row: int, dice: random.Random) -> tuple[str, ...]:
    return (*renumber(1, row - 1), copy_of(dice.randrange(1, row) if row > 1 else 2, row))


def _exchange(row: int, dice: random.Random) -> tuple[str, ...]:
    other = dice.choice([number for number in range(1, ROWS + 1) if number != row])
    return exchange(row, other)


def _cut_off(row: int, _dice: random.Random) -> tuple[str, ...]:
    return (f"DELETE FROM events WHERE seq >= {row}",)


ROWS = 12
MUTATIONS: tuple[Callable[[int, random.Random], tuple[str, ...]], ...] = (
    _change_text,
    _change_time,
    _change_kind,
    _change_hash,
    _remove,
    _insert,
    _exchange,
    _cut_off,
)


def test_each_of_200_random_changes_is_found(tmp_path: Path) -> None:
    write(tmp_path / "whole", session())
    whole = (tmp_path / "whole" / JOURNAL_NAME).read_bytes()
    last = audit(tmp_path / "whole").last_hash
    dice = random.Random(39)  # noqa: S311 - a repeatable choice
    missed: list[tuple[str, ...]] = []
    for _ in range(200):
        (tmp_path / JOURNAL_NAME).write_bytes(whole)
        row = dice.randrange(1, ROWS + 1)
        statements = dice.choice(MUTATIONS)(row, dice)
        tamper(tmp_path, *statements)
        without, kept = audit(tmp_path), audit(tmp_path, expect=last)
        first = without.fault.seq if without.fault else row
        if without.verdict is Verdict.INTACT or kept.verdict is not Verdict.CHANGED or first > row + 1:
            missed.append(statements)
    assert missed == []


def test_a_record_cut_off_the_end_leaves_a_session_without_an_end(tmp_path: Path) -> None:
    write(tmp_path, session())
    last = audit(tmp_path).last_hash
    tamper(tmp_path, "DELETE FROM events WHERE seq = 12")
    found = audit(tmp_path)
    assert (found.verdict, found.fault) == (Verdict.UNKNOWN, None)
    assert "or the last records were removed" in found.findings[0]
    expected = audit(tmp_path, expect=last)
    assert expected.verdict is Verdict.CHANGED
    assert "No record has the expected hash" in expected.findings[0]


def test_a_kept_hash_vouches_for_a_session_that_was_killed(tmp_path: Path) -> None:
    write(tmp_path, session()[:5])
    assert audit(tmp_path).verdict is Verdict.UNKNOWN
    kept = audit(tmp_path).last_hash
    assert audit(tmp_path, expect=kept.upper()).verdict is Verdict.INTACT
    write(tmp_path, session()[5:])
    grown = audit(tmp_path, expect=kept)
    assert (grown.verdict, grown.expected_at, grown.last_seq) == (Verdict.CHANGED, 5, 12)
    assert grown.findings == ["The expected hash is that of record 5; records up to 12 follow it."]


def test_all_hashes_computed_anew_are_found_by_the_kept_one(tmp_path: Path) -> None:
    write(tmp_path / "real", session())
    forged = [*session()[:4], *session()[6:]]
    write(tmp_path / "forged", forged)
    assert audit(tmp_path / "forged").verdict is Verdict.INTACT
    assert audit(tmp_path / "forged", expect=audit(tmp_path / "real").last_hash).verdict is Verdict.CHANGED


def test_a_running_session_is_verified(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        for event in session()[:6]:
            journal.emit(event)
        found = audit(tmp_path)
        assert (found.verdict, found.running, found.records, found.ended) == (Verdict.INTACT, True, 6, False)
        tamper(tmp_path, "UPDATE events SET at = 1.0 WHERE seq = 2")
        journal.emit(END)
        assert audit(tmp_path).verdict is Verdict.CHANGED


def test_the_chain_continues_where_a_journal_is_opened_again(tmp_path: Path) -> None:
    write(tmp_path / "at once", session())
    for event in session():
        write(tmp_path / "one by one", [event])
    assert audit(tmp_path / "one by one") == audit(tmp_path / "at once")


def test_a_problem_after_the_end_leaves_the_session_ended(tmp_path: Path) -> None:
    problem = {"where": "learning", "error": {"type": "StoreError", "message": "full"}}
    write(tmp_path, [*session(), ProblemMet.model_validate(problem)])
    assert audit(tmp_path).verdict is Verdict.INTACT
    write(tmp_path, [RoundStarted(round=2, request="More")])
    assert audit(tmp_path).verdict is Verdict.UNKNOWN


def old_journal(folder: Path, events: list[Event]) -> None:
    """A journal of format 1, as earlier versions wrote it."""
    folder.mkdir(exist_ok=True)
    with outside(folder) as connection:
        connection.execute("PRAGMA application_id = 0x44736B48")
        connection.execute("PRAGMA user_version = 1")
        connection.execute(FORMAT_1)
        for event in events:
            row = (event.at, event.kind, event.v, event.model_dump_json())
            connection.execute("INSERT INTO events (at, kind, v, body) VALUES (?, ?, ?, ?)", row)


@pytest.mark.requires("journal.versioned")
def test_a_journal_without_hashes_is_read_and_cannot_be_verified(tmp_path: Path) -> None:
    old_journal(tmp_path, session())
    before = (tmp_path / JOURNAL_NAME).read_bytes()
    assert list(read_events(tmp_path)) == session()
    found = audit(tmp_path)
    assert (found.verdict, found.records, found.without_hashes) == (Verdict.UNKNOWN, 12, 12)
    assert found.findings == ["Records 1 to 12 were written before there were hashes: they cannot be verified."]
    assert (tmp_path / JOURNAL_NAME).read_bytes() == before


@pytest.mark.requires("journal.versioned")
def test_a_journal_without_hashes_gets_them_before_something_is_added(tmp_path: Path) -> None:
    old_journal(tmp_path, session()[:5])
    write(tmp_path, session()[5:])
    migrated = JournalMigrated(from_format=1, records=5, at=StillClock().now())
    assert list(read_events(tmp_path)) == [*session()[:5], migrated, *session()[5:]]
    found = audit(tmp_path)
    assert (found.verdict, found.fault, found.without_hashes, found.ended) == (Verdict.UNKNOWN, None, 5, True)
    tamper(tmp_path, "UPDATE events SET at = 1.0 WHERE seq = 3")
    changed = audit(tmp_path)
    assert changed.fault is not None
    assert changed.fault.seq == 3, "from then on they are protected too"


def test_an_interrupted_migration_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    old_journal(tmp_path, session())
    tamper(tmp_path, "CREATE TABLE events_without_hashes (x)")  # is in the way
    with pytest.raises(StoreError, match="events_without_hashes"):
        Journal(tmp_path, StillClock())
    assert list(read_events(tmp_path)) == session()
    assert audit(tmp_path).without_hashes == 12


async def write_files(folder: Path, *names: str, end: bool = True) -> Audit:
    with Journal(folder, StillClock()) as journal:
        journal.emit(START)
        async with ImageWriter(journal, folder=folder) as images:
            for name in names:
                await images.submit(folder / name, lambda name=name: name.encode())
        if end:
            journal.emit(END)
    return audit(folder)


async def test_a_changed_and_a_missing_file_are_named(tmp_path: Path) -> None:
    found = await write_files(tmp_path, "action_step1.png", "ui_trees/ui_tree_step1.json", "action_step2.png")
    assert (found.verdict, found.files) == (Verdict.INTACT, 3)
    (tmp_path / "action_step2.png").unlink()
    (tmp_path / "ui_trees" / "ui_tree_step1.json").write_text("{}")
    found = audit(tmp_path)
    assert found.verdict is Verdict.CHANGED
    assert found.findings == [
        "The file ui_trees/ui_tree_step1.json was changed: record 2 has its hash.",
        "The file action_step2.png is missing: record 2 has its hash.",
    ]


async def test_files_of_a_session_without_an_end_may_have_been_written_again(tmp_path: Path) -> None:
    await write_files(tmp_path, "action_step1.png", end=False)
    (tmp_path / "action_step1.png").write_text("again")
    found = audit(tmp_path)
    assert found.verdict is Verdict.UNKNOWN
    assert "may have written files again" in found.findings[1]


async def test_hashes_of_many_files_are_recorded_on_the_way(tmp_path: Path) -> None:
    names = [f"action_step{number}.png" for number in range(120)]
    found = await write_files(tmp_path, *names)
    batches = [len(event.files) for event in read_events(tmp_path) if isinstance(event, FilesWritten)]
    assert (found.files, batches) == (120, [50, 50, 20])


def test_a_folder_without_a_journal_and_a_foreign_database_are_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no journal"):
        audit(tmp_path)
    tamper(tmp_path, "CREATE TABLE events (x)")
    with pytest.raises(StoreError, match="not a journal of Deskhand"):
        audit(tmp_path)


def test_an_empty_journal_is_unknown_even_for_an_expected_hash(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).touch()
    assert audit(tmp_path).verdict is Verdict.UNKNOWN
    assert audit(tmp_path, expect="0" * 64).verdict is Verdict.CHANGED
