"""What `deskhand screenshot` says beside the picture, of a desktop in memory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from notes import Notes


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Notes:
    """What `--desktop memory` opens."""
    made = Notes()

    @asynccontextmanager
    async def opened(choice: str, *_: object, **__: object) -> AsyncGenerator[FakeDesktop]:
        assert choice == "memory"
        yield made.desktop

    monkeypatch.setattr("deskhand.cli.desktop_choice.open_desktop", opened)
    monkeypatch.setenv("DESKHAND_DESKTOP", "memory")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.requires("cli.screenshot")
@pytest.mark.usefixtures("notes")
def test_a_picture_with_every_label_lacks_nothing(console: Console) -> None:
    done = console("screenshot", "--annotated", "-o", "seen.png", "--json")
    assert (done.code, done.err, done.item("truncated"), done.item("unlabelled")) == (0, "", None, [])


@pytest.mark.requires("cli.screenshot")
def test_labels_without_room_are_told(console: Console, notes: Notes) -> None:
    place = notes.window.rect
    strip = Rect.from_extents(place.left, place.top, 24, 40)
    notes.window.controls.extend(FakeControl(Role.LABEL, f"Label {n}", rect=strip) for n in range(60))
    done = console("screenshot", "--annotated", "-o", "seen.png", "--json")
    unlabelled = done.item("unlabelled")
    assert isinstance(unlabelled, list)
    assert unlabelled
    seen = [control["id"] for control in console("observe", "--json").items("controls")]
    assert all(label in seen for label in unlabelled)
    assert f"(no room for the labels of {len(unlabelled)} of its controls)" in done.err


@pytest.mark.requires("cli.screenshot")
def test_what_could_not_be_read_has_no_label_and_is_told(console: Console, notes: Notes) -> None:
    notes.desktop.faults.truncate_after = 2
    done = console("screenshot", "--annotated", "-o", "seen.png", "--json")
    assert (done.code, done.item("truncated", "reason")) == (0, "deadline")
    assert "(not everything could be read: deadline)" in done.err
    plain = console("screenshot", "--window", "Notes", "-o", "seen.png", "--json")
    assert (plain.err, plain.item("truncated")) == ("", None), "a picture alone shows it all"


@pytest.mark.requires("cli.screenshot")
@pytest.mark.parametrize("annotated", [["--annotated"], []])
def test_what_covers_the_window_is_told_as_it_is_in_the_picture(
    console: Console, notes: Notes, annotated: list[str]
) -> None:
    beside = Rect.from_extents(540, 400, 80, 60)
    other = notes.desktop.open(FakeWindow("Other", [], rect=beside))
    gone = notes.desktop.open(FakeWindow("Gone", [], rect=notes.window.rect))

    def change() -> None:
        notes.desktop.close_window(gone)
        notes.window.rect = beside

    notes.desktop.faults.before("observe", change)
    done = console("screenshot", *annotated, "--window", "Notes", "-o", "seen.png", "--json")
    assert (done.code, done.item("rect"), done.item("covered_by")) == (0, beside.to_list(), [other.title])
    assert done.err == '"Other" covers a part of the window and is in the picture\n'
