"""Programs of Windows on private desktops, started by name, and gone with their desktop."""

import shlex
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.errors import LaunchFailed
from deskhand.core.target import TargetInfo
from deskhand.desktop.backends import Virtual, open_desktop
from deskhand.desktop.linux.wine.bridge_start import ensure_bridge
from deskhand.desktop.linux.wine.installation import Wine
from deskhand.desktop.linux.wine.run import command
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.resettable import Resettable
from deskhand.desktop.protocols.windows import Application
from support import command_line
from windows_programs import use_installed

BRIDGE = """
import os, signal
with open(os.environ["HOME"] + "/bridges", "a") as listed:
    listed.write(f"{os.getpid()} {os.environ['WINEPREFIX']}\\n")
print("ready", flush=True)
signal.pause()
"""
"""Stands in for the bridge: notes that it was started, and is ready."""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Variables of each launch, with the bridge that only notes its start."""
    use_installed(monkeypatch)
    (tmp_path / "bridge.py").write_text(BRIDGE)
    return {"DESKHAND_WINE_BRIDGE": shlex.join((sys.executable, str(tmp_path / "bridge.py")))}


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncGenerator[tuple[Desktop, Path]]:
    """A private desktop, and its home."""
    async with open_desktop(Virtual("wine", tmp_path / "root")) as desktop:
        yield desktop, Path(desktop.environment["HOME"])


@pytest.mark.desktop
@pytest.mark.requires("wine.launch", "wine.end")
async def test_programs_run_in_the_prefix_of_their_desktop_with_one_bridge_and_end_with_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada")

    async def launch(program: str, file: Path | None = None) -> TargetInfo:
        return await desktop.launch(Application(program, (program,), environment=environment), file)

    async with opened(tmp_path) as (desktop, home):
        notepad = await launch("notepad.exe", letter)
        settings = await launch(r"C:\windows\system32\winecfg.exe")
        bridges = (home / "bridges").read_text().splitlines()
        programs = {window.pid: command_line(window.pid or 0) for window in (notepad, settings)}
        servers = [pid for pid in map(int, bridges[0].split()[:1]) if command_line(pid)]
        assert isinstance(desktop, Resettable)
        await desktop.reset()
        assert not (home / ".wine").exists()
        assert [command_line(pid) for pid in (*servers, *filter(None, programs))] == [""] * 3
    assert notepad.name == "letter.txt - Notepad"
    assert [line.split()[1] for line in bridges] == [str(home / ".wine")]
    assert "system32/notepad.exe" in programs[notepad.pid]
    assert "system32/winecfg.exe" in programs[settings.pid]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, which is drive C: too."""
    (tmp_path / "dosdevices").mkdir()
    (tmp_path / "dosdevices" / "c:").symlink_to("..")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WINE = Wine(Path("/wine64"), Path("/wineserver64"), Path("/none/x86_64-windows"))


def header(bits: int) -> bytes:
    machine = {32: b"\x4c\x01", 64: b"\x64\x86"}[bits]
    return b"MZ".ljust(0x3C, b"\0") + (0x80).to_bytes(4, "little") + bytes(0x40) + b"PE\0\0" + machine


@pytest.mark.requires("wine.launch")
def test_a_program_is_run_itself_and_all_else_is_opened(here: Path) -> None:
    for name in ("app.exe", "setup.msi", "app.lnk", "a.txt"):
        (here / name).write_bytes(header(64))
    text, argument = str(here / "a.txt"), r"C:\a.txt"
    assert command(WINE, here, ("app.exe", text, "/p", "a.txt")) == [
        *("/wine64", str(here / "app.exe")),
        *(argument, "/p", "a.txt"),
    ]
    for name in ("setup.msi", "app.lnk"):
        assert command(WINE, here, (name,)) == ["/wine64", "start", "/wait", "/unix", str(here / name)]
    assert command(WINE, here, ("other.exe", text)) == ["/wine64", "start", "/wait", "other.exe", argument]


@pytest.mark.requires("wine.missing")
def test_a_program_of_32_bits_is_refused_with_what_to_do(here: Path) -> None:
    (here / "old.exe").write_bytes(header(32))
    with pytest.raises(LaunchFailed, match="32 bits") as caught:
        command(WINE, here, ("old.exe",))
    assert "wine32" in caught.value.fix


def test_a_bridge_that_ends_before_it_is_ready_fails_the_launch_with_its_output(tmp_path: Path) -> None:
    said = (sys.executable, "-c", "import sys; sys.exit('no bus')")
    with pytest.raises(LaunchFailed, match="no bus"):
        ensure_bridge(tmp_path, {"XDG_RUNTIME_DIR": str(tmp_path)}, said)
    with pytest.raises(LaunchFailed, match="none-such"):
        ensure_bridge(tmp_path, {"XDG_RUNTIME_DIR": str(tmp_path)}, ("/none-such",))
