"""Runs the test suite in parts, each on several processes; files on real desktops are not divided between them.

    python -m tools.run_tests [pytest arguments]

Prints all summaries, what was left out by reason, and, as the last line, one closing line over them. Exit code 0: all
passed, else the first part's that did not. A part without a test is said, and is a failure only where all are empty. A
process that the tests leave behind is ended, named, and fails its part. A test that is left out for a reason that is
not in tests/skips.toml fails the run.
"""

import re
import subprocess
import sys
import tempfile
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
DESKTOPS: Final = 2
"""How many files on real desktops run at once."""

PARTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("fast", ("-m", "not desktop and not long", "-n", "2")),
    ("long", ("-m", "long and not desktop", "-n", "2")),
    ("desktop", ("-m", "desktop", "-n", str(DESKTOPS), "--dist", "loadfile")),
)


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


def closing_line(parts: Sequence[Part]) -> str:
    """In pytest's own form: `===== 2 failed, 40 passed, 1 skipped in 12.34s =====`."""
    total = sum((part.counts for part in parts), Counter[str]())
    words = [f"{total[name]} {name}" for name in ("failed", "passed", "skipped", "error") if total[name]]
    return f" {', '.join(words) or 'no tests ran'} in {sum(part.wall_s for part in parts):.2f}s ".center(80, "=")


def exit_code(parts: Sequence[Part], known: Mapping[str, str]) -> int:
    """0 where something ran, nothing failed, and nothing was left out but for known reasons."""
    ran = [part.exit_code for part in parts if part.exit_code != NO_TESTS]
    if not ran:
        return NO_TESTS
    unknown = any(not why_left_out(reason, known) for part in parts for reason in part.left_out)
    return next((code for code in ran if code != 0), 1 if unknown else 0)


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
        if not report.is_file():
            return Part(name, code)
        text = report.read_text(encoding="utf-8")
        return Part(name, code, *count(text), reasons(text))


def main(arguments: Sequence[str]) -> int:
    adopt_orphans()
    parts = [run_part(name, selection, arguments) for name, selection in PARTS]
    for part in parts:
        print(f"{part.name}: " + closing_line((part,)).strip("= "))
    left_out = sum((part.left_out for part in parts), Counter[str]())
    known = read_skips(SKIPS.read_text(encoding="utf-8"))
    if left_out:
        print("left out:", *told_skips(left_out, known), sep="\n")
    print(closing_line(parts))
    return exit_code(parts, known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
