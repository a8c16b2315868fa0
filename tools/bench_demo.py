"""The demo of this checkout beside that of a commit, or beside replays of it, in turns:
`bench_demo.py [COMMIT|--replay] [--runs N]`.

Prints the medians of N runs (5): the whole command, its processor time and that of the applications, the session, and
for each step where its milliseconds go: looking, deciding, acting. A commit gets a checkout and environment of its own
in a temporary folder; both have byte code, as installed packages do. Both have to succeed.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import monotonic
from typing import Any, Final, TypeAlias

Run: TypeAlias = Callable[[], tuple[tuple[float, float], Mapping[str, Any], Path]]
ROOT: Final = Path(__file__).resolve().parent.parent
PHASES: Final = {"data_collection": "look", "llm_interaction": "decide", "action_execution": "act"}
_QUERY: Final = "SELECT kind, body FROM events WHERE kind IN ('action_intended', 'step_finished') ORDER BY seq"


@dataclass
class Times:
    """Seconds of the runs of one checkout; `worked`: of processors; `steps`: by step, tool and phase."""

    command: list[float] = field(default_factory=list[float])
    worked: list[float] = field(default_factory=list[float])
    session: list[float] = field(default_factory=list[float])
    steps: dict[tuple[int, str], list[Mapping[str, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, folder: Path, taken_s: tuple[float, float], report: Mapping[str, Any]) -> None:  # Any: JSON
        self.command.append(taken_s[0])
        self.worked.append(taken_s[1])
        self.session.append(report["wall_s"])
        with closing(sqlite3.connect(folder / "log" / "journal.sqlite")) as journal:
            tools: dict[int, str] = {}
            for kind, text in journal.execute(_QUERY):
                body = json.loads(text)
                if kind == "action_intended":
                    tools.setdefault(body["step"], body["tool"])
                else:
                    step = body["step"]
                    taken = {**body["phase_seconds"], "all": body["seconds"]}
                    self.steps[step, tools.get(step, "")].append(taken)

    def table(self) -> str:
        rows = [f"{'step':>4} {'tool':26}" + "".join(f"{name:>8}" for name in (*PHASES.values(), "all"))]
        for (step, tool), runs in sorted(self.steps.items()):
            taken = [1000 * median(run.get(phase, 0.0) for run in runs) for phase in (*PHASES, "all")]
            rows.append(f"{step:4} {tool:26}" + "".join(f"{each:8.0f}" for each in taken))
        return "\n".join(rows)


def run(checkout: Path, *verb: str) -> tuple[tuple[float, float], Mapping[str, Any], Path]:
    """Carry out the demo once, or what `verb` says; its seconds by the clock and of processors, its report and its
    folder, which is the caller's to remove.
    """
    folder = Path(tempfile.mkdtemp(prefix="deskhand-bench-"))
    argv = (checkout / ".venv/bin/deskhand", *(verb or ("demo",)), "--out", folder, "--force", "--json")
    begun, had_worked_s = monotonic(), _worked_s()
    done = subprocess.run(argv, capture_output=True, cwd=folder, check=False)
    taken_s = monotonic() - begun, _worked_s() - had_worked_s
    report = json.loads(done.stdout or b"{}")
    if done.returncode or report.get("outcome") != "success":
        sys.stderr.buffer.write(done.stderr)
        raise SystemExit(f"the demo of {checkout} did not succeed: {report.get('reason') or done.returncode}")
    return taken_s, report, folder


def _worked_s() -> float:
    """Processor time of all processes that ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compiled(checkout: Path) -> Path:
    """Write the byte code of a checkout and of its packages."""
    folders = (checkout / "src", *(checkout / ".venv/lib").glob("python*/site-packages"))
    subprocess.run((checkout / ".venv/bin/python", "-m", "compileall", "-qq", "-j", "0", *folders), check=False)
    return checkout


def checked_out(commit: str, folder: Path) -> Path:
    """Make a checkout of a commit with its environment."""
    subprocess.run(("git", "clone", "-q", "--no-checkout", ROOT, folder), check=True)
    subprocess.run(("git", "checkout", "-q", commit), cwd=folder, check=True)
    subprocess.run((sys.executable, "tools/bootstrap.py", "demo"), cwd=folder, check=True)
    return folder


def measure(commands: Mapping[str, Run], runs: int) -> dict[str, Times]:
    times = {name: Times() for name in commands}
    for number in range(runs):
        order: Sequence[str] = sorted(commands, reverse=number % 2 == 1)
        for name in order:
            taken_s, report, folder = commands[name]()
            times[name].add(folder, taken_s, report)
            subprocess.run(("rm", "-rf", folder), check=True)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default="")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    recorded: Path | None = None
    other = "replay" if options.replay else options.commit
    with tempfile.TemporaryDirectory(prefix="deskhand-before-") as folder:
        commands: dict[str, Run] = {"now": partial(run, compiled(ROOT))}
        if options.replay:
            recorded = run(ROOT)[2]
            commands[other] = partial(run, ROOT, "replay", str(recorded))
        elif options.commit:
            commands[other] = partial(run, compiled(checked_out(other, Path(folder) / "checkout")))
        times = measure(commands, options.runs)
        if recorded:
            subprocess.run(("rm", "-rf", recorded), check=True)
    for name, each in times.items():
        seconds = f"command {median(each.command):.2f} s, processors {median(each.worked):.2f} s"
        seconds += f", session {median(each.session):.2f} s"
        print(f"{name}: {seconds}\n{each.table()}\n")
    if options.replay:
        pairs = zip(times["replay"].session, times["now"].session, strict=True)
        print(f"replay ÷ demo: command {_ratio(times['replay'].command, times['now'].command)}, ", end="")
        print(f"session {_ratio(times['replay'].session, times['now'].session)}, by pairs", end=" ")
        print(" ".join(f"{replayed / demo:.2f}" for replayed, demo in pairs))
    elif other:
        print(f"now ÷ {other}: {_ratio(times['now'].command, times[other].command)}")


def _ratio(some: Sequence[float], others: Sequence[float]) -> str:
    return f"{median(some) / median(others):.2f}"


if __name__ == "__main__":
    main()
