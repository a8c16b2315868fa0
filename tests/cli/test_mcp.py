"""`deskhand mcp`: the folders whose files a client may read, and a start without a desktop."""

from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.cli.mcp import folders_of

pytestmark = pytest.mark.requires("mcp.files")


def test_it_is_the_folder_it_was_started_in_or_those_that_are_named(tmp_path: Path) -> None:
    home, here, other = tmp_path / "home", tmp_path / "home" / "project", tmp_path / "other"
    here.mkdir(parents=True)
    other.mkdir()
    assert folders_of([], here, home) == (here,)
    assert folders_of([other], here, home) == (other,)
    assert folders_of([home], here, home) == (home,), "whoever names it means it"


def test_started_at_home_or_above_it_is_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    assert [folders_of([], here, home) for here in (home, tmp_path, Path("/"), tmp_path / "link")] == [()] * 4


def test_what_is_no_folder_is_said(console: Console, tmp_path: Path) -> None:
    done = console("mcp", "--files", tmp_path / "nowhere")
    assert done.code == 2
    assert "is not a folder" in done.err


@pytest.mark.requires("mcp.again")
def test_over_http_a_desktop_that_cannot_be_opened_ends_it(console: Console) -> None:
    done = console("mcp", "--http", ":0", "--desktop", "nowhere")
    assert done.code == 2
    assert "no desktop named 'nowhere' is up" in done.err
