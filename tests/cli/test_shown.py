"""The ids that `observe` shows, from one process to the next."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from cli.driver import environment
from deskhand.cli.id_cache import cached_control, cached_observation, label
from deskhand.core.errors import ElementNotFound, StoreError
from deskhand.core.roles import Role
from deskhand.core.target import Sighting, TargetInfo, TargetKind
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.store.lock import FileLock

pytestmark = pytest.mark.requires("cli.ids-stay")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


class Homed(FakeDesktop):
    """One whose programs have a HOME of their own."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self._home = home

    @property
    def environment(self) -> Mapping[str, str]:
        return {"HOME": str(self._home)}


async def _shown(desktop: FakeDesktop) -> tuple[TargetInfo, dict[str, str]]:
    """The window, and the ids of its controls by their names, as another process shows them each time."""
    window = (await desktop.windows())[0]
    labelled = await label(desktop, await desktop.observe(window, picture=False))
    return window, {control.name: control.id for control in labelled}


def _files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.json"))


def _make_older(folder: Path) -> None:
    """As if all that is there had been written a second before."""
    for file in _files(folder):
        earlier = file.stat().st_mtime - 1
        os.utime(file, (earlier, earlier))


async def test_a_control_keeps_its_id_and_no_other_gets_it() -> None:
    desktop = FakeDesktop()
    first, second, third = (FakeControl(Role.BUTTON, name) for name in ("First", "Second", "Third"))
    shown = desktop.open(FakeWindow("Main", [first, second]))
    window, before = await _shown(desktop)
    assert before == {"First": "1", "Second": "2"}
    shown.controls[:] = [third, second]
    _, after = await _shown(desktop)
    assert after == {"Second": "2", "Third": "3"}
    seen = cached_observation(desktop, window)
    assert cached_control(seen, "3").name == "Third"
    with pytest.raises(ElementNotFound):
        cached_control(seen, "1")
    shown.controls[:] = [second]
    assert (await _shown(desktop))[1] == {"Second": "2"}
    shown.controls[:] = [second, FakeControl(Role.BUTTON, "Fourth")]
    assert (await _shown(desktop))[1] == {"Second": "2", "Fourth": "4"}


async def test_a_text_that_was_read_from_the_picture_is_known_to_the_next_process() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", []))
    window = (await desktop.windows())[0]
    seen = await desktop.observe(window, picture=False)
    sighting = Sighting(window.handle, window.rect, bytes(range(256)))
    text = TargetInfo(TargetKind.CONTROL, "Total", Role.TEXT, handle="read:1", sighting=sighting)
    await label(desktop, replace(seen, controls=(text,)))
    cached = cached_control(cached_observation(desktop, window), "1")
    assert cached == replace(text, id="1")


async def test_a_control_keeps_its_id_while_it_is_out_of_sight_and_means_nothing_meanwhile() -> None:
    desktop = FakeDesktop()
    of_one, of_other = (FakeControl(Role.BUTTON, name) for name in ("One", "Other"))
    shown = desktop.open(FakeWindow("Main", [of_one]))
    assert (await _shown(desktop))[1] == {"One": "1"}
    shown.controls[:] = [of_other]
    window, ids = await _shown(desktop)
    assert ids == {"Other": "2"}
    with pytest.raises(ElementNotFound):
        cached_control(cached_observation(desktop, window), "1")
    shown.controls[:] = [of_one]
    assert (await _shown(desktop))[1] == {"One": "1"}
    shown.controls[:] = [of_one, of_other]
    assert (await _shown(desktop))[1] == {"One": "1", "Other": "2"}


async def test_of_what_is_out_of_sight_the_latest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.cli.id_cache.MAX_OUT_OF_SIGHT", 2)
    desktop = FakeDesktop()
    pages = [FakeControl(Role.BUTTON, f"Page {number}") for number in range(4)]
    shown = desktop.open(FakeWindow("Main", []))
    for page in pages:
        shown.controls[:] = [page]
        await _shown(desktop)
    shown.controls[:] = pages
    assert (await _shown(desktop))[1] == {"Page 0": "5", "Page 1": "2", "Page 2": "3", "Page 3": "4"}


async def test_no_two_windows_have_an_id_in_common() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "One")]))
    await _shown(desktop)
    desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Two")]))
    assert (await _shown(desktop))[1] == {"Two": "2"}


async def test_what_was_shown_of_windows_long_gone_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.cli.id_cache.MAX_WINDOWS", 3)
    desktop = FakeDesktop()
    windows: list[TargetInfo] = []
    for number in range(5):
        desktop.open(FakeWindow(f"Window {number}", [FakeControl(Role.BUTTON, "One")]))
        windows.append((await _shown(desktop))[0])
        _make_older(tmp_path)
    assert [cached_observation(desktop, window) is not None for window in windows] == [False, False, True, True, True]
    assert len(_files(tmp_path)) == 3


async def test_what_was_shown_is_for_its_owner_alone_and_lies_with_its_desktop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = Homed(tmp_path / "home")
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "One")]))
    window, before = await _shown(desktop)
    assert [file.stat().st_mode & 0o777 for file in _files(tmp_path / "home")] == [0o600]
    assert _files(tmp_path) == _files(tmp_path / "home")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another shell"))
    assert cached_observation(desktop, window) is not None
    assert (await _shown(desktop))[1] == before


def _file_in_the_way(state: Path) -> None:
    state.mkdir()
    (state / "deskhand").touch()


def _folder_in_place_of_the_lock(state: Path) -> None:
    (state / "deskhand/seen/.lock").mkdir(parents=True)


def _folders_in_place_of_windows(state: Path) -> None:
    for number in range(4):
        (state / f"deskhand/seen/{number}.json").mkdir(parents=True)


@pytest.mark.parametrize("happens", [_file_in_the_way, _folder_in_place_of_the_lock, _folders_in_place_of_windows])
async def test_where_ids_cannot_be_kept_it_is_told_where_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Path], None]
) -> None:
    monkeypatch.setattr("deskhand.cli.id_cache.MAX_WINDOWS", 3)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    happens(tmp_path / "state")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "One")]))
    with pytest.raises(StoreError, match=f"{tmp_path}/state/deskhand/seen") as told:
        await _shown(desktop)
    assert "or make it writable" in told.value.fix
    assert "--out" not in told.value.fix


LOOKS = 40
NUMBERING = f"""
import sys
import anyio
from deskhand.cli.id_cache import label
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.fake import FakeDesktop, FakeWindow

async def number():
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", []))
    [window] = await desktop.windows()
    print("ready", flush=True)
    sys.stdin.readline()
    for look in range({LOOKS}):
        name = f"{{sys.argv[1]}} {{look}}"
        control = TargetInfo(TargetKind.CONTROL, name, Role.BUTTON, Rect(0, 0, 9, 9), handle=name)
        [labelled] = await label(desktop, Observation(window, (control,), None, 0.0))
        print(labelled.id)

anyio.run(number)
"""


def test_processes_that_look_at_once_give_no_id_twice() -> None:
    pipe = subprocess.PIPE
    looking = [
        subprocess.Popen([sys.executable, "-c", NUMBERING, who], env=environment(), stdin=pipe, stdout=pipe, text=True)
        for who in ("one", "other")
    ]
    for each in looking:
        assert each.stdout
        assert each.stdout.readline() == "ready\n"
    for each in looking:
        assert each.stdin
        each.stdin.write("now\n")
        each.stdin.flush()
    given = [label for each in looking for label in each.communicate(timeout=30)[0].split()]
    assert sorted(map(int, given)) == list(range(1, 2 * LOOKS + 1))


async def test_a_process_that_numbers_without_end_is_told_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskhand.cli.id_cache._LOCK_TIMEOUT_S", 0.05)
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "One")]))
    await _shown(desktop)
    [folder] = {file.parent for file in _files(tmp_path)}
    lock = FileLock(folder / ".lock", whose="the test")
    with pytest.raises(StoreError, match=r"already holds the ids of controls .*/seen/\.lock") as told:
        await _shown(desktop)
    assert told.value.fix.startswith("try again")
    lock.release()
    assert (await _shown(desktop))[1] == {"One": "1"}
