"""Features run by behave with our steps on real applications."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT

HERE = Path(__file__).parent
PAGE = ROOT / "docs/guide/behave.md"
FIXTURE = f"/usr/bin/python3 {ROOT / 'tests/apps/oracle_gtk3.py'} state.json"
_FILE = re.compile(r"^```\w+\n# (features/\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.desktop


def write_page(folder: Path) -> None:
    """Write the files that the page shows, by the path in their first line."""
    for block in _FILE.finditer(PAGE.read_text()):
        file = folder / block[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block[2])


def behave(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    argv = (sys.executable, "-m", "behave", "--format", "plain", "--no-color", *options)
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.requires("behave.guide")
def test_the_feature_of_the_page_passes_on_gnome_calculator(tmp_path: Path) -> None:
    write_page(tmp_path)
    done = behave(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 scenarios passed, 0 failed, 0 skipped" in done.stdout


@pytest.mark.requires("behave.phrases", "behave.clean", "behave.failure")
def test_phrases_act_on_the_program_and_one_that_fails_names_the_nearest_and_a_folder(tmp_path: Path) -> None:
    write_page(tmp_path)
    feature = tmp_path / "features/calculator.feature"
    feature.write_text((HERE / "phrases.feature").read_text() + (HERE / "failing.feature").read_text())
    done = behave(tmp_path, "-D", f"deskhand.application.fixture={FIXTURE}", "-D", "deskhand.timeout=5")
    assert "3 scenarios passed, 2 failed, 0 skipped" in done.stdout, done.stdout + done.stderr
    state = json.loads((tmp_path / "after.json").read_text())
    assert (state["pressed"], state["clicked"]) == (2, ["check", "button", "name", "name"])
    assert state["controls"]["check"]["checked"]
    assert state["controls"]["name"]["text"] == 'say "hi" {ENTER}'
    spelt, role = re.findall(r"^ASSERT FAILED: (.*?)^----$", done.stdout, re.DOTALL | re.MULTILINE)
    assert spelt.startswith('"Calculator" has no button "Primary mnu"\nthere are: button "Primary menu"; ')
    assert role == 'there is no role "pushbuton"\ndid you mean: push button, push button menu, button\n'
    folder, other = re.findall(r"^The desktop as it was then: (.*)$", done.stdout, re.MULTILINE)
    assert 'button "Primary menu"' in Path(folder, "controls.txt").read_text()
    assert Path(other, "screen.png").read_bytes().startswith(b"\x89PNG")
    assert "Traceback" not in done.stdout
