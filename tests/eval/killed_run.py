"""Runs trials in a process that kills itself in the middle of the third: `killed_run.py SUITE OUT`."""

import os
import signal
import sys
from pathlib import Path

import anyio

from deskhand.eval.folders import read_suite
from deskhand.eval.results import TrialResult
from deskhand.eval.trials import Trial, Trials
from eval.sessions import RUN, Sessions


class Deadly(Sessions):
    def work_on(self, name: str, note: Path) -> None:
        super().work_on(name, note)
        if name == "a.2":
            (note.parent / "half-done.txt").touch()
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    suite, out = map(Path, sys.argv[1:])
    with Trials(read_suite(suite).tasks, out, RUN, repeat=2) as trials:
        anyio.run(trials.run, Deadly().run, _ignore)


def _ignore(_trial: Trial, _result: TrialResult) -> None: ...


if __name__ == "__main__":
    main()
