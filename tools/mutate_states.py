"""Deletes each row of the transition table in turn and sees exactly that row's test fail.

    python -m tools.mutate_states [ID …]

The rows are deleted in copies of the project, one for each processor, and the row tests run there as pytest runs
them. An id is that of a row's test (`host-CONTINUE-ASSIGN-reply`); without one it is every row. Prints a line for
each row where something else happened and a summary; exit code 1 where there was such a row.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final, TypedDict

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
TABLE: Final = Path("src/deskhand/states/transitions.csv")
TESTS: Final = "tests/states/test_rows.py::test_the_machine_takes_exactly_the_edge_of_the_row"
PARTS: Final = ("src", "tests", "tools")
OUTPUT: Final = Path("pytest.log")
INTACT: Final = "nothing"


class Ran(TypedDict):
    """What became of the row tests with one row deleted: ids of those that passed and failed, pytest's last line."""

    deleted: str
    passed: list[str]
    failed: list[str]
    said: str


@dataclass(eq=False)
class Watcher:
    """A plugin of pytest that keeps which tests passed and failed."""

    passed: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("[")[2].removesuffix("]") or report.nodeid
        if report.failed and name not in self.failed:
            self.failed.append(name)
        elif report.passed and report.when == "call":
            self.passed.append(name)


def ids(table: str) -> list[str]:
    """The rows of a table as the ids of their tests, in order."""
    return [f"{r['machine']}-{r['from']}-{r['to']}-{r['trigger']}" for r in csv.DictReader(table.splitlines())]


def without(table: str, row: str) -> str:
    """The table with one row deleted; INTACT deletes none."""
    head, *lines = table.splitlines(keepends=True)
    return head + "".join(line for line, name in zip(lines, ids(table), strict=True) if name != row)


def problem(ran: Ran, rows: Sequence[str]) -> str:
    """What is wrong where not exactly the test of the deleted row failed; empty where it did."""
    wanted = [] if ran["deleted"] == INTACT else [ran["deleted"]]
    if missing := [row for row in rows if row not in ran["failed"] and row not in ran["passed"]]:
        return f"{ran['deleted']} deleted: {len(missing)} tests did not run, such as {missing[0]}: {ran['said']}"
    if ran["failed"] != wanted:
        return f"{ran['deleted']} deleted: failed were: {', '.join(ran['failed']) or 'none'}"
    return ""


def run_without(table: str, row: str) -> Ran:
    """Runs the row tests of the present folder in a process of their own, in which nothing of the table was read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _as_child(table, row, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        answer = told.read()
    os.waitpid(child, 0)
    if answer:
        return json.loads(answer)
    lines = OUTPUT.read_text(encoding="utf-8").splitlines() if OUTPUT.exists() else []
    return Ran(deleted=row, passed=[], failed=[], said=lines[-1] if lines else "")


def _as_child(table: str, row: str, writing: int) -> None:
    """Never returns: what follows in the parent is not the child's to do."""
    try:
        output = os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        TABLE.write_text(without(table, row), encoding="utf-8")
        watcher = Watcher()
        pytest.main(["-q", "-p", "no:cacheprovider", "--basetemp=basetemp", TESTS], plugins=[watcher])
        said = OUTPUT.read_text(encoding="utf-8").splitlines()[-1]
        ran = Ran(deleted=row, passed=watcher.passed, failed=watcher.failed, said=said)
        os.write(writing, json.dumps(ran).encode())
    finally:
        os._exit(0)


def work(rows: Sequence[str]) -> None:
    """In a copy of the project: deletes these rows in turn and prints each with what is wrong, a line of JSON each."""
    sys.path[:0] = ["src", "tests"]
    # What takes time to import is imported once; none of it reads the table.
    plugins = ("anyio.pytest_plugin", "hypothesis", "_hypothesis_pytestplugin")
    for name in (*plugins, "deskhand.commands", "deskhand.config.load", "deskhand.desktop.fake", "deskhand.prompts"):
        import_module(name)
    table = TABLE.read_text(encoding="utf-8")
    for row in rows:
        print(json.dumps((row, problem(run_without(table, row), ids(table)))), flush=True)


def spread(rows: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Deletes the rows in copies below the folder, side by side; each with what is wrong, copy by copy."""
    processors = min(len(os.sched_getaffinity(0)), len(rows))
    workers: list[subprocess.Popen[str]] = []
    for number in range(processors):
        copy = folder / str(number)
        for part in PARTS:
            shutil.copytree(ROOT / part, copy / part)
        shutil.copy2(ROOT / "pyproject.toml", copy)
        argv = (sys.executable, "-m", "tools.mutate_states", "--here", *rows[number::processors])
        workers.append(subprocess.Popen(argv, cwd=copy, stdout=subprocess.PIPE, text=True))
    for worker in workers:
        with worker:
            yield from (json.loads(line) for line in worker.stdout or ())


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--here"]:
        work(arguments[1:])
        return 0
    rows = ids((ROOT / TABLE).read_text(encoding="utf-8"))
    chosen = arguments or rows
    if unknown := [name for name in chosen if name not in rows]:
        print(f"no row has the test {', '.join(unknown)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="deskhand-mutants-") as folder:
        problems = dict(spread([INTACT, *chosen], Path(folder)))
    for row in (INTACT, *chosen):
        if told := problems.get(row, f"{row} deleted: the tests did not run"):
            print(told)
    right = sum(problems.get(row) == "" for row in chosen)
    print(f"{right} of {len(chosen)} rows: exactly its test failed")
    return 0 if right == len(chosen) and problems.get(INTACT) == "" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
