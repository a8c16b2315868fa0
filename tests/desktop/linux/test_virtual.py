"""A private desktop comes up whole, or not at all."""

import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from xml.etree import ElementTree

import anyio
import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from Xlib.display import Display
from Xlib.error import DisplayConnectionError

from deskhand.core.errors import DesktopStartFailed, LaunchFailed, MissingRequirement, UsageError
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.libreoffice_profile import settings_file
from deskhand.desktop.linux.runtime.virtual_desktop import VirtualDesktop, boot, start_virtual
from deskhand.desktop.processes import marked
from support import command_line, wait_for, wait_until_ended, window_titles

pytestmark = pytest.mark.desktop


@pytest.fixture
async def desktop(tmp_path: Path) -> AsyncGenerator[VirtualDesktop]:
    desktop = await start_virtual("test", root=tmp_path / "root", size=(1024, 768))
    yield desktop
    await desktop.close()


def mark_of(desktop: VirtualDesktop) -> str:
    return desktop.environment["DESKHAND_DESKTOP_ID"]


def environ(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def content(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def keepers() -> set[int]:
    return {pid for pid in descendants(os.getpid()) if command_line(pid).startswith("deskhand-")}


def pss_mib(pid: int) -> float:
    """0 for a process that has ended: starting a desktop runs some that do not stay."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


async def ask(address: str, service: str, path: str, member: str, signature: str = "", *body: object) -> list[object]:
    bus = await MessageBus(bus_address=address).connect()
    try:
        interface, _, name = member.rpartition(".")
        reply = await bus.call(
            Message(
                destination=service, path=path, interface=interface, member=name, signature=signature, body=list(body)
            )
        )
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return reply.body
    finally:
        bus.disconnect()


async def test_the_screen_has_the_size_asked_for(desktop: VirtualDesktop) -> None:
    display = Display(desktop.display)
    screen = display.screen()
    assert (screen.width_in_pixels, screen.height_in_pixels) == (1024, 768)
    display.close()


async def test_applications_are_told_to_be_accessible_and_the_registry_answers(desktop: VirtualDesktop) -> None:
    session = desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
    for switch in ("IsEnabled", "ScreenReaderEnabled"):
        value = await ask(
            session,
            "org.a11y.Bus",
            "/org/a11y/bus",
            "org.freedesktop.DBus.Properties.Get",
            "ss",
            "org.a11y.Status",
            switch,
        )
        assert value[0].value is True  # pyright: ignore  a D-Bus variant
    root = "/org/a11y/atspi/accessible/root"
    children = await ask(desktop.a11y_address, "org.a11y.atspi.Registry", root, "org.a11y.atspi.Accessible.GetChildren")
    assert children == [[]]


async def test_an_office_suite_appears_on_it_accessible_and_with_a_seeded_profile(desktop: VirtualDesktop) -> None:
    await desktop.spawn(["soffice", "--calc"])
    wait_for(lambda: any("Calc" in title for title in window_titles(desktop.display)), 30)
    assert len(window_titles(desktop.display)) == 1, "a tip, a recovery or another box stands beside the document"
    root = "/org/a11y/atspi/accessible/root"
    children = await ask(desktop.a11y_address, "org.a11y.atspi.Registry", root, "org.a11y.atspi.Accessible.GetChildren")
    assert children[0]
    settings = desktop.directory / "home/.config/libreoffice/4/user/registrymodifications.xcu"
    assert "OfficeRestartInProgress" not in settings.read_text(), "its first start went twice"


async def test_a_program_is_started_by_its_wrapper_with_private_places(desktop: VirtualDesktop) -> None:
    pid = await desktop.spawn(["sh", "-c", "command -v soffice; env"], log_name="what")
    wait_for(lambda: desktop.exited(pid) is not None)
    wrapper, *lines = desktop.log("what").read_text().splitlines()
    seen = dict(line.split("=", 1) for line in lines if "=" in line)
    assert Path(wrapper).parent == desktop.directory / "deskhand-bin"
    assert Path(seen["HOME"]).is_relative_to(desktop.directory)
    assert seen["XDG_CONFIG_HOME"] == f"{desktop.directory}/home/.config"
    assert seen["LANG"] == "C.UTF-8"
    assert seen["DISPLAY"] == desktop.display
    assert os.stat(seen["XDG_RUNTIME_DIR"]).st_mode & 0o777 == 0o700  # noqa: PTH116  Path.stat is refused in async


async def test_secrets_of_the_caller_do_not_reach_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter2")
    desktop = await start_virtual("test", root=tmp_path)
    try:
        processes = marked(mark_of(desktop))
        assert processes
        assert not [pid for pid in processes if b"hunter2" in environ(pid)]
    finally:
        await desktop.close()


async def test_closing_leaves_nothing(tmp_path: Path) -> None:
    desktop = await start_virtual("test", root=tmp_path)
    mark = mark_of(desktop)
    everybody = marked(mark)
    await desktop.spawn(["sh", str(Path(__file__).with_name("detached.sh")), str(tmp_path / "detached")])
    wait_for((tmp_path / "detached").exists)
    (tmp_path / "detached").unlink()
    await desktop.close()
    assert len(everybody) >= 6
    wait_until_ended(everybody, 0)
    assert not marked(mark)
    assert content(tmp_path) == []
    assert desktop.environment["XDG_RUNTIME_DIR"] not in map(str, content(Path(tempfile.gettempdir())))
    assert not [pid for pid in descendants(os.getpid()) if "deskhand" in command_line(pid)]


@pytest.mark.requires("desktop.private")
async def test_many_desktops_at_once_share_nothing(tmp_path: Path) -> None:
    desktops: list[VirtualDesktop] = []

    async def start() -> None:
        desktops.append(await start_virtual("same", root=tmp_path))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(start)
    try:
        for part in ("DISPLAY", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMPDIR"):
            assert len({desktop.environment[part] for desktop in desktops}) == 4
        assert len({desktop.a11y_address for desktop in desktops}) == 4
    finally:
        for desktop in desktops:
            await desktop.close()


@pytest.mark.requires("desktop.private")
async def test_a_program_of_an_ended_desktop_does_not_appear_on_the_next_one(tmp_path: Path) -> None:
    ended = await start_virtual("test", root=tmp_path)
    await ended.close()
    desktop = await start_virtual("test", root=tmp_path)
    try:
        assert desktop.display != ended.display
        with pytest.raises(DisplayConnectionError):
            Display(ended.environment["DISPLAY"])
    finally:
        await desktop.close()


@pytest.mark.requires("desktop.ready-time")
async def test_a_desktop_is_small_when_idle(tmp_path: Path) -> None:
    before = keepers()
    desktop = await start_virtual("test", root=tmp_path)
    try:
        memory_mib = sum(map(pss_mib, marked(mark_of(desktop)) | (keepers() - before)))
    finally:
        await desktop.close()
    assert 5 < memory_mib <= 50


async def test_a_deep_directory_does_no_harm(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["deeply-nested"] * 12)
    desktop = await start_virtual("n" * 64, root=deep)
    await desktop.close()
    assert len(str(deep)) > 150


@pytest.mark.requires("desktop.private")
async def test_a_folder_for_sockets_may_have_any_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="jürgen ~b-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        desktop = await start_virtual("test", root=tmp_path)
        assert desktop.environment["XDG_RUNTIME_DIR"].startswith(folder)
        await desktop.close()


async def test_a_desktop_started_from_another_does_not_lean_on_its_wrappers(
    desktop: VirtualDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", desktop.environment["PATH"])
    inner = await start_virtual("inner", root=tmp_path / "inner")
    try:
        assert str(desktop.directory) not in inner.environment["PATH"]
        assert str(desktop.directory) not in (inner.directory / "deskhand-bin/soffice").read_text()
    finally:
        await inner.close()


async def test_a_relative_root_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    desktop = await start_virtual("test", root=Path("here"))
    try:
        assert desktop.directory.parent == tmp_path / "here"
    finally:
        await desktop.close()


def path_without(program: str, folder: Path) -> str:
    """A PATH on which one of the programs is missing."""
    folder.mkdir()
    for needed in ("Xvfb", "dbus-daemon", "openbox"):
        if needed != program:
            (folder / needed).symlink_to(Path("/usr/bin") / needed)
    return str(folder)


@pytest.mark.parametrize(
    ("program", "fix"),
    [
        ("Xvfb", "sudo apt-get install -y xvfb"),
        ("dbus-daemon", "sudo apt-get install -y dbus-daemon"),
        ("openbox", "sudo apt-get install -y openbox"),
    ],
)
async def test_a_missing_program_is_named_with_its_fix(
    program: str, fix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path_without(program, tmp_path / "bin"))
    with pytest.raises(MissingRequirement, match=program) as raised:
        await start_virtual("test", root=tmp_path / "root")
    assert raised.value.fix == fix
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize("program", ["Xvfb", "dbus-daemon", "openbox"])
async def test_a_program_that_fails_is_quoted_and_nothing_is_left(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path_without(program, tmp_path / "bin") + ":/usr/bin:/bin")
    broken = tmp_path / "bin" / program
    broken.write_text("#!/bin/sh\necho the disk is on fire >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(DesktopStartFailed, match="the disk is on fire"):
        await start_virtual("test", root=tmp_path / "root")
    assert content(tmp_path / "root") == []
    assert not [pid for pid in descendants(os.getpid()) if str(tmp_path) in command_line(pid)]


async def test_a_root_that_cannot_be_written_is_a_failed_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DesktopStartFailed, match="file"):
        await start_virtual("test", root=tmp_path / "file/below")


async def test_closing_leaves_nothing_when_guardian_and_watcher_were_killed_at_once(tmp_path: Path) -> None:
    facts, keeper = await boot("test", tmp_path, (800, 600))
    await keeper.control.spawn(["sh", "-c", "trap '' TERM; sleep 1000 & wait; sleep 1000"])
    for process in (keeper.guardian, keeper.watcher):
        assert process
        os.kill(process.pid, signal.SIGKILL)
    await keeper.close()
    assert not marked(keeper.mark)
    assert content(tmp_path) == []
    assert facts.places.runtime not in content(facts.places.runtime.parent)


async def test_other_users_of_the_machine_cannot_use_the_screen(desktop: VirtualDesktop) -> None:
    if os.getuid() != 0:
        pytest.skip("not run: only root can become another user")
    code = "from Xlib.display import Display; import sys; Display(sys.argv[1])"
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", code, desktop.display]
    refused = await anyio.run_process(other, check=False, env={"PYTHONPATH": os.pathsep.join(sys.path)})
    assert b"Authorization required" in refused.stderr


async def test_a_start_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    def ours() -> set[int]:
        return {pid for pid in descendants(os.getpid()) if "deskhand" in command_line(pid)}

    before = ours()
    with anyio.move_on_after(0.03) as scope:
        await start_virtual("test", root=tmp_path)
    assert scope.cancelled_caught
    assert content(tmp_path) == []
    assert not ours() - before


@pytest.mark.parametrize("name", ["", "a/b", "..", ":1", "with space", "x" * 65, "new\nline"])
async def test_what_cannot_be_a_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await start_virtual(name, root=tmp_path)


@pytest.mark.parametrize("size", [(0, 0), (-1, 10), (40_000, 10), (10, 2.5), (True, 10), (10,)])
async def test_a_size_that_no_screen_has_is_refused_before_anything_starts(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with pytest.raises(UsageError, match="cannot have the size"):
        await start_virtual("sized", root=tmp_path / "root", size=size)
    assert not (tmp_path / "root").exists()


async def test_a_program_that_does_not_exist_says_so(desktop: VirtualDesktop) -> None:
    with pytest.raises(LaunchFailed, match="no-such-program"):
        await desktop.spawn(["no-such-program"])


def test_office_settings_are_well_formed_whatever_the_values() -> None:
    text = settings_file({"/org.openoffice.A&B": {"<Name>": 'a"<&>'}})
    parsed = ElementTree.fromstring(text)  # noqa: S314  our own text
    assert [value.text for value in parsed.iter("value")] == ['a"<&>']
