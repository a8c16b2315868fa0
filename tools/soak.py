"""Runs the demo again and again and looks for what it leaves behind: `python -m tools.soak 20`.

Every run has temporary, runtime and state folders of its own. A run counts as a success where the demo says so and
afterwards no process of it lives and nothing of it stands in those folders, nor in the system's where displays,
sockets and shared memory are. Prints a summary; exit code 1 unless every run was a success. The folders of the
others stay in `deskhand-soak/`. Nothing else should start desktops meanwhile.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

from tools.orphans import adopt_orphans, end_orphans, reap_until_done

ROOT: Final = Path(__file__).resolve().parent.parent
DEADLINE_S: Final = 180.0
SHARED: Final = (
    ("/tmp", "dh-*"),
    ("/tmp", "deskhand*"),
    ("/tmp", ".X*-lock"),
    ("/tmp", "OSL_PIPE_*"),
    ("/tmp", "lu*.tmp"),
    ("/tmp/.X11-unix", "X*"),
    ("/run/user", "*/dh-*"),
    ("/dev/shm", "*"),
)
"""Where programs put things whatever TMPDIR says: folder and pattern."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the demo; `problems` is empty where it was a success and left nothing."""

    wall_s: float
    problems: tuple[str, ...]


Shared: TypeAlias = Sequence[tuple[str, str]]


def shared_entries(shared: Shared) -> frozenset[str]:
    return frozenset(str(path) for folder, pattern in shared for path in Path(folder).glob(pattern))


def run_once(command: Sequence[str], folder: Path, shared: Shared = SHARED) -> Run:
    """Runs the demo command, `--out` and `--json` added, with everything it may write below `folder`."""
    folder.mkdir(parents=True)
    # Paths of sockets are short, so these are not below `folder`. What cannot be removed was told as left behind.
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as private:
        environment = _environment(Path(private))
        before = shared_entries(shared)
        began = time.monotonic()
        with (folder / "stdout.json").open("wb") as out, (folder / "stderr.txt").open("wb") as err:
            demo = subprocess.Popen(
                (*command, "--out", str(folder / "out"), "--json"),
                env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            )  # fmt: skip
            stop = threading.Timer(DEADLINE_S, demo.kill)
            stop.start()
            _, code = reap_until_done((demo.pid,))
            stop.cancel()
        wall_s = time.monotonic() - began
        problems = [] if code == 0 else [f"exit code {code}"]
        problems += _said(folder / "stdout.json")
        problems += (f"left running: {process}" for process in end_orphans())
        for name in ("tmp", "run"):
            problems += (f"left in {name}: {path.name}" for path in Path(private, name).iterdir())
        problems += (
            f"left behind: {entry}" for entry in sorted(shared_entries(shared) - before) if private not in entry
        )
    return Run(wall_s, tuple(problems))


def _environment(private: Path) -> Mapping[str, str]:
    folders = {name: private / name for name in ("tmp", "run", "state", "home")}
    for path in folders.values():
        path.mkdir(mode=0o700)
    return {
        **os.environ,
        "TMPDIR": str(folders["tmp"]),
        "XDG_RUNTIME_DIR": str(folders["run"]),
        "XDG_STATE_HOME": str(folders["state"]),
        "HOME": str(folders["home"]),
    }


def _said(stdout: Path) -> list[str]:
    """What the demo's own words have against it being a success."""
    text = stdout.read_text(encoding="utf-8", errors="replace")
    try:
        answer: object = json.loads(text)
    except ValueError:
        return [f"stdout is not one JSON object: {text[:80]!r}"]
    if not isinstance(answer, dict) or "outcome" not in answer:
        return ["stdout names no outcome"]
    answer = cast("dict[str, object]", answer)  # the keys of a JSON object are texts
    return [] if answer["outcome"] == "success" else [f"outcome {answer['outcome']}: {answer.get('error')}"]


def summary(runs: Sequence[Run]) -> str:
    good = sum(not run.problems for run in runs)
    times = [run.wall_s for run in runs]
    spread = f"{min(times):.1f} s, {statistics.median(times):.1f} s, {max(times):.1f} s" if times else "none"
    return f"{good} of {len(runs)} runs were a success; fastest, median, slowest: {spread}"


def soak(command: Sequence[str], count: int, folder: Path, shared: Shared = SHARED) -> int:
    """Returns the exit code. `shared` are the folders of the system that are looked at."""
    shutil.rmtree(folder, ignore_errors=True)
    runs: list[Run] = []
    for number in range(1, count + 1):
        run = run_once(command, folder / str(number), shared)
        runs.append(run)
        print(f"run {number}: {run.wall_s:.1f} s, {'; '.join(run.problems) or 'success'}", flush=True)
        if not run.problems:
            shutil.rmtree(folder / str(number))
    if runs and not any(folder.iterdir()):
        folder.rmdir()
    print(summary(runs))
    return 0 if runs and not any(run.problems for run in runs) else 1


def main(arguments: Sequence[str]) -> int:
    if len(arguments) > 1 or not all(argument.isdecimal() and int(argument) for argument in arguments):
        print("usage: python -m tools.soak [RUNS]", file=sys.stderr)
        return 2
    adopt_orphans()
    demo = (str(Path(sys.executable).with_name("deskhand")), "demo")
    return soak(demo, int(arguments[0]) if arguments else 20, ROOT / "deskhand-soak")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
