"""Repetition of tests, and its figures."""

import re
from collections.abc import Callable, Iterable
from typing import Final

import pytest

PROPERTY: Final = "deskhand_repeated"
"""Property of a repeated test: its name without the number of the repetition."""
FIXTURE: Final = "deskhand_repetition"
_ID: Final = re.compile(r"(?<=[\[-])\d+-of-\d+(?:-|(?=\]$))")
_RUNS_IN_A_ROW: Final = 5


def add_repeats(metafunc: pytest.Metafunc, times: int) -> None:
    """Let a test run so many times."""
    if times > 1:
        metafunc.fixturenames.append(FIXTURE)
        metafunc.parametrize(FIXTURE, range(1, times + 1), ids=repeat_ids(times), indirect=True)


def repeat_ids(times: int) -> list[str]:
    """Return the ids of the repetitions."""
    return [f"{number}-of-{times}" for number in range(1, times + 1)]


def repeated_name(name: str) -> str:
    """Return the name of a repeated test without the repetition; empty for one that is not repeated."""
    rest, count = _ID.subn("", name)
    return rest.replace("-]", "]").removesuffix("[]") if count else ""


def write_repeats(reports: Iterable[object], write: Callable[[str], None]) -> bool:
    """Write the figures of each repeated test; False if there is none.

    A repetition counts as passed if all of its phases did.
    """
    runs: dict[str, dict[str, bool]] = {}
    for report in reports:
        if isinstance(report, pytest.TestReport) and (name := dict(report.user_properties).get(PROPERTY)):
            passed = runs.setdefault(str(name), {})
            passed[report.nodeid] = passed.get(report.nodeid, True) and report.passed
    if not runs:
        return False
    from deskhand.eval.statistics import CONFIDENCE, all_pass, wilson
    from deskhand.eval.wording import interval, percent

    write(f"passed of runs, share (its {CONFIDENCE:.0%} interval), Pass^k: share of k runs that all pass")
    for name, outcomes in runs.items():
        passed, total = sum(outcomes.values()), len(outcomes)
        k = min(_RUNS_IN_A_ROW, total)
        share = f"{percent(passed / total)} ({interval(wilson(passed, total))})"
        write(f"{passed}/{total}  {share}  Pass^{k} {percent(all_pass(passed, total, k))}  {name}")
    return True
