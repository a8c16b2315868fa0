"""Lookup of the session that a user names."""

from pathlib import Path

import pytest

from cli.recorded import events_of, record, write
from deskhand.core.errors import UsageError
from deskhand.session.session_folders import find_session, session_folders, sessions_folder

pytestmark = pytest.mark.requires("sessions.named")


def test_a_session_is_found_by_its_folder_its_out_folder_its_id_and_a_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = record("20261129-100000-abc123")
    log = write(tmp_path / "made" / "log", events_of("x", at=1.0))
    monkeypatch.chdir(tmp_path)
    assert [find_session(name) for name in (str(ours), ours.name, "abc")] == [ours] * 3
    assert [find_session(str(path)) for path in (log, log.parent)] == [log, log]
    assert find_session("made") == Path("made/log")


def test_a_whole_id_is_meant_before_a_part_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record("20261129-100000-abc123")
    record("20261129-100000-abc123-again")
    assert find_session("20261129-100000-abc123").name == "20261129-100000-abc123"
    with pytest.raises(UsageError, match="2 sessions have 'abc'") as caught:
        find_session("abc")
    assert "20261129-100000-abc123-again, 20261129-100000-abc123" in caught.value.fix


@pytest.mark.parametrize("name", ["", "nosuch", "no/such", ".", "x" * 5000, "\0"], ids=range(6))
def test_a_name_without_a_session_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_session(name)
    assert "deskhand sessions list" in caught.value.fix


@pytest.mark.requires("resume.refused")
@pytest.mark.parametrize("log", ["", "log"])
def test_a_session_that_was_killed_before_its_journal_was_made_is_to_be_run_again(tmp_path: Path, log: str) -> None:
    (tmp_path / log).mkdir(exist_ok=True)
    (tmp_path / log / "journal.lock").touch()
    with pytest.raises(UsageError, match="was interrupted before it began") as caught:
        find_session(str(tmp_path))
    assert caught.value.fix == "run its request again"


def test_only_folders_with_a_journal_are_sessions_and_links_are_not_followed(tmp_path: Path) -> None:
    assert session_folders() == []
    elsewhere = write(tmp_path / "elsewhere", events_of("x", at=1.0))
    first, second = record("20261129-100000-a"), record("20261129-110000-b")
    (sessions_folder() / "20261129-120000-c").mkdir()
    (sessions_folder() / "20261129-130000-d").symlink_to(elsewhere)
    (sessions_folder() / "notes.txt").write_text("mine")
    assert session_folders() == [second, first]
