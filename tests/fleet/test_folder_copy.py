"""The copy of a task's folder, while a session writes the folder."""

from pathlib import Path

import pytest

from deskhand.core.errors import StoreError
from deskhand.core.events import ErrorData, ProblemMet
from deskhand.fleet.folder_copy import PIECE_BYTES, FolderCopy, FolderTail, Piece
from deskhand.session.clock import SystemClock
from deskhand.store.audit import audit
from deskhand.store.journal import Journal, is_held, read_events


def problem(text: str) -> ProblemMet:
    return ProblemMet(where="here", error=ErrorData(type="StoreError", message=text))


def brought(tail: FolderTail, copy: FolderCopy, *, ended: bool = False) -> int:
    """All changes by now; returns how many there were."""
    count = 0
    while changes := tail.changes(ended=ended):
        for change in changes:
            copy.take(change)
        count += len(changes)
    return count


def texts(folder: Path) -> list[str]:
    return [event.error.message for event in read_events(folder / "log") if isinstance(event, ProblemMet)]


@pytest.mark.requires("fleet.streamed")
def test_the_journal_is_valid_at_any_moment_and_equal_at_the_end(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    tail, copy = FolderTail(there, "log"), FolderCopy(here, "log", SystemClock())
    with Journal(there / "log", SystemClock()) as journal:
        for number in range(1200):
            journal.emit(problem(str(number)))
        brought(tail, copy)
        assert texts(here) == [str(number) for number in range(1200)]
        assert is_held(here / "log")
        journal.emit(problem("last"))
    brought(tail, copy, ended=True)
    copy.close()
    assert not is_held(here / "log")
    assert list(read_events(here / "log")) == list(read_events(there / "log"))
    assert audit(here / "log").last_hash == audit(there / "log").last_hash
    assert brought(tail, copy, ended=True) == 0


@pytest.mark.requires("fleet.streamed")
def test_files_are_copied_when_they_are_written_and_whole(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    (there / "log/desktop/home").mkdir(parents=True)
    (there / "log/desktop/home/profile").write_text("of a running program")
    (there / "log/step1.png").write_bytes(b"picture")
    content = bytes(range(256)) * (PIECE_BYTES // 256 * 20 + 1)
    (there / "big.ods").write_bytes(content)
    tail, copy = FolderTail(there, "log"), FolderCopy(here, "log", SystemClock())
    first = tail.changes(ended=False)
    assert sum(len(change.data) for change in first if isinstance(change, Piece)) <= 10 * PIECE_BYTES
    for change in first:
        copy.take(change)
    assert not (here / "big.ods").exists()  # not all of it is here
    brought(tail, copy)
    assert (here / "big.ods").read_bytes() == content
    assert (here / "log/step1.png").read_bytes() == b"picture"
    assert not (here / "log/desktop").exists()
    (there / "big.ods").write_bytes(b"shorter")
    (there / "log/step1.png").unlink()
    brought(tail, copy, ended=True)
    assert (here / "big.ods").read_bytes() == b"shorter"
    assert not (here / "log/step1.png").exists()
    assert (here / "log/desktop/home/profile").exists()
    assert [path.name for path in here.rglob("*.part")] == []


@pytest.mark.requires("fleet.streamed")
@pytest.mark.parametrize("path", ["../stolen", "/tmp/stolen", "log/../../stolen"])
def test_no_node_writes_outside_the_folder_of_its_task(tmp_path: Path, path: str) -> None:
    copy = FolderCopy(tmp_path / "here", "log", SystemClock())
    with pytest.raises(StoreError, match="not in the folder of its task"):
        copy.take(Piece(path, 0, b"x", last=True))
