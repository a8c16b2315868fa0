"""Runs the test suite in parts, each on several processes; files on real desktops are not divided between them.

    python -m tools.run_tests [--fast] [pytest arguments]

Tests on real desktops mostly wait, so all others run beside them, at a lower priority, and are printed when they end.
With `--fast` only the units run: no desktop, nothing long. Prints all summaries, what was left out by reason, and, as
the last line, one closing line over them. Exit code 0: all passed, else the first part's that did not. A part without a
test is reported, and is a failure only where all are empty. A process that the tests leave behind is ended, named, and
fails the run. A test that is left out for a reason that is not in tests/skips.toml fails the run.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools.orphans import adopt_orphans, end_orphans, reap_until_done

ROOT: Final = Path(__file__).resolve().parent.parent
SKIPS: Final = ROOT / "tests" / "skips.toml"
NO_TESTS: Final = 5
FAST_OPTION: Final = "--fast"
NICENESS: Final = "5"
DESKTOPS: Final = 2
"""How many files on real desktops run at once, beside the other tests. With three, on two slow processors, one of
several hundred tests fails because its program does not answer in time."""

Selection = tuple[str, tuple[str, ...]]
"""The name of a part and pytest's arguments for it."""

FAST: Final[Selection] = ("fast", ("-m", "not desktop and not long", "-n", "3", "--dist", "worksteal"))
PARTS: Final[tuple[Selection, ...]] = (
    ("desktop", ("-m", "desktop", "-n", str(DESKTOPS), "--dist", "loadfile", "--no-loadscope-reorder")),
    ("other", ("-m", "not desktop", "-n", "1")),
)
"""They run side by side, those after the first at a lower priority."""


@dataclass(frozen=True, slots=True)
class Part:
    """How one run of pytest ended."""

    name: str
    exit_code: int
    counts: Counter[str] = field(default_factory=Counter[str])
    wall_s: float = 0.0
    left_out: Counter[str] = field(default_factory=Counter[str])
    """How many tests were skipped for which reason."""


def count(report: str) -> tuple[Counter[str], float]:
    """Counts per outcome and seconds of a JUnit report."""
    counts: Counter[str] = Counter()
    wall_s = 0.0
    for suite in ET.fromstring(report).iter("testsuite"):
        numbers = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        counts["failed"] += numbers["failures"]
        counts["error"] += numbers["errors"]
        counts["skipped"] += numbers["skipped"]
        counts["passed"] += numbers["tests"] - numbers["failures"] - numbers["errors"] - numbers["skipped"]
        wall_s += float(suite.get("time", "0"))
    return counts, wall_s


def reasons(report: str) -> Counter[str]:
    """How many tests a JUnit report says were skipped for which reason, each on one line."""
    return Counter(" ".join(skipped.get("message", "").split()) for skipped in ET.fromstring(report).iter("skipped"))


def read_skips(text: str) -> dict[str, str]:
    """Why tests may be left out, by a regular expression for the whole reason. Raises: tomllib.TOMLDecodeError."""
    return {skip["reason"]: skip["why"] for skip in tomllib.loads(text)["skip"]}


def why_left_out(reason: str, known: Mapping[str, str]) -> str:
    """Empty where the reason is not a known one."""
    return next((why for pattern, why in known.items() if re.fullmatch(pattern, reason)), "")


def told_skips(left_out: Mapping[str, int], known: Mapping[str, str]) -> list[str]:
    """A line for each reason, with how many tests were left out for it; known ones that mean the same are one."""
    numbers: Counter[str] = Counter()
    first: dict[str, str] = {}
    for reason, number in left_out.items():
        why = why_left_out(reason, known)
        meant = why or reason
        numbers[meant] += number
        first.setdefault(meant, f"{reason}: {why or 'NOT A REASON OF tests/skips.toml'}")
    return [f"{number:4} {first[meant]}" for meant, number in numbers.items()]


def closing_line(parts: Sequence[Part], wall_s: float) -> str:
    """In pytest's own form: `===== 2 failed, 40 passed, 1 skipped in 12.34s =====`."""
    total = sum((part.counts for part in parts), Counter[str]())
    words = [f"{total[name]} {name}" for name in ("failed", "passed", "skipped", "error") if total[name]]
    return f" {', '.join(words) or 'no tests ran'} in {wall_s:.2f}s ".center(80, "=")


def exit_code(parts: Sequence[Part], known: Mapping[str, str]) -> int:
    """0 where something ran, nothing failed, and nothing was left out but for known reasons."""
    ran = [part.exit_code for part in parts if part.exit_code != NO_TESTS]
    if not ran:
        return NO_TESTS
    unknown = any(not why_left_out(reason, known) for part in parts for reason in part.left_out)
    return next((code for code in ran if code != 0), 1 if unknown else 0)


class Run:
    """One run of pytest in a process of its own; its report and, where it is `quiet`, its output are in a folder."""

    def __init__(self, name: str, selection: Sequence[str], arguments: Sequence[str], *, quiet: bool) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="deskhand-tests-")
        self._name, self._quiet = name, quiet
        self._report, self._output = (Path(self._folder.name) / file for file in ("report.xml", "output"))
        command = (sys.executable, "-m", "pytest", "-q", "--inline-snapshot=disable", *selection)
        argv = (*command, f"--junitxml={self._report}", *arguments)
        if not quiet:
            print(f"== {name} tests", flush=True)
            self._process = subprocess.Popen(argv, cwd=ROOT, env=_environment())
            return
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                ("nice", "-n", NICENESS, *argv), cwd=ROOT, env=_environment(), stdout=output, stderr=subprocess.STDOUT
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def finish(self, code: int) -> Part:
        """The part, once the process has ended with this exit code; prints what it wrote."""
        if self._quiet:
            print(f"== {self._name} tests", self._output.read_text(errors="replace"), sep="\n", flush=True)
        if code == NO_TESTS:
            print(f"== there are no {self._name} tests in this selection", flush=True)
        # Where pytest itself gave up (usage, interruption) there may be no report; its exit code shows it.
        text = self._report.read_text(encoding="utf-8") if self._report.is_file() else ""
        self._folder.cleanup()
        return Part(self._name, code, *count(text), reasons(text)) if text else Part(self._name, code)


def _environment() -> dict[str, str]:
    """With compiled modules written: each of some thousand Python processes would compile its own again."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run_parts(selections: Sequence[Selection], arguments: Sequence[str]) -> list[Part]:
    """The parts, which run side by side, in the order given."""
    runs = [Run(*selection, arguments, quiet=number > 0) for number, selection in enumerate(selections)]
    running = {run.pid: run for run in runs}
    ended: dict[int, Part] = {}
    while len(ended) < len(runs):
        pid, code = reap_until_done(running)
        ended[pid] = running[pid].finish(code)
    return [ended[run.pid] for run in runs]


def main(arguments: Sequence[str]) -> int:
    adopt_orphans()
    began = time.monotonic()
    fast = FAST_OPTION in arguments
    parts = run_parts((FAST,) if fast else PARTS, [given for given in arguments if given != FAST_OPTION])
    if left := end_orphans():
        print("== the tests left processes behind:", *left, sep="\n  ", flush=True)
    for part in parts:
        print(f"{part.name}: " + closing_line((part,), part.wall_s).strip("= "))
    left_out = sum((part.left_out for part in parts), Counter[str]())
    known = read_skips(SKIPS.read_text(encoding="utf-8"))
    if left_out:
        print("left out:", *told_skips(left_out, known), sep="\n")
    print(closing_line(parts, time.monotonic() - began))
    return exit_code(parts, known) or (1 if left else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
