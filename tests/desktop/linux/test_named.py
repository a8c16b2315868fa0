"""Named desktops outlive whoever started them, are found again, and are never believed when they are gone."""

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.error import BadWindow

from deskhand.core.errors import DesktopGone, RegistryUnusable, UsageError
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.named_desktop import (
    REGISTRY_VARIABLE,
    EndedDesktop,
    NamedDesktop,
    ended_named,
    list_named,
    open_named,
    start_named,
    stop_all,
    stop_named,
    unusable_named,
)
from deskhand.desktop.linux.runtime.process_table import running_as
from deskhand.desktop.processes import boot_id, marked
from desktop.linux.fixture import keys_down
from support import ROOT, command_line, wait_for, wait_until_ended

pytestmark = pytest.mark.desktop

SMALL = (640, 480)
BARE = ROOT / "tests/apps/bare_x11.py"
START = """
import anyio, sys
from pathlib import Path
from deskhand.desktop.linux.runtime.named_desktop import start_named
print(anyio.run(lambda: start_named("shared", size=(640, 480), registry=Path(sys.argv[1]))).display, flush=True)
"""

HOLD = """
import anyio
from deskhand.core.geometry import Point
from deskhand.desktop.linux.opening import open_running
from deskhand.desktop.protocols.input import Chord, MouseButton
async def main():
    async with open_running("shared", "a test", brief=False, releases=True) as desktop:
        await desktop.hold_button(Point(9, 9), MouseButton.LEFT)
        await desktop.hold_keys(Chord("shift"))
        print("down", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""


def run(code: str, registry: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, str(registry)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncGenerator[Path]:
    registry = tmp_path / "desktops"
    yield registry
    await stop_all(registry=registry)


def entry(registry: Path, name: str) -> "dict[str, object]":
    return json.loads((registry / f"{name}.json").read_text())


def keepers(registry: Path, name: str) -> list[int]:
    return [keeper["pid"] for keeper in entry(registry, name)["keepers"]]  # pyright: ignore  JSON


def sleeper(environment: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "1000"], env=environment)


def write(registry: Path, name: str, text: str) -> None:
    registry.mkdir(exist_ok=True)
    (registry / f"{name}.json").write_text(text)


def content(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.name not in {".locks", ".ended"})


def managers(registry: Path, name: str) -> list[int]:
    """The window managers that the desktop's guardian keeps, each of which leads a session.

    What one has just forked and is about to become another program has its name still, and is none.
    """
    guardian = keepers(registry, name)[0]
    below = filter(None, map(running_as, descendants(guardian)))
    return [each.pid for each in below if each.session == each.pid and command_line(each.pid).startswith("openbox")]


def managed(display: str) -> int:
    """How many windows the window manager says that it has."""
    with contextlib.closing(Display(display)) as connection:
        atom = connection.intern_atom("_NET_CLIENT_LIST")
        found = connection.screen().root.get_full_property(atom, 0)
        return len(found.value) if found else 0


def is_managed(display: str) -> bool:
    """Whether a window manager is there: its own window is, which it tells of once it takes in what comes."""
    with contextlib.closing(Display(display)) as connection:
        atom = connection.intern_atom("_NET_SUPPORTING_WM_CHECK")
        found = connection.screen().root.get_full_property(atom, 0)
        own = connection.create_resource_object("window", found.value[0]) if found else None
        try:
            return bool(own and own.get_full_property(atom, 0))
        except BadWindow:
            return False  # that of the one before


async def test_a_desktop_outlives_its_starter_and_keeps_none_of_its_descriptors(registry: Path) -> None:
    starter = run(START, registry)
    printed, _ = starter.communicate(timeout=20)  # returns at end-of-file: nobody else holds the pipe
    assert starter.returncode == 0
    [desktop] = await list_named(registry=registry)
    assert desktop.display == printed.strip()
    assert all(command_line(pid) for pid in keepers(registry, "shared"))


async def test_starting_a_running_name_returns_it(registry: Path) -> None:
    first = await start_named("one", size=SMALL, registry=registry)
    assert await start_named("one", registry=registry) == first


async def test_two_processes_that_start_one_name_at_once_get_one_desktop(registry: Path) -> None:
    starters = [run(START, registry) for _ in range(3)]
    displays = {starter.communicate(timeout=30)[0] for starter in starters}
    assert len(displays) == 1
    assert len(await list_named(registry=registry)) == 1


async def test_stopping_leaves_nothing(registry: Path) -> None:
    desktop = await start_named("one", size=SMALL, registry=registry)
    mark = str(entry(registry, "one")["mark"])
    everybody = {*marked(mark), *keepers(registry, "one")}
    assert await stop_named("one", registry=registry)
    wait_until_ended(everybody, 0)
    assert content(registry) == []
    assert not marked(mark)
    assert not desktop.directory.exists()
    assert not await stop_named("one", registry=registry)


async def test_all_are_listed_by_name_and_stopped_together(registry: Path) -> None:
    for name in ("b", "a"):
        await start_named(name, size=SMALL, registry=registry)
    assert [desktop.name for desktop in await list_named(registry=registry)] == ["a", "b"]
    assert await stop_all(registry=registry) == ("a", "b")
    assert await list_named(registry=registry) == ()


@pytest.mark.requires("desktop.nothing-left")
async def test_one_whose_entry_cannot_be_written_is_told_and_leaves_nothing(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RegistryUnusable, match=r"could not write .*/one\.json.*: No space left on device"):
        await start_named("one", size=SMALL, registry=registry)
    assert content(registry) == []


async def test_a_program_started_on_an_opened_desktop_stays_when_we_let_go_and_ends_with_it(registry: Path) -> None:
    await start_named("one", size=SMALL, registry=registry)
    opened = await open_named("one", registry=registry)
    failing = await opened.spawn(["sh", "-c", "exit 3"])
    assert wait_for(lambda: opened.exited(failing)) == 3
    pid = await opened.spawn(["sleep", "1000"])
    await opened.close()
    assert command_line(pid) == "sleep 1000 "
    await stop_named("one", registry=registry)
    assert not command_line(pid)


def is_button_down(display: str) -> bool:
    with contextlib.closing(Display(display)) as connection:
        return bool(connection.screen().root.query_pointer().mask & X.Button1Mask)


@pytest.mark.requires("act.every-move")
async def test_keys_and_a_button_that_a_killed_process_left_down_are_released(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = (await start_named("shared", size=SMALL, registry=registry)).display
    monkeypatch.setenv(REGISTRY_VARIABLE, str(registry))
    holding = run(HOLD, registry)
    assert holding.stdout
    assert holding.stdout.readline() == "down\n"
    assert (keys_down(display) > 0, is_button_down(display)) == (True, True)
    holding.kill()
    holding.communicate(timeout=20)
    assert wait_for(lambda: (keys_down(display), is_button_down(display)) == (0, False), 20)


async def test_what_a_shell_exports_does_not_mark_the_shells_programs_for_killing(registry: Path) -> None:
    desktop = await start_named("one", size=SMALL, registry=registry)
    assert desktop.environment["DESKHAND_DESKTOP"] == "one"
    with sleeper(desktop.environment) as bystander:
        await stop_named("one", registry=registry)
        assert bystander.poll() is None
        bystander.kill()


@pytest.mark.requires("desktop.manager-kept")
async def test_a_window_manager_that_ends_is_started_again_a_few_times_and_then_it_is_told(registry: Path) -> None:
    desktop = await start_named("one", size=SMALL, registry=registry)
    opened = await open_named("one", registry=registry)
    for number in range(5):
        [manager] = wait_for(lambda: managers(registry, "one"))
        os.kill(manager, signal.SIGKILL)
        wait_for(lambda manager=manager: {manager}.isdisjoint(managers(registry, "one")) and managers(registry, "one"))
        if not number:
            wait_for(lambda: is_managed(desktop.display))  # openbox overlooks what comes while it starts
            await opened.spawn([sys.executable, str(BARE), "Bare", "0", "0", "100", "100"])
            wait_for(lambda: managed(desktop.display) == 1)
    assert [each.notice for each in await list_named(registry=registry)] == [
        "openbox ended with signal 9 and was started again"
    ]
    [manager] = managers(registry, "one")
    os.kill(manager, signal.SIGKILL)
    notices = desktop.directory / "notices"
    wait_for(lambda: len(notices.read_text().splitlines()) == 6)
    assert managers(registry, "one") == []
    with pytest.raises(DesktopGone, match="openbox ended with signal 9 and is not started again") as told:
        await open_named("one", registry=registry)
    assert "deskhand desktop stop one" in told.value.fix
    await opened.close()


@pytest.mark.requires("desktop.end-told")
@pytest.mark.parametrize(
    ("number", "why"), [(0, "its X server, Xvfb, ended"), (1, "its session bus, dbus-daemon, ended")]
)
async def test_what_it_was_that_ended_is_told_until_the_desktop_is_started_anew(
    registry: Path, number: int, why: str
) -> None:
    await start_named("one", size=SMALL, registry=registry)
    pid = [process["pid"] for process in entry(registry, "one")["programs"]][number]  # pyright: ignore  JSON
    os.kill(pid, signal.SIGKILL)  # pyright: ignore  as above
    wait_until_ended([pid])  # pyright: ignore  as above
    for _ in range(2):
        with pytest.raises(UsageError, match=why) as told:
            await open_named("one", registry=registry)
        assert told.value.fix == "deskhand desktop start one"
    assert ended_named(registry=registry) == (EndedDesktop("one", why),)
    await start_named("one", size=SMALL, registry=registry)
    assert ended_named(registry=registry) == ()


@pytest.mark.parametrize("victims", [("keepers",), ("programs",), ("keepers", "programs")])
async def test_a_desktop_whose_processes_were_killed_is_stale_and_started_anew(
    registry: Path, victims: tuple[str, ...]
) -> None:
    first = await start_named("one", size=SMALL, registry=registry)
    mark = str(entry(registry, "one")["mark"])
    pids: list[int] = [process["pid"] for kind in victims for process in entry(registry, "one")[kind]]  # pyright: ignore  JSON
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # programs die of their keepers' death
            os.kill(pid, signal.SIGKILL)
    wait_until_ended(pids)
    assert await list_named(registry=registry) == ()
    assert not marked(mark)
    assert content(registry) == []
    second = await start_named("one", size=SMALL, registry=registry)
    assert second.directory != first.directory


async def test_an_entry_of_an_earlier_boot_is_stale_and_its_pids_are_left_alone(registry: Path) -> None:
    await start_named("one", size=SMALL, registry=registry)
    running = entry(registry, "one")
    ghost = {**running, "name": "ghost", "boot": "earlier", "mark": "none", "directory": "/nonexistent/a"}
    write(registry, "ghost", json.dumps({**ghost, "runtime": "/nonexistent/b"}))
    assert [desktop.name for desktop in await list_named(registry=registry)] == ["one"]
    assert content(registry) == sorted(["one.json", Path(str(running["directory"])).name])


@pytest.mark.requires("cli.stale-desktops")
async def test_one_of_another_version_is_neither_forgotten_nor_started_twice_and_hides_no_other(registry: Path) -> None:
    await start_named("new", size=SMALL, registry=registry)
    await start_named("old", size=SMALL, registry=registry)
    kept = entry(registry, "old")
    write(registry, "old", json.dumps({**kept, "since": "another version"}))
    try:
        assert [desktop.name for desktop in await list_named(registry=registry)] == ["new"]
        for operation in (stop_named, open_named, start_named):
            with pytest.raises(RegistryUnusable, match=r"desktop 'old' is .* another version .*/old\.json"):
                await operation("old", registry=registry)
        [told] = unusable_named(registry=registry)
        assert "deskhand desktop stop old with the version that started it" in told.fix
        with pytest.raises(RegistryUnusable, match=r"desktop 'old' is .*; stopped: new"):
            await stop_all(registry=registry)
        assert all(command_line(pid) for pid in keepers(registry, "old"))
    finally:
        write(registry, "old", json.dumps(kept))
    assert await stop_all(registry=registry) == ("old",)


async def test_a_reused_pid_is_not_mistaken_for_the_desktop(registry: Path) -> None:
    with sleeper() as bystander:
        ghost: dict[str, object] = {"name": "ghost", "display": ":99", "environment": {}, "a11y_address": ""}
        ghost |= {"directory": "/nonexistent/a", "runtime": "/nonexistent/b", "mark": "none"}
        ghost |= {"boot": boot_id()}
        ghost |= {"keepers": [{"pid": bystander.pid, "started": 1}], "programs": []}
        write(registry, "ghost", json.dumps(ghost))
        assert await list_named(registry=registry) == ()
        assert bystander.poll() is None
        bystander.kill()


async def test_opening_what_is_not_up_says_how_to_start_it(registry: Path) -> None:
    with pytest.raises(UsageError, match="nobody") as raised:
        await open_named("nobody", registry=registry)
    assert raised.value.fix == "deskhand desktop start nobody"


@pytest.mark.parametrize("name", ["../escape", "", ".locks", "a:session"])
async def test_what_cannot_be_a_name_is_refused_everywhere(name: str, registry: Path) -> None:
    for operation in (start_named, stop_named, open_named):
        with pytest.raises(UsageError):
            await operation(name, registry=registry)


async def test_the_registrys_file_is_for_its_owner_alone(registry: Path) -> None:
    desktop = await start_named("one", size=SMALL, registry=registry)
    assert isinstance(desktop, NamedDesktop)
    assert os.stat(registry / "one.json").st_mode & 0o777 == 0o600  # noqa: PTH116  Path.stat is refused in async
