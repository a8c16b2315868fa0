"""The Python interface on a private desktop with a real application, judged by the file that it saves."""

import json
import os
import resource
import shutil
import signal
from pathlib import Path
from subprocess import DEVNULL

import pytest
from anyio import fail_after, run_process

import deskhand
from deskhand import ExpectationFailed, sync
from deskhand.config.sections import ApplicationEntry, Configuration
from deskhand.core.command import Effect
from deskhand.core.errors import ApplicationGone, BacktraceMissing, DesktopGone, MissingRequirement, UsageError
from deskhand.core.events import ActionFinished, RanOn
from deskhand.desktop.backends import Virtual, open_desktop
from deskhand.desktop.mark import MARK
from deskhand.desktop.processes import marked
from deskhand.desktop.protocols.input import Chord
from deskhand.scripting import on_open_desktop
from deskhand.store.audit import Verdict, audit
from deskhand.store.journal import read_events
from support import ROOT, wait_for, wait_until_ended

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


@pytest.mark.requires("python.expect", "python.recorded")
def test_a_sum_is_expected_and_the_failure_of_a_renamed_button_is_recorded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with sync.open_desktop() as desktop:
        window = desktop.launch("gnome-calculator")

        def script() -> None:
            with desktop.recorded(log, "Sum"):
                entry = window.textbox().nth(0)
                entry.fill("6*7")
                window.press_keys("{ENTER}")
                sync.expect(entry).to_have_value("42")
                sync.expect(window).to_have_title("Calculator")
                sync.expect(window.button("Clear Display")).to_be_visible(timeout_s=0.5)

        with pytest.raises(ExpectationFailed) as caught:
            script()
        sync.expect(window.button("Equals")).to_be_gone()
        assert window.info.pid is not None
        os.kill(window.info.pid, signal.SIGSEGV)
        with pytest.raises(ApplicationGone):
            sync.expect(window.button("Equals")).to_be_gone()
    unmet = caught.value.unmet
    assert unmet.nearest[0].startswith('button "Clear Display [Escape]" at ')
    assert unmet.picture is not None
    assert unmet.picture.is_file()
    tools = [event.tool for event in read_events(log) if isinstance(event, ActionFinished)]
    assert tools == ["set_edit_text", "keyboard_input"]
    facts = {name: fact for event in read_events(log) if isinstance(event, RanOn) for name, fact in event.facts.items()}
    assert facts["package gnome-calculator"]
    assert audit(log).verdict is Verdict.INTACT


@pytest.mark.requires("python.crash")
def test_a_crash_is_reported_with_its_signal_the_last_output_and_the_backtrace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with sync.open_desktop() as desktop:
        window = desktop.launch(argv=["/usr/bin/python3", str(ROOT / "tests/apps/crashing_gtk3.py")])
        assert window.output() == desktop.outputs()["python3"] == "ready\n"
        with pytest.raises(BacktraceMissing, match="runs"):
            window.backtrace()
        assert desktop.wait_until(window.button("Crash").count) == 1
        window.button("Crash").press(check=False)
        with pytest.raises(ApplicationGone, match="ended with signal 11") as caught:
            window.button("Crash").press()
        assert caught.value.message.endswith("\nabout to crash")
        with pytest.raises(ApplicationGone, match="signal 11"):
            sync.expect(window).to_be_closed()
        pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
        if shutil.which("gdb") is None:
            with pytest.raises(MissingRequirement, match="gdb"):
                window.backtrace()
        elif pattern.startswith(("|", "/")) or resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
            with pytest.raises(BacktraceMissing):
                window.backtrace()
        else:
            assert "SIGSEGV" in window.backtrace()
            assert [*tmp_path.glob("core*")]
        desktop.remove_core_files()
        assert [*tmp_path.glob("core*")] == []
        desktop.reset()
        assert desktop.outputs() == {}


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the content of each file of a home folder; openbox writes its own log at its start."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "openbox.log"}


@pytest.mark.requires("python.reset")
async def test_after_a_reset_the_desktop_is_as_clean_as_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_desktop(Virtual("clean", tmp_path)) as opened:
        desktop = on_open_desktop(opened)
        home, before = Path(opened.environment["HOME"]), marked(opened.environment[MARK])
        prepared = contents(home)
        for _ in range(2):
            window = await desktop.launch("gedit")
            await window.textbox().type("left over")
            await window.press_keys("{VK_CONTROL}a{VK_CONTROL}c", check=False)
            stubborn = ("setsid", "-f", "sh", "-c", "trap '' TERM; echo > $HOME/made; sleep 1000")
            await run_process(stubborn, env=opened.environment, stdout=DEVNULL, stderr=DEVNULL)
            wait_for((home / "made").exists)
            await opened.press([Chord("capslock")])
            await opened.hold_keys(Chord("shift"))
            with fail_after(20):
                await desktop.reset()
            assert await desktop.windows() == ()
            assert marked(opened.environment[MARK]) == before
            assert contents(home) == prepared
            assert await opened.whole_clipboard(most_bytes=1000) == {}
            assert (await opened.locks(), (await opened.left_down()).names) == (frozenset(), ())
            assert await opened.pointer() == (await opened.screens())[0].rect.center
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", opened.environment["DBUS_SESSION_BUS_ADDRESS"])
        async with open_desktop(opened.environment["DISPLAY"]) as shared:
            with pytest.raises(UsageError, match="not started by this program"):
                await on_open_desktop(shared).reset()


@pytest.mark.full("test_scrolling has the same in memory")
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
            window = desktop.launch("gedit", file=file)
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
