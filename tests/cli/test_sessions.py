"""`deskhand sessions list|show|prune`: every recorded session, whatever its condition."""

import io
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from cli.driver import Console
from cli.recorded import DAY_S, events_of, record
from deskhand.core.events import ActionIntended, TargetData
from deskhand.core.roles import Role
from deskhand.session.clock import SystemClock
from deskhand.session.session_folders import sessions_folder
from deskhand.store.journal import JOURNAL_NAME, Journal

pytestmark = pytest.mark.requires("sessions.kept")


def ids(console: Console, *arguments: str) -> list[str]:
    return [str(row["id"]) for row in console("sessions", "list", *arguments, "--json").items("sessions")]


def damage(folder: Path) -> None:
    """Overwrite what follows the header: the table can no longer be read."""
    journal = folder / JOURNAL_NAME
    data = journal.read_bytes()
    journal.write_bytes(data[:100] + b"\xff" * (len(data) - 100))


def test_where_no_session_was_recorded_the_list_is_empty(console: Console) -> None:
    done = console("sessions", "list")
    assert (done.code, done.out) == (0, "")
    assert ids(console) == []


def test_sessions_are_listed_newest_first_with_their_figures(console: Console) -> None:
    record("20261129-100000-a", at=1_795_000_000.0)
    record("20261129-110000-b", at=1_795_003_600.0, outcome="failed", steps=1)
    record("20261129-120000-c", outcome="")
    rows = console("sessions", "list", "--json").items("sessions")
    assert [(row["id"], row["state"], row["outcome"], row["steps"]) for row in rows] == [
        ("20261129-120000-c", "interrupted", None, 2),
        ("20261129-110000-b", "finished", "failed", 1),
        ("20261129-100000-a", "finished", "success", 2),
    ]
    last = rows[-1]
    assert (last["began"], last["seconds"], last["cost_usd"], last["request"]) == (
        1_795_000_000.0,
        3.0,
        0.02,
        "Save it",
    )
    folder = Path(str(last["session_dir"]))
    assert last["size"] == sum(path.stat().st_size for path in folder.iterdir()), "the list leaves nothing behind"
    lines = console("sessions", "list").out.splitlines()
    assert lines[1].startswith("20261129-110000-b  2026-11-18 12:06:40 UTC  failed        1 step      2.00 s")
    assert ids(console, "--most", "1") == ["20261129-120000-c"]


def test_a_running_session_is_listed_as_running(console: Console) -> None:
    folder = record("20261129-100000-a", outcome="")
    with Journal(folder, SystemClock()):
        (row,) = console("sessions", "list", "--json").items("sessions")
    assert row["state"] == "running"


def test_a_running_session_is_shown_and_reported_as_running_and_not_as_cut_off(console: Console) -> None:
    folder = record("20261129-100000-a", outcome="")
    with Journal(folder, SystemClock()):
        running = console("sessions", "show", str(folder), "--json").json
        reported = console("report", str(folder), "--json").json
    assert [running[name] for name in ("state", "outcome", "error")] == ["running", "running", None]
    assert [reported[name] for name in ("outcome", "reason", "error")] == ["running", "It still runs.", None]
    cut_off = console("sessions", "show", str(folder), "--json")
    assert (cut_off.item("state"), cut_off.item("error", "type")) == ("interrupted", "SessionCutOff")


def test_damaged_journals_do_not_end_the_list(console: Console) -> None:
    record("20261129-100000-a")
    damage(record("20261129-110000-b"))
    (sessions_folder() / "20261129-120000-c").mkdir()
    (sessions_folder() / "20261129-120000-c" / JOURNAL_NAME).write_bytes(b"this is not a database, " * 50)
    with closing(sqlite3.connect(record("20261129-130000-d") / JOURNAL_NAME, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET body = '{' WHERE seq = 1")
    (sessions_folder() / "20261129-140000-e").mkdir()
    (sessions_folder() / "20261129-140000-e" / JOURNAL_NAME).touch()
    done = console("sessions", "list")
    assert done.code == 0
    states = [str(row["state"]) for row in console("sessions", "list", "--json").items("sessions")]
    assert states == ["interrupted", "damaged", "damaged", "damaged", "finished"]
    assert "20261129-130000-d  damaged" in done.out
    assert "session_started" in done.out, "the damaged record is named"


@pytest.mark.requires("policy.typed-passwords")
def test_a_password_in_the_request_is_hidden(console: Console) -> None:
    events = events_of("s", at=1.0)
    events[0] = events[0].model_copy(update={"request": "log in with hunter22"})
    field = TargetData(id="1", role=Role.PASSWORD, name="Password")
    typed = ActionIntended(
        step=1, agent="a", call_id="p", tool="keyboard_input", arguments={"text": "hunter22"}, target=field, at=2.0
    )
    with Journal(sessions_folder() / "s", SystemClock()) as journal:
        for event in [*events[:3], typed, *events[3:]]:
            journal.emit(event)
    for command in (("list",), ("list", "--json"), ("show", "s"), ("show", "s", "--json")):
        said = console("sessions", *command).out
        assert "hunter22" not in said
        assert "log in with" in said


def test_a_session_is_shown_by_its_steps_and_the_effects_of_its_actions(console: Console) -> None:
    folder = record("20261129-100000-abc123")
    done = console("sessions", "show", "abc123")
    assert done.code == 0
    assert done.out.splitlines() == [
        "session  20261129-100000-abc123",
        "request  Save it",
        "outcome  success",
        "reason   saved",
        "began    2026-11-18 11:06:40 UTC, took 3.00 s, 2 steps",
        "spent    2 model calls, 0 tokens in, 0 out, $0.0200",
        f"folder   {folder} ({folder.joinpath(JOURNAL_NAME).stat().st_size / 1000:.1f} kB)",
        "round 1 success: Save it",
        "  1 AppAgent CONTINUE → CONTINUE, 1.00 s",
        '      click_input button "Save": confirmed',
        "  2 AppAgent CONTINUE → CONTINUE, 1.00 s",
        '      click_input button "Save": confirmed',
    ]
    shown = console("sessions", "show", folder, "--json")
    assert (shown.json["state"], shown.json["outcome"]) == ("finished", "success")
    assert [step["step"] for step in shown.items("trajectory")] == [1, 2]


def test_an_interrupted_session_shows_that_its_last_action_is_unknown(console: Console) -> None:
    record("20261129-100000-abc123", outcome="")
    lines = console("sessions", "show", "abc123").out.splitlines()
    assert "outcome  none, interrupted" in lines
    assert "round 1 did not end: Save it" in lines
    assert lines[-1] == '      click_input button "Save": unknown'


def test_old_sessions_are_removed_and_the_bytes_reported(console: Console) -> None:
    now = time.time()
    old, new = record("20261001-100000-old", at=now - 40 * DAY_S), record("20261128-100000-new", at=now - DAY_S)
    (old / "desktop").mkdir()
    (old / "desktop" / "link").symlink_to(new)
    (old / "desktop" / "page.txt").write_text("x" * 1000)
    planned = console("sessions", "prune", "--older-than", "30d", "--dry-run", "--json").json
    assert (planned["removed"], planned["dry_run"], old.exists()) == (["20261001-100000-old"], True, True)
    size = sum(path.stat().st_size for path in old.rglob("*.*"))
    done = console("sessions", "prune", "--older-than", "30d", "--yes", "--json").json
    assert (done["removed"], done["bytes"]) == (["20261001-100000-old"], size)
    assert not old.exists()
    assert (new / JOURNAL_NAME).exists(), "what a link leads to stays"


def test_the_newest_are_kept_whatever_their_age(console: Console) -> None:
    for number in range(4):
        record(f"2026100{number}-100000-{number}", at=1_795_000_000.0 + number)
    done = console("sessions", "prune", "--keep", "2", "--older-than", "1m", "--yes", "--json")
    assert done.json["removed"] == ["20261001-100000-1", "20261000-100000-0"]
    assert ids(console) == ["20261003-100000-3", "20261002-100000-2"]


def test_running_and_interrupted_sessions_stay(console: Console) -> None:
    running, killed = record("20261129-100000-a", outcome=""), record("20261129-110000-b", outcome="")
    damaged = record("20261129-120000-c")
    damage(damaged)
    with Journal(running, SystemClock()):
        done = console("sessions", "prune", "--keep", "0", "--yes", "--json").json
        assert (done["removed"], done["kept"]) == ([], ["20261129-120000-c", "20261129-110000-b"])
        assert console("sessions", "prune", "--keep", "0", "--yes", "--force").code == 0
    assert [running.exists(), killed.exists(), damaged.exists()] == [True, False, False]


def test_a_file_that_is_no_journal_is_left_and_reported(console: Console) -> None:
    strange = sessions_folder() / "20261129-100000-a"
    strange.mkdir(parents=True)
    (strange / JOURNAL_NAME).write_bytes(b"this is not a database, " * 50)
    for how in ("--dry-run", "--yes"):
        done = console("sessions", "prune", "--keep", "0", how, "--force", "--json")
        assert (done.code, done.json["removed"], done.item("error", "type")) == (4, [], "StoreError")
        assert "not a session of Deskhand that can be read" in done.err
    assert (strange / JOURNAL_NAME).exists()


def test_a_session_that_was_killed_before_its_first_event_is_removed_as_the_dry_run_says(console: Console) -> None:
    folder = sessions_folder() / "20261129-140000-e"
    folder.mkdir(parents=True)
    (folder / JOURNAL_NAME).touch()
    for how in ("--dry-run", "--yes"):
        assert folder.exists()
        done = console("sessions", "prune", "--keep", "0", how, "--force", "--json")
        assert (done.code, done.json["removed"]) == (0, [folder.name])
    assert not folder.exists()


def test_folders_that_are_no_sessions_of_ours_stay(console: Console) -> None:
    record("20261129-100000-a")
    strange = sessions_folder() / "photos"
    strange.mkdir()
    with closing(sqlite3.connect(strange / JOURNAL_NAME)) as connection:
        connection.execute("CREATE TABLE events (seq, at, kind, v, body)")
    (sessions_folder() / "empty").mkdir()
    console("sessions", "prune", "--keep", "0", "--yes", "--force")
    assert sorted(path.name for path in sessions_folder().iterdir()) == ["empty", "photos"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "no sessions are named"),
        (("--older-than", "30"), "'30' is not an age"),
        (("--older-than", "soon"), "'soon' is not an age"),
        (("--keep", "0"), "1 session, "),
    ],
)
def test_without_a_choice_or_an_answer_nothing_is_removed(
    console: Console, arguments: tuple[str, ...], problem: str
) -> None:
    folder = record("20261129-100000-a")
    done = console("sessions", "prune", *arguments)
    assert done.code == 2
    assert problem in done.err
    assert folder.exists()


@pytest.mark.parametrize(("answer", "left"), [("y\n", False), ("n\n", True), ("\n", True)])
def test_the_user_at_a_terminal_is_asked(
    console: Console, monkeypatch: pytest.MonkeyPatch, answer: str, left: bool
) -> None:
    folder = record("20261129-100000-a")
    monkeypatch.setattr("deskhand.cli.prune_sessions.at_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    done = console("sessions", "prune", "--keep", "0")
    assert (done.code, folder.exists()) == (0, left)
    assert "20261129-100000-a success" in done.err
    assert ("removed 0 sessions" if left else "removed 1 session,") in done.err
