"""Windows that show the user's files."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.memory import Documents

pytestmark = pytest.mark.requires("session.documents")


def window(handle: str, title: str) -> TargetInfo:
    return TargetInfo(TargetKind.WINDOW, title, Role.WINDOW, handle=handle, pid=7)


ASKS, SHEET = window("1", "Text Import - [a.csv]"), window("2", "a.csv - Calc")
OTHER, SECOND = window("3", "old a.csv.bak - Calc"), window("4", "a.csv - Notes")


def opened_in(*shown: TargetInfo, at: TargetInfo | None = ASKS) -> str | None:
    """The window that a file is in which was opened in `at`, when these windows are open."""
    documents = Documents()
    documents.add(Path("/home/a.csv"), Path("/log/a.csv"), at)
    documents.update(shown)
    [document] = documents.shown
    return document.window and document.window.handle


def test_a_file_is_in_its_own_window_or_in_the_only_one_that_names_it() -> None:
    assert opened_in(ASKS, OTHER) == "1"
    assert opened_in(SHEET, OTHER) == "2"
    assert opened_in(SHEET, at=None) == "2"
    assert opened_in(replace(SHEET, name="Budget"), SECOND, at=SHEET) == "4"
    assert opened_in(replace(SHEET, name="Budget"), at=SHEET) == "2"


def test_where_several_windows_name_a_file_it_is_not_known_which_shows_it() -> None:
    assert opened_in(SHEET, SECOND) is None
    assert opened_in(SHEET, SECOND, at=SHEET) == "2"
    assert opened_in(OTHER) is None


def test_the_window_that_certainly_shows_a_file_comes_before_titles() -> None:
    """Two windows of one title, and a window named after the file that shows another one."""
    twin = replace(SHEET, handle="5")
    for shown in ({"5": "/log/a.csv"}, {"2": "/elsewhere/a.csv"}, {"2": "/elsewhere/a.csv", "5": "/log/a.csv"}):
        documents = Documents(
            "", lambda window, shown=shown: Path(shown[window.handle]) if window.handle in shown else None
        )
        documents.add(Path("/home/a.csv"), Path("/log/a.csv"))
        documents.update((SHEET, twin))
        assert [document.window for document in documents.shown] == [twin], shown


def test_a_file_goes_with_the_window_that_is_followed() -> None:
    documents = Documents()
    documents.add(Path("/home/a.csv"), Path("/log/a.csv"), ASKS)
    documents.follow(ASKS, OTHER)
    assert [document.window for document in documents.shown] == [OTHER]


def test_a_file_has_changed_when_its_content_has(tmp_path: Path) -> None:
    file, documents = tmp_path / "a.csv", Documents()
    file.write_text("1;2")
    document = documents.add(file, file)
    assert documents.has_changed(document) is False
    (tmp_path / "new").write_text("1;2")
    (tmp_path / "new").rename(file)
    assert documents.has_changed(document) is False, "it was written with the bytes it had"
    (tmp_path / "new").write_text("1;3")
    (tmp_path / "new").rename(file)
    assert documents.has_changed(document) is True
    file.unlink()
    assert documents.has_changed(document) is None
