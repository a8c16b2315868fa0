"""Locks beside a document: who has it open."""

from pathlib import Path

import pytest

from deskhand.core.document_lock import lock_of


@pytest.mark.parametrize(
    ("document", "lock", "content", "holder"),
    [
        (
            "a.odt",
            ".~lock.a.odt#",
            b"Dana Example,dana,pc,24.11.2026 16:10,file:///x;",
            "Dana Example (dana) on pc since",
        ),
        (
            "a.odt",
            ".~lock.a.odt#",
            rb"Example\, Dana,dana,pc,24.11.2026 16:10,file:///x;",
            "Example, Dana (dana) on pc",
        ),
        ("a.odt", ".~lock.a.odt#", b",dana,pc,24.11.2026 16:10,file:///x;", "dana on pc since 24.11.2026 16:10"),
        ("a.odt", ".~lock.a.odt#", b"", "another user"),
        ("a.docx", "~$a.docx", b"\x04Dana" + b"\0" * 49, "Dana"),
        ("my letter.docx", "~$ letter.docx", b"\x04Dana" + b"\0" * 49, "Dana"),
        ("lettera.docx", "~$ettera.docx", b"\x04Dana" + b"\0" * 49, "Dana"),
        ("numbers.xlsx", "~$numbers.xlsx", b"\x00", "another user"),
    ],
)
def test_a_lock_file_names_its_holder(document: str, lock: str, content: bytes, holder: str, tmp_path: Path) -> None:
    (tmp_path / lock).write_bytes(content)
    found = lock_of(tmp_path / document)
    assert found is not None
    assert (found.file, found.holder[: len(holder)]) == (tmp_path / lock, holder)
    assert lock_of(tmp_path / f"other-{document}") is None


def test_a_link_of_an_editor_is_a_lock(tmp_path: Path) -> None:
    (tmp_path / ".#notes.txt").symlink_to("dana@pc.4711:1764201600")
    found = lock_of(tmp_path / "notes.txt")
    assert found is not None
    assert found.holder == "dana@pc"
    (tmp_path / ".#other.txt").write_text("no lock")
    assert lock_of(tmp_path / "other.txt") is None
