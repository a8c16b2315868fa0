"""The backend for Windows in Windows CPython, under Wine on a private display."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import anyio
import pytest

from desktop.linux.fixture import linux_desktop
from support import FULL, ROOT, need
from tools.windows_python import HOME, PROGRAM
from win32_programs import build_program

WINE: Final = Path("/usr/lib/wine/wine64")
_SERVER: Final = Path("/usr/lib/wine/wineserver64")
_HERE: Final = ROOT / "tests/desktop/windows/inside"
_SAMPLE: Final = "press_happens or keys_go or password_never or dialog_is or table_is_read or click_at or can_be_pasted"
"""The tests of the suite that CI runs; full trials have all."""
_PREFIX_S: Final = 120.0
_SUITE_S: Final = 600.0
_COMMAND_S: Final = 180.0

pytestmark = [pytest.mark.desktop, pytest.mark.long]


@pytest.fixture
async def wine(tmp_path: Path) -> AsyncIterator[Mapping[str, str]]:
    """The environment of Wine's programs on a private desktop, with a prefix of their own."""
    need(WINE)
    if not PROGRAM.is_file():
        pytest.skip("not run: no Python of Windows with all requirements; make windows-python brings it")
    async with linux_desktop(tmp_path / "desktop") as desktop:
        environment = {
            **os.environ,
            **desktop.environment,
            "WINEPREFIX": str(tmp_path / "prefix"),
            "WINEARCH": "win64",
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
        }
        try:
            await _run(environment, str(WINE), "wineboot", "-u", deadline_s=_PREFIX_S)
            _put_hook(tmp_path / "prefix")
            yield environment
        finally:
            with anyio.CancelScope(shield=True):
                await _run(environment, str(_SERVER), "-k", deadline_s=_PREFIX_S)
                await _run(environment, str(_SERVER), "-w", deadline_s=_PREFIX_S)


def _put_hook(prefix: Path) -> None:
    (user,) = (folder for folder in (prefix / "drive_c/users").iterdir() if folder.name != "Public")
    data = user / "AppData/Local/deskhand"
    data.mkdir(parents=True)
    shutil.copy(HOME / "hook.dll", data)


async def _run(
    environment: Mapping[str, str], *command: str, deadline_s: float, errors: int = subprocess.STDOUT
) -> tuple[int, str]:
    """Run a program; return its exit code and its output."""
    with anyio.fail_after(deadline_s):
        ended = await anyio.run_process(command, check=False, env=environment, stdin=subprocess.DEVNULL, stderr=errors)
    return ended.returncode, ended.stdout.decode(errors="replace")


def _on_drive(path: Path) -> str:
    return f"Z:{path}".replace("/", "\\")


@pytest.mark.requires("windows.win32")
async def test_the_conformance_suite_passes_in_python_of_windows(wine: Mapping[str, str], tmp_path: Path) -> None:
    fixture = shutil.move(build_program("win32_fixture", tmp_path), tmp_path / "fixture.exe")
    environment = {**wine, "DESKHAND_FIXTURE": _on_drive(Path(fixture))}
    arguments = ("--noconftest", "-q", "-c", _on_drive(_HERE / "pytest.ini"), _on_drive(_HERE))
    chosen = () if FULL else ("-k", _SAMPLE)
    code, output = await _run(
        environment, str(WINE), str(PROGRAM), "-X", "utf8", "-m", "pytest", *arguments, *chosen, deadline_s=_SUITE_S
    )
    assert code == 0, output


@pytest.mark.requires("windows.win32")
async def test_the_command_works_in_python_of_windows(wine: Mapping[str, str], tmp_path: Path) -> None:
    async def deskhand(*arguments: str) -> str:
        command = (str(WINE), str(PROGRAM), "-X", "utf8", "-m", "deskhand", *arguments)
        # Under Wine a program that is launched inherits the errors, and would keep a pipe of them open.
        errors = subprocess.DEVNULL if "launch" in arguments else subprocess.STDOUT
        code, output = await _run(wine, *command, deadline_s=_COMMAND_S, errors=errors)
        assert code == 0, output
        return output

    note = tmp_path / "note.txt"
    note.write_text("Eggs")
    playbook = tmp_path / "note.yaml"
    playbook.write_text(_PLAYBOOK)
    assert "Your desktop can be used" in await deskhand("doctor")
    await deskhand("launch", "--", "notepad.exe", _on_drive(note))
    assert "note" in await deskhand("windows")
    assert 'textbox = "Eggs"' in await deskhand("observe", "--role", "textbox")
    options = ("--playbook", _on_drive(playbook), "--desktop", "windows", "--out", _on_drive(tmp_path / "out"))
    done = await deskhand("run", "Add bread", *options)
    assert "confirmed" in done
    assert note.read_text() == "Milk and eggs"


_PLAYBOOK: Final = """playbook: 1
name: note
host:
  - {on: {role: window, name: "/note/"}, status: ASSIGN, agent: editor, subtask: Write and save a line}
  - {status: FINISH, result: It is saved}
agents:
  editor:
    - {on: {role: textbox}, tool: set_edit_text, args: {text: Milk and eggs}, expect: {effect: confirmed}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {status: FINISH}
"""
