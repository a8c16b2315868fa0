"""The test run says what happened, in one line at the end, and leaves nothing running."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.run_tests import (
    NO_TESTS,
    SKIPS,
    Part,
    closing_line,
    count,
    exit_code,
    read_skips,
    reasons,
    told_skips,
    why_left_out,
)

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
REPORT = '<testsuites><testsuite tests="9" failures="2" errors="1" skipped="1" time="3.25"/></testsuites>'


def part(code: int, **counts: int) -> Part:
    return Part("some", code, Counter(counts), 1.5)


def test_a_report_is_counted_by_outcome() -> None:
    assert count(REPORT) == (Counter(failed=2, error=1, skipped=1, passed=5), 3.25)


@pytest.mark.requires("build.skips")
def test_what_is_left_out_is_told_by_reason_and_count_and_what_is_not_in_the_list_is_not_known() -> None:
    messages = ["no Qt on a", "no Qt on a", "no Qt&#10;  on b", "no Qt on a, but for x"]
    left_out = reasons("<t>" + "".join(f'<skipped message="{message}"/>' for message in messages) + "</t>")
    assert left_out == {"no Qt on a": 2, "no Qt on b": 1, "no Qt on a, but for x": 1}
    assert told_skips(left_out, {"no Qt on [a-z]": "there is none"}) == [
        "   3 no Qt on a: there is none",
        "   1 no Qt on a, but for x: NOT A REASON OF tests/skips.toml",
    ]


@pytest.mark.requires("build.skips")
def test_a_test_that_is_left_out_for_an_unknown_reason_fails_the_run() -> None:
    parts = (Part("fast", 0, left_out=Counter({"no Qt": 1})), Part("desktop", 0, left_out=Counter({"no time": 1})))
    assert exit_code(parts, {"no Qt": "there is none", "no time": "it is late"}) == 0
    assert exit_code(parts, {"no Qt": "there is none"}) == 1


@pytest.mark.requires("build.skips")
def test_no_reason_for_which_make_test_could_bring_something_is_in_the_list() -> None:
    known = read_skips(SKIPS.read_text(encoding="utf-8"))
    assert why_left_out("not run: Qt 6 is not brought on aarch64", known)
    assert not why_left_out("not run: /x/.venv-qt6/bin/python is missing; make test brings it", known)
    assert not why_left_out("", known)


@pytest.mark.requires("build.skips")
def test_whatever_a_test_skips_for_is_in_the_list_or_asked_for_by_need() -> None:
    known = read_skips(SKIPS.read_text(encoding="utf-8"))
    said: dict[str, str] = {}
    for file in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.skip":
                text = re.sub(r"\{.*?\}", "this", ast.unparse(node.args[0]).removeprefix("f")[1:-1])
                said[f"{file.name}:{node.lineno}"] = text
    unknown = {place: text for place, text in said.items() if not why_left_out(text, known)}
    assert list(unknown.values()) == ["not run: this is missing; make test brings it"], unknown


@pytest.mark.requires("build.skips")
def test_what_every_change_has_to_pass_is_the_check_and_the_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^(make \w+)", readme.partition("## Try it")[2].partition("##")[0], re.MULTILINE)
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("make")] == ["make check", *shown]
    assert lines[-1] == "make test"


@pytest.mark.requires("build.closing-line")
def test_the_closing_line_is_the_sum_of_all_parts_in_pytests_words_with_the_time_that_passed() -> None:
    line = closing_line((part(1, failed=1, passed=2), part(0, passed=40, skipped=3)), 3.0)
    assert line.strip("=") == " 1 failed, 42 passed, 3 skipped in 3.00s "


@pytest.mark.requires("build.closing-line")
def test_a_failure_in_either_part_fails_the_run_and_an_empty_part_does_not() -> None:
    assert exit_code((part(0), part(0)), {}) == 0
    assert exit_code((part(0), part(1)), {}) == 1
    assert exit_code((part(2), part(0)), {}) == 2
    assert exit_code((part(0), part(NO_TESTS)), {}) == 0
    assert exit_code((part(NO_TESTS), part(NO_TESTS)), {}) == NO_TESTS


@pytest.mark.requires("build.closing-line")
def test_a_process_that_the_tests_leave_behind_is_ended_and_fails_the_run(tmp_path: Path) -> None:
    """The process has left its session and its environment behind, so that only its ancestry gives it away."""
    pid_file = tmp_path / "pid"
    (tmp_path / "test_leak.py").write_text(
        "import subprocess\n"
        "def test_leak():\n"
        f"    leak = 'env -i sleep 600 > /dev/null 2>&1 & echo $! > {pid_file}'\n"
        "    subprocess.run(('setsid', 'sh', '-c', leak), check=True)\n"
        "def test_left_out():\n"
        "    import pytest\n"
        "    pytest.skip('nobody knows why')\n"
    )
    done = run_tests(tmp_path)
    assert "== the tests left processes behind" in done.stdout
    assert f"{pid_file.read_text().strip()} sleep 600" in done.stdout
    assert done.returncode == 1
    told, closing = done.stdout.splitlines()[-2:]
    assert told == "   1 nobody knows why: NOT A REASON OF tests/skips.toml"
    assert " 1 passed, 1 skipped in " in closing
    assert not Path(f"/proc/{pid_file.read_text().strip()}").exists()


@pytest.mark.requires("build.fast-tests")
def test_with_fast_the_units_run_alone_and_compiled_modules_are_written_for_the_next_process(tmp_path: Path) -> None:
    (tmp_path / "test_parts.py").write_text(
        "import pytest, sys\n"
        "def test_unit():\n"
        "    assert not sys.dont_write_bytecode\n"
        "@pytest.mark.long\n"
        "def test_long():\n"
        "    raise AssertionError\n"
        "@pytest.mark.desktop\n"
        "def test_desktop():\n"
        "    raise AssertionError\n"
    )
    done = run_tests(tmp_path, "--fast")
    assert (done.returncode, " 1 passed in " in done.stdout.splitlines()[-1]) == (0, True), done.stdout


def run_tests(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The run over the tests in a folder of their own, from a shell where no compiled modules are written."""
    run = (sys.executable, "-m", "tools.run_tests", *arguments)
    only_here = ("--rootdir", str(folder), "-c", "/dev/null", str(folder))
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        (*run, *only_here), cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=400
    )
