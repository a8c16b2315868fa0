"""The Python interface on a private desktop with a real application, judged by the file that it saves."""

import json
from pathlib import Path

import pytest

import deskhand
from deskhand import sync
from deskhand.config.sections import ApplicationEntry, Configuration
from deskhand.core.command import Effect
from deskhand.core.errors import DesktopGone, UsageError
from support import ROOT, wait_until_ended

pytestmark = pytest.mark.desktop


@pytest.mark.requires("python.locators")
async def test_a_text_is_typed_and_saved_and_a_dialog_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    async with deskhand.open_desktop() as desktop:
        window = await desktop.launch("gedit")
        await window.textbox().type("Dear {ENTER} all")
        await window.save(file)
        assert file.read_text() == "Dear {ENTER} all\n"
        await window.button("Open").press()
        dialog = await desktop.window("Open Files")
        await dialog.button("Cancel").press()
        await dialog.wait_closed()
        assert (await window.button("Close").press()).effect is Effect.CONFIRMED
        await window.wait_closed()
    with pytest.raises(DesktopGone):
        await desktop.windows()


@pytest.mark.requires("python.scrolling", "observe.scrolled-away")
async def test_a_number_far_down_in_a_pane_is_scrolled_to_and_no_other_changes(tmp_path: Path) -> None:
    file = tmp_path / "numbers.json"
    entry = ApplicationEntry(argv=("/usr/bin/python3", str(ROOT / "tests/apps/scrolled_gtk3.py"), str(file)))
    async with deskhand.open_desktop(configuration=Configuration(applications={"scrolled": entry})) as desktop:
        window = await desktop.launch("scrolled")
        assert (await window.spinbutton("Number 37").set(7)).effect is Effect.CONFIRMED
        await window.spinbutton("Number 1").set(8)
    expected = [50] * 40
    expected[37], expected[1] = 7, 8
    assert json.loads(file.read_text()) == expected


@pytest.mark.requires("python.sync")
def test_without_await_the_desktop_ends_with_its_block_also_by_an_error(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all")

    def work() -> None:
        with sync.open_desktop() as desktop:
            window = desktop.launch(file=file)
            pids.append(window.info.pid or 0)
            assert window.textbox().text() == "Dear all"
            assert desktop.window("letter.txt").title == window.title
            assert window.textbox().act("texts").result
            raise KeyError("the script's own")

    pids: list[int] = []
    with pytest.raises(KeyError):
        work()
    wait_until_ended(pids)


@pytest.mark.requires("python.sync")
def test_a_desktop_that_is_not_there_is_an_error_of_the_caller() -> None:
    with pytest.raises(UsageError, match="nowhere"), sync.open_desktop("nowhere"):
        pass
