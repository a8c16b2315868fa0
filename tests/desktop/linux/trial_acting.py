"""Counted trials of acting while something happens, toolkit by toolkit: `trial_acting.py [options] TOOLKIT…`.

The fixture's own file, another fixture of the same name and the sentinel judge. Ends with 1 where something else than
what was meant was acted on, or an action was called confirmed that the fixture denies.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import anyio

from desktop.linux.adversity import FIXTURES, Tally, run_trials
from desktop.linux.fixture import linux_desktop

VERDICTS = ("done", "refused", "nothing", "WRONG", "LIED")


def table(toolkit: str, tally: Tally, seconds: float) -> str:
    """What came of the trials by what happened and by tool, refusals by reason, then each one that went wrong."""
    told = ", ".join(f"{verdict} {len(tally.of(verdict))}" for verdict in VERDICTS)
    lines = [f"{toolkit} ({tally.version}): {len(tally.trials)} trials in {seconds:.0f} s", f"  {told}"]
    for title, rows in (
        ("happening", tally.rows(lambda trial: trial.happening)),
        ("tool", tally.rows(lambda trial: trial.tool)),
    ):
        lines.append(f"  {title:24} " + " ".join(f"{verdict:>8}" for verdict in VERDICTS))
        lines += [
            f"  {name:24} " + " ".join(f"{row[verdict]:8}" for verdict in VERDICTS)
            for name, row in sorted(rows.items())
        ]
    lines.append("  refused because of")
    lines += [f"  {name:24} {count:8}  {what}" for (name, what), count in sorted(tally.refusals().items())]
    effects = Counter(trial.effect for trial in tally.trials)
    lines.append("  effects: " + ", ".join(f"{name or 'none'} {count}" for name, count in effects.most_common()))
    lines += [f"  ! {trial}" for trial in tally.of("WRONG") + tally.of("LIED")]
    return "\n".join(lines)


async def _run(toolkit: str, numbers: range) -> tuple[Tally, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with linux_desktop(Path(folder)) as desktop:
            started = time.monotonic()
            return await run_trials(desktop, toolkit, Path(folder), numbers), time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkits", nargs="*", default=list(FIXTURES), metavar="TOOLKIT")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    bad = False
    for toolkit in chosen.toolkits:
        tally, seconds = anyio.run(_run, toolkit, range(chosen.first, chosen.first + chosen.trials))
        sys.stdout.write(table(toolkit, tally, seconds) + "\n")
        sys.stdout.flush()
        bad |= bool(tally.of("WRONG") or tally.of("LIED"))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
