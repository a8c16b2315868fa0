"""JUnit XML and TAP, read by readers of other makers."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult
from deskhand.report.junit import junit_xml
from deskhand.report.suite_results import Case, Suite, Verdict, case_of_check, suite_of_session
from deskhand.report.summary import nothing_done
from deskhand.report.tap import tap_lines
from junit_reading import read_junit

CASES: Final = (
    case_of_check(CheckResult("file", ok=True, detail="sales.txt: 7 bytes"), 0.5),
    case_of_check(CheckResult("shows", ok=False, detail='no "Save" \x1b[31m & <b>')),
    case_of_check(CheckResult("gone", ok=False, detail="not all was read", known=False)),
    Case("later # 2", Verdict.SKIPPED, "it did not begin"),
)


@pytest.mark.requires("result.junit")
def test_a_reader_of_junit_files_finds_every_verdict_and_the_unknown_as_an_error(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    file.write_bytes(junit_xml([Suite("checks", CASES, 0.0, {"session_id": "s1"}, "all \x00 of it")]))
    (suite,) = read_junit(file)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (4, 1, 1, 1)
    assert [case.kind for case in suite.cases] == ["passed", "failure", "error", "skipped"]
    failed = suite.cases[1]
    assert (failed.type, failed.message) == ("Unsatisfied", 'no "Save" \\x1b[31m & <b>')
    assert suite.properties == {"session_id": "s1"}
    assert "all \\x00 of it" in file.read_text()


@pytest.mark.requires("result.junit")
@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        *((outcome, Verdict.FAILED) for outcome in ("failed", "rejected", "step_limit", "budget", "timeout")),
        *((outcome, Verdict.ERROR) for outcome in ("error", "cancelled")),
        ("success", Verdict.PASSED),
    ],
)
def test_a_session_without_a_known_result_is_an_error_and_one_with_another_outcome_a_failure(
    outcome: str, verdict: Verdict
) -> None:
    summary = nothing_done(Outcome(outcome), "so it was", "Do it")
    (case,) = suite_of_session("a task", summary, 0.0).cases
    assert (case.name, case.verdict, case.message) == ("a task", verdict, "" if outcome == "success" else "so it was")


@pytest.mark.requires("result.tap")
def test_a_consumer_of_tap_counts_the_unknown_as_failed(tmp_path: Path) -> None:
    script = tmp_path / "checks.t"
    script.write_text("\n".join(tap_lines(CASES)))
    lines = script.read_text().splitlines()
    assert lines[:3] == ["TAP version 14", "1..4", "ok 1 - file"]
    assert '  severity: "error"' in lines
    done = subprocess.run(
        ["prove", "--exec", "cat", str(script)], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Failed tests:  2-3" in done.stdout, done.stdout + done.stderr
    assert "Tests: 4 Failed: 2" in done.stdout
