"""Counted trials of typing, as a table: `trial_typing.py [options] TOOLKIT…`.

    PYTHONPATH=.:src:tests python -m desktop.linux.trial_typing --trials 1000 "GTK 3" "Qt 6"

Each trial puts a text into a field of a fixture application by one way; the fixture's own file says what stands there.
Ends with 1 where something was confirmed that the file denies, something refused changed the field, or a key stayed
down.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import anyio

from desktop.linux.fixture import linux_desktop
from desktop.linux.typed import FIXTURES, WAYS, Tally, run_trials

VERDICTS = ("right", "unverifiable", "partial", "suspected_noop", "refused", "LIE", "LOST", "DOWN")
BAD = ("LIE", "LOST", "DOWN")
_SHOWN = 8
"""Of those that are not right so many are printed for each way."""


def table(toolkit: str, tally: Tally, seconds: float) -> str:
    """What came of the trials, one line for each way and kind of text, then some that were not right."""
    lines = [f"{toolkit}: {len(tally.trials)} trials in {seconds:.0f} s"]
    lines.append(f"  {'way':14}{'text':10} " + " ".join(f"{verdict:>14}" for verdict in VERDICTS))
    for (way, kind), row in sorted(tally.rows().items()):
        lines.append(f"  {way:14}{kind:10} " + " ".join(f"{row[verdict]:14}" for verdict in VERDICTS))
    shown: dict[tuple[str, str], int] = {}
    for trial in tally.trials:
        seen = shown.setdefault((trial.way, trial.verdict), 0)
        if trial.verdict == "right" or (seen >= _SHOWN and trial.verdict not in BAD):
            continue
        shown[trial.way, trial.verdict] += 1
        lines.append(f"  ! {trial.number} {trial.way} {trial.kind} {trial.verdict}: {trial.told[:300]}")
    return "\n".join(lines)


async def _run(toolkit: str, numbers: range, ways: list[str]) -> tuple[Tally, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with linux_desktop(Path(folder)) as desktop:
            started = time.monotonic()
            return await run_trials(desktop, toolkit, Path(folder), numbers, ways), time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkits", nargs="*", default=list(FIXTURES), metavar="TOOLKIT")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    chosen = parser.parse_args()
    bad = False
    for toolkit in chosen.toolkits:
        tally, seconds = anyio.run(_run, toolkit, range(chosen.first, chosen.first + chosen.trials), chosen.ways)
        sys.stdout.write(table(toolkit, tally, seconds) + "\n")
        sys.stdout.flush()
        bad |= any(tally.of(verdict) for verdict in BAD)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
