"""Runs a public conformance suite of pointer and keyboard: `bench_conformance.py [--reps N] [--log DIR] [CASE…]`.

`cua-auto-harness` has 100 cases; what it asks for is sent as calls of our MCP server to a private desktop, and judged
by the events that its own window got, or that the X server delivered. A case passes if each repetition does.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

ROOT: Final = Path(__file__).resolve().parent.parent
SUITE: Final = ROOT / ".venv-conformance" / "bin" / "python"
ADAPTER: Final = ROOT / "tests" / "apps" / "conformance_adapter.py"
NAME: Final = "conformance"
SIZE: Final = (1920, 1080)
DESKHAND: Final = (sys.executable, "-m", "deskhand")
NEEDS: Final = ("curl", "xdotool", "xset")


def _json(text: str | bytes) -> dict[str, Any]:  # Any: JSON
    return cast("dict[str, Any]", json.loads(text))


def _programs(folder: Path) -> Path:
    """Return a folder of programs for the suite: its own Python, and a `pkill` that ends nothing."""
    programs = folder / "programs"
    programs.mkdir()
    for name, line in (("python3", f'exec {SUITE} "$@"'), ("pkill", "exit 0")):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    return programs


def _run(folder: Path, log: Path, reps: int, cases: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Run the suite on a desktop of its own; return its report."""
    start = (*DESKHAND, "desktop", "start", NAME, "--size", "{}x{}".format(*SIZE), "--json")
    desktop = _json(subprocess.run(start, env=environment, check=True, stdout=subprocess.PIPE).stdout)
    try:
        own = {**desktop["env"], "PATH": f"{_programs(folder)}:{desktop['env']['PATH']}"}
        serve = (*DESKHAND, "mcp", "--desktop", NAME)
        job = {"serve": serve, "environment": own, "folder": str(folder), "size": SIZE}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        argv = (SUITE, ADAPTER, folder / "job.json", log, str(reps), *cases)
        subprocess.run(argv, env=environment, check=True, cwd=folder)
    finally:
        subprocess.run((*DESKHAND, "desktop", "stop", NAME), env=environment, check=True, stdout=subprocess.DEVNULL)
    return _json((log / "report.json").read_bytes())


def _reason(log: Path, case: str) -> str:
    """Return the judgement of the first repetition that did not pass."""
    for file in sorted((log / "entries" / case).glob("rep*/verdict.json")):
        verdict = _json(file.read_bytes())
        if verdict["status"] != "pass":
            channels = [verdict[name] for name in ("event_channel", "raw_channel") if verdict[name]]
            told = "; ".join(str(channel["detail"]) for channel in channels if channel["detail"])
            return f"{verdict['status']}: {' '.join((told or str(verdict['notes'])).split())}"
    return "no judgement"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of the names of cases; default: all")
    parser.add_argument("--reps", type=int, default=1, help="repetitions of each case")
    parser.add_argument("--log", type=Path, help="folder for the suite's records")
    options = parser.parse_args()
    if missing := [program for program in NEEDS if shutil.which(program) is None]:
        print(f"not installed: {', '.join(missing)}; run make bench-conformance", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        log = (options.log or folder / "log").absolute()
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_STATE_HOME": str(folder / "state")}
        report = _run(folder, log, options.reps, options.cases, environment)
        passed = [each["entry_id"] for each in report["entries"] if each["final"] == "pass"]
        failed = [each for each in report["entries"] if each["final"] != "pass"]
        reasons = {
            each["entry_id"]: f"{each['passes']} of {each['reps']}, {_reason(log, each['entry_id'])}" for each in failed
        }
        reasons |= {each["entry_id"]: f"not measured, {each['reason']}" for each in report["not_measurable"]}
    print(f"\npassed {len(passed)} of {len(passed) + len(reasons)}, {options.reps} repetitions each")
    for case, reason in reasons.items():
        print(f"- {case}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
