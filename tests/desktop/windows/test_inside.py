"""The backend for Windows in Windows CPython, under Wine on a private display."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import anyio
import pytest
from anyio import to_thread

from desktop.linux.fixture import linux_desktop
from support import FULL, ROOT, need
from tools.windows_python import HOME, PROGRAM
from windows_programs import Prefix, build_program, need_wine, new_prefix

_HERE: Final = ROOT / "tests/desktop/windows/inside"
_SAMPLE: Final = (
    "press_happens or keys_go or password_never or dialog_is or table_ or finds_its or click_at or can_be_pasted"
    " or test_uia or test_user_input"
)
"""The tests of the suite that CI runs; full trials have all."""
_SUITE_S: Final = 600.0
_COMMAND_S: Final = 180.0

pytestmark = [pytest.mark.desktop, pytest.mark.long]


@pytest.fixture
async def prefix(tmp_path: Path) -> AsyncIterator[Prefix]:
    """A prefix on a private desktop."""
    need_wine()
    need(PROGRAM)
    async with linux_desktop(tmp_path / "desktop") as desktop:
        made = await to_thread.run_sync(new_prefix, tmp_path / "prefix", {**os.environ, **desktop.environment})
        try:
            _put_hook(made.path)
            yield made
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(made.end)


def _put_hook(prefix: Path) -> None:
    (user,) = (folder for folder in (prefix / "drive_c/users").iterdir() if folder.name != "Public")
    data = user / "AppData/Local/deskhand"
    data.mkdir(parents=True)
    shutil.copy(HOME / "hook.dll", data)


async def _run(
    prefix: Prefix, *words: str, deadline_s: float, errors: int = subprocess.STDOUT, **more: str
) -> tuple[int, str]:
    """Run a module in Python of Windows, with `more` in its environment; return its exit code and its output."""
    command = (str(prefix.wine.loader), str(PROGRAM), "-X", "utf8", "-m", *words)
    environment = {**prefix.environment, **more}
    with anyio.fail_after(deadline_s):
        ended = await anyio.run_process(command, check=False, env=environment, stdin=subprocess.DEVNULL, stderr=errors)
    return ended.returncode, ended.stdout.decode(errors="replace")


def _on_drive(path: Path) -> str:
    return f"Z:{path}".replace("/", "\\")


@pytest.mark.requires(
    "windows.win32", "windows.uia-read", "windows.uia-act", "windows.uia-setting", "windows.user-input"
)
async def test_the_conformance_suite_passes_in_python_of_windows(prefix: Prefix, tmp_path: Path) -> None:
    fixture = shutil.move(build_program("win32_fixture", tmp_path), tmp_path / "fixture.exe")
    arguments = ("--noconftest", "-q", "-c", _on_drive(_HERE / "pytest.ini"), _on_drive(_HERE))
    chosen = () if FULL else ("-k", _SAMPLE)
    where = _on_drive(Path(fixture))
    code, output = await _run(prefix, "pytest", *arguments, *chosen, deadline_s=_SUITE_S, DESKHAND_FIXTURE=where)
    assert code == 0, output


@pytest.mark.full("40 seconds, most of them starts of Python under Wine")
@pytest.mark.requires("windows.win32")
async def test_the_command_works_in_python_of_windows(prefix: Prefix, tmp_path: Path) -> None:
    async def deskhand(*arguments: str) -> str:
        # Under Wine a program that is launched inherits the errors, and would keep a pipe of them open.
        errors = subprocess.DEVNULL if "launch" in arguments else subprocess.STDOUT
        code, output = await _run(prefix, "deskhand", *arguments, deadline_s=_COMMAND_S, errors=errors)
        assert code == 0, output
        return output

    note = tmp_path / "note.txt"
    note.write_text("Eggs")
    playbook = tmp_path / "note.yaml"
    playbook.write_text(_PLAYBOOK)
    checked = await deskhand("doctor")
    assert "Your desktop can be used" in checked
    assert "UI Automation is not there" in checked, "Wine 8 has none"
    await deskhand("launch", "--", "notepad.exe", _on_drive(note))
    assert "note" in await deskhand("windows")
    assert 'textbox = "Eggs"' in await deskhand("observe", "--role", "textbox")
    options = ("--playbook", _on_drive(playbook), "--out", _on_drive(tmp_path / "out"))
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
