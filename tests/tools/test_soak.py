"""A run of the demo counts only where it succeeded and left nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.soak import Run, summary

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
SUCCESS = """
import json, os, pathlib, subprocess, sys, tempfile
out = pathlib.Path(sys.argv[sys.argv.index('--out') + 1])
out.mkdir()
(out / 'sales.ods').write_text('')
"""
SAY = "print(json.dumps({'outcome': 'success', 'error': None}))\n"


def soak(folder: Path, demo: str) -> subprocess.CompletedProcess[str]:
    """Soaks a demo that is this Python text; in a process of its own, because soaking adopts orphans.

    Of the system's folders it looks at one that nobody else uses: other tests run at the same time.
    """
    (folder / "shared").mkdir()
    shared = ((str(folder / "shared"), "*"),)
    (folder / "demo.py").write_text(demo)
    code = (
        "import sys, pathlib; from tools.orphans import adopt_orphans; from tools.soak import soak; adopt_orphans();"
        f"command = [sys.executable, {str(folder / 'demo.py')!r}];"
        f"sys.exit(soak(command, 2, pathlib.Path({str(folder / 'runs')!r}), {shared!r}))"
    )
    return subprocess.run(
        (sys.executable, "-c", code), cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )


def test_runs_that_succeed_and_clean_up_pass_and_keep_nothing(tmp_path: Path) -> None:
    done = soak(tmp_path, SUCCESS + SAY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 runs were a success" in done.stdout.splitlines()[-1]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (SAY + "sys.exit(4)\n", "exit code 4"),
        ("print(json.dumps({'outcome': 'failed', 'error': {'type': 'TableNotFound'}}))\n", "outcome failed: {'type'"),
        ("print('done')\n", "stdout is not one JSON object: 'done"),
        ("print('[]')\n", "stdout names no outcome"),
        ("tempfile.mkdtemp(prefix='left-')\n" + SAY, "left in tmp: left-"),
        ("open(os.environ['XDG_RUNTIME_DIR'] + '/bus', 'w')\n" + SAY, "left in run: bus"),
        ("subprocess.Popen(['setsid', 'sleep', '60'], env={}, stdout=2)\n" + SAY, "left running:"),
    ],
)
def test_a_run_that_fails_or_leaves_something_fails_the_soak_and_is_kept(tmp_path: Path, more: str, said: str) -> None:
    done = soak(tmp_path, SUCCESS + more)
    assert done.returncode == 1
    assert said in done.stdout.splitlines()[0]
    assert "0 of 2 runs were a success" in done.stdout.splitlines()[-1]
    assert (tmp_path / "runs" / "1" / "out" / "sales.ods").is_file()


def test_what_stands_in_a_folder_of_the_system_is_found(tmp_path: Path) -> None:
    left = tmp_path / "shared" / "left"
    done = soak(tmp_path, SUCCESS + f"open({str(left)!r}, 'w')\n" + SAY)
    assert f"left behind: {left}" in done.stdout.splitlines()[0]
    assert done.returncode == 1


def test_the_summary_counts_and_times() -> None:
    runs = [Run(3.0, ()), Run(1.0, ("exit code 1",)), Run(2.0, ())]
    assert summary(runs) == "2 of 3 runs were a success; fastest, median, slowest: 1.0 s, 2.0 s, 3.0 s"
