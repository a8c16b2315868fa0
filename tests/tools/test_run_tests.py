"""The test run says what happened, in one line at the end, and leaves nothing running."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.run_tests import NO_TESTS, Part, closing_line, count, exit_code

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
REPORT = '<testsuites><testsuite tests="9" failures="2" errors="1" skipped="1" time="3.25"/></testsuites>'


def part(code: int, **counts: int) -> Part:
    return Part("some", code, Counter(counts), 1.5)


def test_a_report_is_counted_by_outcome() -> None:
    assert count(REPORT) == (Counter(failed=2, error=1, skipped=1, passed=5), 3.25)


@pytest.mark.requires("build.closing-line")
def test_the_closing_line_is_the_sum_of_both_parts_in_pytests_words() -> None:
    line = closing_line((part(1, failed=1, passed=2), part(0, passed=40, skipped=3)))
    assert line.strip("=") == " 1 failed, 42 passed, 3 skipped in 3.00s "


@pytest.mark.requires("build.closing-line")
def test_a_failure_in_either_part_fails_the_run_and_an_empty_part_does_not() -> None:
    assert exit_code((part(0), part(0))) == 0
    assert exit_code((part(0), part(1))) == 1
    assert exit_code((part(2), part(0))) == 2
    assert exit_code((part(0), part(NO_TESTS))) == 0
    assert exit_code((part(NO_TESTS), part(NO_TESTS))) == NO_TESTS


@pytest.mark.requires("build.closing-line")
def test_a_process_that_the_tests_leave_behind_is_ended_and_fails_the_run(tmp_path: Path) -> None:
    """The process has left its session and its environment behind, so that only its ancestry gives it away."""
    pid_file = tmp_path / "pid"
    (tmp_path / "test_leak.py").write_text(
        "import subprocess\n"
        "def test_leak():\n"
        f"    leak = 'env -i sleep 60 > /dev/null 2>&1 & echo $! > {pid_file}'\n"
        "    subprocess.run(('setsid', 'sh', '-c', leak), check=True)\n"
    )
    run = (sys.executable, "-m", "tools.run_tests")
    only_here = ("--rootdir", str(tmp_path), "-c", "/dev/null", str(tmp_path))
    done = subprocess.run((*run, *only_here), cwd=ROOT, capture_output=True, text=True, check=False, timeout=180)
    assert "== the fast tests left processes behind" in done.stdout
    assert f"{pid_file.read_text().strip()} sleep 60" in done.stdout
    assert done.returncode == 1
    assert " 1 passed in " in done.stdout.splitlines()[-1]
    assert not Path(f"/proc/{pid_file.read_text().strip()}").exists()
