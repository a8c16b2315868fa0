"""A user's work in real applications is recorded, and the recording does the same in a fresh one."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from anyio import to_thread

from deskhand.models.playbook_file import parse_playbook
from deskhand.report.exports import in_form
from deskhand.report.script_plan import Origin
from desktop.linux.everyday import FORMS
from record.working import FORM, PASSWORD, WORKS, recorded, replayed
from support import FULL, ROOT, need
from windows_programs import use_installed

TRIALS: Final = 20 if FULL else 1
FEATURE: Final = {
    "features/environment.py": "from deskhand.testing.behave.hooks import *",
    "features/steps/steps.py": "from deskhand.testing.behave.steps import *",
}
"""The files beside a feature."""
TRIED: Final = tuple(WORKS) if FULL else ("gedit",)


@pytest.mark.full("a form is recorded in the next test")
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("record.same-state", "record.passwords")
@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("trial", range(TRIALS))
async def test_a_recording_of_a_users_work_leads_to_the_same_state(
    name: str, trial: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(*([FORMS[name][1]] if name in FORMS else []))
    if name == "Win32":
        use_installed(monkeypatch)
    work = WORKS[name]
    text, state = await recorded(work, tmp_path / "recorded")
    assert PASSWORD not in text
    assert await replayed(work, text, tmp_path / "replayed") == state, f"trial {trial}\n{text}"


@pytest.mark.desktop
@pytest.mark.requires("record.forms")
async def test_a_recording_leads_to_the_same_state_in_each_of_its_forms(tmp_path: Path) -> None:
    need(FORMS["Qt 5"][1])
    text, state = await recorded(FORM, tmp_path / "recorded")
    assert await replayed(FORM, text, tmp_path / "playbook") == state, text
    runners = {"test_work.py": ("pytest", "-n", "0", "-p", "no:cacheprovider"), "features/work.feature": ("behave",)}
    for name, runner in runners.items():
        folder = tmp_path / runner[0]
        command = FORM.application(folder).argv
        written = in_form(parse_playbook(text, "work.yaml"), Path(name), Origin("a recording", command))
        for file, content in {**FEATURE, name: written}.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(content)
        done = await to_thread.run_sync(partial(run_module, folder, *runner))
        assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{written}"
        assert FORM.state(folder) == state, written


def run_module(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    argv = (sys.executable, "-m", *command)
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False)
