"""A solution of office-20 in real applications, judged by its check: the longest way across Writer and Calc."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.desktop

TASK = "table-into-a-sheet"


@pytest.mark.full("the checks are tried on files; the demo goes the same way")
@pytest.mark.requires("eval.office-20")
def test_a_solution_does_its_task_in_writer_and_calc(tmp_path: Path) -> None:
    command = ["eval", "run", "office-20", "--solutions", "--only", TASK, "--out", str(tmp_path / "out")]
    ended = subprocess.run(
        [sys.executable, "-m", "deskhand", *command], capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (trial,) = json.loads((tmp_path / "out/results.json").read_text())["trials"]
    assert (trial["task"], trial["result"], trial["outcome"]) == (TASK, "passed", "success")
