"""The thirty tests of three programs in tests/testing/programs, and the same for dogtail 2.1.2, in turns.

    python -m tools.bench_testing [--runs N] [--busy N] [--ours-only] [--without-delays]

Prints for each program the median of the seconds of a test, without the start of its program, and how many runs failed;
then the ratio for tests that pass on both sides. Both carry out the same actions. `--busy`: so many processes that keep
a processor busy meanwhile. dogtail waits after its actions as it does by default; `--without-delays`: not at all.
Needs `.venv-peers`, which `make bench-testing` brings.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final
from xml.etree import ElementTree

from tools.peers import PEERS, ROOT, SYSTEM_PACKAGES, WITHOUT_DELAYS, Build

TESTS: Final = ROOT / "tests" / "testing" / "programs"
DOGTAIL: Final = ROOT / "tests" / "apps" / "dogtail_programs.py"
DELAYS: Final = "[config]\ndebug_file = None\ndebug_file_persistence = True\n"
SPIN: Final = "while True: pass"


@dataclass(slots=True)
class Runs:
    """Runs of one test: seconds of those that passed, and the first lines of failures."""

    seconds: list[float] = field(default_factory=list[float])
    failures: list[str] = field(default_factory=list[str])


Results = dict[tuple[str, str], Runs]


def ours(folder: Path) -> Iterator[tuple[str, str, float, str]]:
    """Run all tests once; yield program, test, seconds, and the failure."""
    junit = folder / "ours.xml"
    options = ["-q", "-n", "0", "-m", "", "-o", "junit_duration_report=call", f"--junitxml={junit}"]
    command = [sys.executable, "-m", "pytest", *options, str(TESTS)]
    environment = {**os.environ, "PYTHONPATH": "src", "DESKHAND_TRIALS": "full"}
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True, env=environment)
    for case in ElementTree.parse(junit).iter("testcase"):
        problem = next((each for tag in ("failure", "error") for each in case.iter(tag)), None)
        program = str(case.get("classname")).rpartition(".test_")[2]
        failure = "" if problem is None else str(problem.get("message"))[:200]
        yield program, str(case.get("name")), float(case.get("time", "0")), failure


def dogtails(
    names: Sequence[tuple[str, str]], folder: Path, environment: dict[str, str]
) -> Iterator[tuple[str, str, float, str]]:
    """Run the tests of these programs and names by dogtail."""
    asked = "".join(f"{program} {test}\n" for program, test in names)
    done = subprocess.run(
        [str(PEERS / "bin/python"), str(DOGTAIL)],
        cwd=folder,
        env={**environment, "PYTHONPATH": SYSTEM_PACKAGES},
        input=asked,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for (program, test), answer in zip(names, answers, strict=True):
        yield program, test, answer["seconds"], answer["error"]


@contextmanager
def busy(processes: int) -> Generator[None]:
    """Keep so many processors busy."""
    started = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def note(results: Results, found: Iterator[tuple[str, str, float, str]]) -> list[tuple[str, str]]:
    names: list[tuple[str, str]] = []
    for program, test, seconds, failure in found:
        names.append((program, test))
        if failure:
            results[program, test].failures.append(failure)
        else:
            results[program, test].seconds.append(seconds)
    return names


def of_program(results: Results, program: str) -> str:
    """Return median and failures, as a cell of the table."""
    runs = [each for (name, _), each in results.items() if name == program]
    seconds = [second for each in runs for second in each.seconds]
    failed = sum(len(each.failures) for each in runs)
    return f"{median(seconds):8.2f} {failed:5}/{failed + len(seconds)}"


def total(results: Results) -> float:
    """Return the sum of the medians of the tests that passed at least once."""
    return sum(median(each.seconds) for each in results.values() if each.seconds)


def both(mine: Results, theirs: Results) -> tuple[Results, Results]:
    """Return those of the tests that passed on both sides at least once."""
    names = [name for name in mine if mine[name].seconds and theirs[name].seconds]
    return {name: mine[name] for name in names}, {name: theirs[name] for name in names}


def main(runs: int, processes: int, *, ours_only: bool, delays: str) -> None:
    mine: Results = defaultdict(Runs)
    theirs: Results = defaultdict(Runs)
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as scratch:
        folder = Path(scratch)
        (folder / "dogtail_config.ini").write_text(delays)
        build = Build(ROOT, folder / "home")
        build.home.mkdir()
        with build.desktop() as environment, busy(processes):
            for number in range(1, runs + 1):
                names = note(mine, ours(folder))
                if not ours_only:
                    note(theirs, dogtails(names, folder, environment))
                print(f"run {number} of {runs}", file=sys.stderr, flush=True)
    show(mine, theirs)


def show(mine: Results, theirs: Results) -> None:
    print(f"{'median s, failed runs':12} {'ours':>16} {'dogtail':>16}")
    for program in dict.fromkeys(name for name, _ in mine):
        other = of_program(theirs, program) if theirs else ""
        print(f"{program:12} {of_program(mine, program):>16} {other:>16}")
    if theirs:
        left, right = both(mine, theirs)
        print(f"{len(left)} tests that pass on both sides: {total(left):.1f} s, {total(right):.1f} s", end=", ")
        print(f"dogtail ÷ ours {total(right) / total(left):.1f}")
    for title, results in (("ours", mine), ("dogtail", theirs)):
        for (program, test), each in results.items():
            for failure in dict.fromkeys(each.failures):
                print(f"{title}: {program} {test}: {each.failures.count(failure)} × {failure}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--busy", type=int, default=0, metavar="N")
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--without-delays", action="store_true")
    given = parser.parse_args()
    chosen = WITHOUT_DELAYS if given.without_delays else DELAYS
    main(given.runs, given.busy, ours_only=given.ours_only, delays=chosen)
