"""The journal keeps what it was given, whatever happens to its writer (contract 4.8)."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import deskhand
from deskhand.core.errors import StoreError
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    DataSaved,
    Event,
    RoundStarted,
    StepStarted,
)
from deskhand.store.journal import JOURNAL_NAME, Journal, read_events, unfinished_intents
from store.clocks import StillClock
from store.small_disk import small_disk

WRITER = Path(__file__).with_name("killed_writer.py")
READER = Path(__file__).with_name("reader_without_rights.py")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(deskhand.__file__).parents[1])}
STEP = StepStarted(step=1, agent="HostAgent", round=1, state="CONTINUE", at=5.0)


def intent(call_id: str) -> ActionIntended:
    return ActionIntended(step=1, agent="a", call_id=call_id, tool="click_input", arguments={"id": "12"}, at=1.0)


def result(call_id: str) -> ActionFinished:
    return ActionFinished(step=1, agent="a", call_id=call_id, tool="click_input", status="success", at=2.0)


def write(folder: Path, *events: Event) -> None:
    with Journal(folder, StillClock()) as journal:
        for event in events:
            journal.emit(event)


@contextlib.contextmanager
def killed_writer(folder: Path) -> Generator[None]:
    """A journal in `folder` whose writer, another process, was killed with SIGKILL after an intent."""
    with subprocess.Popen(
        [sys.executable, WRITER, folder], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    ) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "kept\n"
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait(timeout=10)
    yield


def test_events_come_back_as_they_were_given(tmp_path: Path) -> None:
    data = DataSaved(step=1, agent="a", name="sales", data={"cells": [["Região", None, 1.5, "\0\n"], []]}, at=3.25)
    write(tmp_path, STEP, data, intent("x"))
    assert list(read_events(tmp_path)) == [STEP, data, intent("x")]


def test_an_event_without_a_time_gets_the_clock_s(tmp_path: Path) -> None:
    write(tmp_path, RoundStarted(round=1, request="r"), RoundStarted(round=2, request="r", at=7.0))
    assert [event.at for event in read_events(tmp_path)] == [StillClock().now(), 7.0]


def test_half_a_surrogate_pair_from_a_screen_does_not_stop_the_session(tmp_path: Path) -> None:
    write(tmp_path, RoundStarted(round=1, request="a\udc80b"))
    (event,) = read_events(tmp_path)
    assert isinstance(event, RoundStarted)
    assert event.request == "a?b"


def test_a_second_opening_goes_on_after_the_last_event(tmp_path: Path) -> None:
    write(tmp_path, intent("1"))
    write(tmp_path, intent("2"))
    assert list(read_events(tmp_path)) == [intent("1"), intent("2")]


def test_a_running_session_can_be_read(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()) as journal:
        journal.emit(STEP)
        assert list(read_events(tmp_path)) == [STEP]
        journal.emit(intent("1"))
        assert list(read_events(tmp_path)) == [STEP, intent("1")]


@pytest.mark.requires("journal.write-ahead", "journal.killed")
def test_an_intent_outlives_the_sigkill_of_its_writer(tmp_path: Path) -> None:
    with killed_writer(tmp_path):
        events = list(read_events(tmp_path))
    assert [event.kind for event in events] == [
        "session_started",
        "step_started",
        "action_intended",
        "action_finished",
        "action_intended",
    ]
    assert [event.call_id for event in unfinished_intents(events)] == ["b"]


def test_the_lock_of_a_killed_writer_is_free_again(tmp_path: Path) -> None:
    with killed_writer(tmp_path):
        write(tmp_path, result("b"))
    assert unfinished_intents(read_events(tmp_path)) == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="deskhand-journal-test-"))
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def count_as_a_reader_without_rights(folder: Path) -> int:
    """How many events somebody reads who may not write there."""
    folder.chmod(0o555)
    for file in folder.iterdir():
        file.chmod(0o444)
    done = subprocess.run(
        [sys.executable, READER, folder], env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("missing", [(), ("-shm",)], ids=["as the writer left it", "copied without its index"])
def test_a_killed_session_is_read_from_a_read_only_folder(open_folder: Path, missing: tuple[str, ...]) -> None:
    with killed_writer(open_folder):
        for suffix in missing:
            (open_folder / f"{JOURNAL_NAME}{suffix}").unlink()
        assert count_as_a_reader_without_rights(open_folder) == 5


def test_a_finished_session_is_read_from_a_read_only_folder(open_folder: Path) -> None:
    write(open_folder, STEP, intent("1"))
    assert count_as_a_reader_without_rights(open_folder) == 2


@pytest.mark.requires("policy.typed-passwords")
def test_a_journal_is_its_owner_s_alone(tmp_path: Path) -> None:
    """It has what was typed into passwords."""
    made, there = tmp_path / "out" / "log", tmp_path / "there"
    there.mkdir(0o755)
    before = os.umask(0o022)
    try:
        for folder in (made, there):
            with Journal(folder, StillClock()) as journal:
                journal.emit(result("a"))
                rights = {path.name: path.stat().st_mode & 0o777 for path in folder.glob("journal.sqlite*")}
            assert rights == dict.fromkeys(("journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"), 0o600)
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in (made.parent, made, there)] == [0o755, 0o700, 0o755]


def test_a_journal_takes_one_writer(tmp_path: Path) -> None:
    with Journal(tmp_path, StillClock()), pytest.raises(StoreError, match=r"Process \d+ already holds") as caught:
        Journal(tmp_path, StillClock())
    assert caught.value.fix.startswith("Wait until that process has ended"), "also where no --out can be given"
    Journal(tmp_path, StillClock()).close()


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path, StillClock())
    journal.close()
    journal.close()
    with pytest.raises(StoreError, match="is closed; step_started was not written"):
        journal.emit(STEP)


def test_no_journal_is_an_error_that_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=str(tmp_path / JOURNAL_NAME)):
        list(read_events(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_never_got_an_event_is_empty(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).touch()
    assert list(read_events(tmp_path)) == []


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    path.write_bytes(b"this is not a database, " * 50)
    with pytest.raises(StoreError, match="not a database"):
        Journal(tmp_path, StillClock())
    with pytest.raises(StoreError, match="not a database"):
        list(read_events(tmp_path))
    assert path.read_bytes() == b"this is not a database, " * 50


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / JOURNAL_NAME)) as other:
        other.execute("CREATE TABLE events (x)")
    for use in (lambda: Journal(tmp_path, StillClock()), lambda: list(read_events(tmp_path))):
        with pytest.raises(StoreError, match="not a journal of Deskhand"):
            use()


def change(folder: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / JOURNAL_NAME, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "UPDATE events SET v = 2, body = json_set(body, '$.v', 2)",
            r"Event 1 .*'step_started' in version 2.*version 1",
        ),
        ("UPDATE events SET kind = 'dream_had'", "Event 1 .*unknown here: 'dream_had'"),
        ("PRAGMA user_version = 3", "has format 3; this program knows formats up to 2"),
    ],
)
@pytest.mark.requires("journal.versioned")
def test_what_a_newer_program_wrote_is_refused_clearly(tmp_path: Path, statement: str, message: str) -> None:
    write(tmp_path, STEP)
    change(tmp_path, statement)
    with pytest.raises(StoreError, match=message) as caught:
        list(read_events(tmp_path))
    assert "newer" in caught.value.fix


def test_a_damaged_event_is_named(tmp_path: Path) -> None:
    write(tmp_path, STEP)
    change(tmp_path, "UPDATE events SET body = json_remove(body, '$.state')")
    with pytest.raises(StoreError, match=r"Event 1 \(step_started\) .* damaged at step_started.state"):
        list(read_events(tmp_path))


def test_only_intents_without_a_result_are_unfinished() -> None:
    events: list[Event] = [intent("1"), result("1"), intent("2"), STEP, intent("3"), result("refused-without-intent")]
    assert [event.call_id for event in unfinished_intents(events)] == ["2", "3"]


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"Could not create the folder .*log") as caught:
        Journal(tmp_path / "file" / "log", StillClock())
    assert caught.value.fix


@pytest.mark.requires("journal.power", "journal.write-ahead")
def test_an_intent_reaches_the_disk_before_it_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []

    class Traced(sqlite3.Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:  # as given to connect
            super().__init__(*arguments, **options)
            self.set_trace_callback(statements.append)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Traced))
        write(tmp_path, STEP, intent("a"), result("a"))
    flushes, written = "", dict[str, str]()
    for statement in statements:
        if statement.startswith("PRAGMA synchronous"):
            flushes = statement
        for kind in ("step_started", "action_intended", "action_finished"):
            if statement.startswith("INSERT") and f"'{kind}'" in statement:
                written[kind] = flushes.rpartition(" ")[2]
    assert written == {"step_started": "NORMAL", "action_intended": "FULL", "action_finished": "NORMAL"}


@pytest.mark.requires("journal.disk-full")
def test_nothing_is_written_after_an_event_that_could_not_be(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256) as disk:
        with Journal(disk, StillClock()) as journal:
            (disk / "filler").write_bytes(bytes(100_000))
            with pytest.raises(StoreError, match="disk is full"):
                fill(journal)
            (disk / "filler").unlink()
            with pytest.raises(StoreError, match="disk is full"):
                journal.emit(STEP)
        assert STEP not in list(read_events(disk))


def fill(journal: Journal) -> None:
    for number in range(1000):
        journal.emit(RoundStarted(round=1, request=f"{number:05}" * 100))


@pytest.mark.requires("journal.disk-full")
def test_a_full_disk_is_a_store_error_and_keeps_what_was_written(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256) as disk:
        journal = Journal(disk, StillClock())
        with pytest.raises(StoreError, match="disk is full") as caught:
            fill(journal)
        assert "Free some space" in caught.value.fix
        assert str(disk) in caught.value.message
        with contextlib.suppress(StoreError):
            journal.close()
        requests = [event.request for event in read_events(disk) if isinstance(event, RoundStarted)]
        assert len(requests) > 5
        assert requests == [f"{number:05}" * 100 for number in range(len(requests))]
