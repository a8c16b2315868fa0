"""A session whose store fails is resumed without a loss and without a second effect, or refused by name (ADR 0119)."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import StoreError, UsageError
from deskhand.core.events import ActionIntended
from deskhand.core.outcomes import Outcome
from deskhand.session.build import run_session
from deskhand.session.resume import resume_session, to_resume
from deskhand.session.round import Ending
from deskhand.store.audit import audit
from deskhand.store.journal import JOURNAL_NAME, read_events
from session.killed_session import plan
from store.small_disk import small_disk
from two_applications import EFFECTS, effects

ROOM = 12_000_000


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


async def resumed(folder: Path) -> Ending:
    with anyio.fail_after(60):
        return await resume_session(plan(folder))


def killed(folder: Path, point: str) -> None:
    """Run the session in a process of its own until it is killed."""
    code = "import sys, pathlib; from session.killed_session import killed_at; "
    code += "assert killed_at(pathlib.Path(sys.argv[1]), sys.argv[2])"
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tests)])}
    subprocess.run([sys.executable, "-c", code, str(folder), point], env=environment, check=True)


@pytest.mark.requires("journal.disk-full", "resume.once")
@pytest.mark.parametrize("free", [150_000, 330_000, 480_000], ids=["before an action", "in the first", "in the second"])
async def test_a_session_that_a_full_disk_ended_is_resumed_when_there_is_room(tmp_path: Path, free: int) -> None:
    with small_disk(tmp_path / "disk", ROOM // 1000) as disk:
        filler = disk / "filler"
        filler.write_bytes(bytes(ROOM - free))
        with pytest.raises(StoreError, match="disk is full") as caught:
            await run_session(plan(disk))
        assert "Free some space" in caught.value.fix
        before = effects(disk / "effects.log")
        with pytest.raises(StoreError, match="disk is full"):
            await resumed(disk)
        assert effects(disk / "effects.log") == before == EFFECTS[: len(before)]
        filler.unlink()
        ending = await resumed(disk)
        assert (ending.outcome, effects(disk / "effects.log")) == (Outcome.SUCCESS, EFFECTS)


@pytest.mark.requires("resume.refused")
async def test_a_session_in_a_folder_that_cannot_be_written_is_refused_and_waits(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", ROOM // 1000) as disk:
        killed(disk, "60:after")
        it = plan(disk)
        writable(disk, "ro")
        assert any(isinstance(event, ActionIntended) for event in read_events(disk / "log"))
        with pytest.raises(StoreError, match="Read-only file system") as caught:
            await resume_session(it)
        assert "Make that folder writable" in caught.value.fix
        writable(disk, "rw")
        ending = await resumed(disk)
        assert (ending.outcome, effects(disk / "effects.log")) == (Outcome.SUCCESS, EFFECTS)


def writable(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)


@pytest.mark.requires("resume.once")
async def test_a_page_that_was_torn_while_the_log_was_folded_is_taken_from_the_log(tmp_path: Path) -> None:
    killed(tmp_path, "90:after")
    file = tmp_path / "log" / JOURNAL_NAME
    file.write_bytes(file.read_bytes()[:2048] + os.urandom(2048))
    before = effects(tmp_path / "effects.log")
    ending = await resumed(tmp_path)
    assert (ending.outcome, effects(tmp_path / "effects.log")) == (Outcome.SUCCESS, EFFECTS)
    assert 0 < len(before) < len(EFFECTS)


@pytest.mark.requires("resume.rebuilt", "journal.audit")
async def test_a_journal_of_the_format_before_gets_its_hashes_and_is_resumed(tmp_path: Path) -> None:
    killed(tmp_path, "90:after")
    with closing(sqlite3.connect(tmp_path / "log" / JOURNAL_NAME, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE events DROP COLUMN hash")
        connection.execute("PRAGMA user_version = 1")
    ending = await resumed(tmp_path)
    assert (ending.outcome, effects(tmp_path / "effects.log")) == (Outcome.SUCCESS, EFFECTS)
    audited = audit(tmp_path / "log")
    assert (audited.fault, audited.without_hashes) == (None, 90)


@pytest.mark.requires("resume.refused")
@pytest.mark.parametrize("size", [0, 1])
async def test_a_journal_that_has_no_event_yet_names_what_to_do(tmp_path: Path, size: int) -> None:
    """Of one byte: the disk filled up, or the power was cut, in its first write."""
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / JOURNAL_NAME).write_bytes(b"S" * size)
    with pytest.raises(UsageError, match="had not begun") as caught:
        to_resume(tmp_path / "log")
    assert caught.value.fix == "run its request again"
