"""The tool that deletes rows of the transition table: what it deletes, what it accepts, what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutate_states import INTACT, TABLE, Ran, ids, problem, without

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
ROWS = ["host-CONTINUE-FINISH-reply", "app-FAIL-host:FAIL-spent", "app-FAIL-host:FAIL-follower"]


def ran(deleted: str, *failed: str) -> Ran:
    return Ran(deleted=deleted, passed=[row for row in ROWS if row not in failed], failed=list(failed), said="")


@pytest.mark.requires("build.mutate-states")
def test_exactly_one_row_is_deleted() -> None:
    table = (ROOT / TABLE).read_text(encoding="utf-8")
    names = ids(table)
    assert len(set(names)) == len(names) == len(table.splitlines()) - 1
    for name in names:
        assert ids(without(table, name)) == [other for other in names if other != name]
    assert without(table, INTACT) == table


@pytest.mark.requires("build.mutate-states")
@pytest.mark.parametrize(
    ("what", "said"),
    [
        (ran(ROWS[1], ROWS[1]), ""),
        (ran(INTACT), ""),
        (ran(ROWS[1]), "app-FAIL-host:FAIL-spent deleted: failed were: none"),
        (ran(ROWS[1], ROWS[2]), "app-FAIL-host:FAIL-spent deleted: failed were: app-FAIL-host:FAIL-follower"),
        (ran(ROWS[0], *ROWS[:2]), f"{ROWS[0]} deleted: failed were: {ROWS[0]}, {ROWS[1]}"),
        (ran(INTACT, ROWS[0]), f"nothing deleted: failed were: {ROWS[0]}"),
        (
            Ran(deleted=ROWS[0], passed=[ROWS[1]], failed=[ROWS[0]], said="no tests ran"),
            f"{ROWS[0]} deleted: 1 tests did not run, such as {ROWS[2]}: no tests ran",
        ),
    ],
)
def test_anything_but_the_failure_of_the_rows_own_test_is_wrong(what: Ran, said: str) -> None:
    assert problem(what, ROWS) == said


@pytest.mark.requires("build.mutate-states")
def test_a_row_on_the_way_of_most_runs_fails_its_own_test_only_and_the_working_tree_stays_as_it_is() -> None:
    before = (ROOT / TABLE).stat()
    argv = (sys.executable, "-m", "tools.mutate_states", "host-CONTINUE-ASSIGN-reply")
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("1 of 1 rows: exactly its test failed\n", 0), done.stderr
    assert (ROOT / TABLE).stat() == before


@pytest.mark.requires("build.mutate-states")
def test_an_id_without_a_row_is_a_usage_error() -> None:
    argv = (sys.executable, "-m", "tools.mutate_states", "host-NOWHERE")
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stderr, done.returncode) == ("no row has the test host-NOWHERE\n", 2)
