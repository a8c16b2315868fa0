"""Runs the test suite in parts, each on two processes; files on real desktops are not divided between them.

    python -m tools.run_tests [pytest arguments]

Prints all summaries and, as the last line, one closing line over them. Exit code 0: all passed, else the first
part's that did not. A part without a test is said, and is a failure only where all are empty. A process that the
tests leave behind is ended, named, and fails its part.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools.orphans import adopt_orphans, end_orphans, reap_until_done

ROOT: Final = Path(__file__).resolve().parent.parent
NO_TESTS: Final = 5
PARTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("fast", ("-m", "not desktop and not long", "-n", "2")),
    ("long", ("-m", "long and not desktop", "-n", "2")),
    ("desktop", ("-m", "desktop", "-n", "2", "--dist", "loadfile")),
)


@dataclass(frozen=True, slots=True)
class Part:
    """How one run of pytest ended."""

    name: str
    exit_code: int
    counts: Counter[str] = field(default_factory=Counter[str])
    wall_s: float = 0.0


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


def closing_line(parts: Sequence[Part]) -> str:
    """In pytest's own form: `===== 2 failed, 40 passed, 1 skipped in 12.34s =====`."""
    total = sum((part.counts for part in parts), Counter[str]())
    words = [f"{total[name]} {name}" for name in ("failed", "passed", "skipped", "error") if total[name]]
    return f" {', '.join(words) or 'no tests ran'} in {sum(part.wall_s for part in parts):.2f}s ".center(80, "=")


def exit_code(parts: Sequence[Part]) -> int:
    """0 where something ran and nothing failed."""
    ran = [part.exit_code for part in parts if part.exit_code != NO_TESTS]
    return next((code for code in ran if code != 0), 0) if ran else NO_TESTS


def run_part(name: str, selection: Sequence[str], arguments: Sequence[str]) -> Part:
    with tempfile.TemporaryDirectory(prefix="deskhand-tests-") as folder:
        report = Path(folder) / "report.xml"
        print(f"== {name} tests", flush=True)
        argv = (
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--inline-snapshot=disable",
            *selection,
            f"--junitxml={report}",
            *arguments,
        )
        code = reap_until_done(subprocess.Popen(argv, cwd=ROOT).pid)
        if left := end_orphans():
            print(f"== the {name} tests left processes behind:", *left, sep="\n  ", flush=True)
            code = code or 1
        if code == NO_TESTS:
            print(f"== there are no {name} tests in this selection", flush=True)
        # Where pytest itself gave up (usage, interruption) there may be no report; its exit code says so.
        counts, wall_s = count(report.read_text(encoding="utf-8")) if report.is_file() else (Counter[str](), 0.0)
        return Part(name, code, counts, wall_s)


def main(arguments: Sequence[str]) -> int:
    adopt_orphans()
    parts = [run_part(name, selection, arguments) for name, selection in PARTS]
    for part in parts:
        print(f"{part.name}: " + closing_line((part,)).strip("= "))
    print(closing_line(parts))
    return exit_code(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
