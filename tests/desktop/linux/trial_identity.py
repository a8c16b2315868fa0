"""Counted trials of identity, toolkit by toolkit, as a table: `trial_identity.py [options] TOOLKIT…`.

Each trial sees a window of a fixture application, has it change, and acts on what was seen; the fixture's own file says
what was acted on. Ends with 1 where a wrong control was acted on, an id went to another control, or more than one in
twenty of the controls that could be told were refused.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio

from desktop.linux.fixture import linux_desktop
from desktop.linux.mutating import FIXTURES, SECTIONS, Tally, run_trials

VERDICTS = ("right", "refused", "nothing", "WRONG", "LOST")


def table(toolkit: str, tally: Tally, seconds: float) -> str:
    """What came of the trials, one line for each change, then each one that went wrong."""
    told = ", ".join(f"{verdict} {len(tally.of(verdict))}" for verdict in VERDICTS)
    ids = tally.ids
    lines = [
        f"{toolkit} ({tally.version}): {len(tally.trials)} trials in {seconds:.0f} s",
        f"  {told}",
        f"  could be told from all others: {len(tally.tellable)}, of these not acted on: {len(tally.over_refused)}",
        f"  ids: {ids.seen}; gone to another control: {len(ids.moved)}; lost by a living one: {len(ids.lost)}",
        f"  handles that the toolkit gave to another object later: {len(ids.reused)}",
        f"  {'section':9} {'change':22} {'could':>6} " + " ".join(f"{verdict:>8}" for verdict in VERDICTS),
    ]
    for (section, change), row in sorted(tally.rows().items()):
        counts = " ".join(f"{row[verdict]:8}" for verdict in VERDICTS)
        lines.append(f"  {section:9} {change:22} {row['must']:6} {counts}")
    bad = [trial for trial in tally.trials if trial.verdict in {"WRONG", "LOST"} or trial in tally.over_refused]
    lines += [f"  ! {trial}" for trial in bad] + [f"  ! id {told}" for told in ids.moved + ids.lost]
    return "\n".join(lines)


def failed(tally: Tally) -> bool:
    wrong = tally.of("WRONG") or tally.of("LOST") or tally.ids.moved
    return bool(wrong) or len(tally.over_refused) > 0.05 * len(tally.tellable)


async def _run(toolkit: str, numbers: range, sections: Sequence[str]) -> tuple[Tally, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with linux_desktop(Path(folder)) as desktop:
            started = time.monotonic()
            return await run_trials(desktop, toolkit, Path(folder), numbers, sections), time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkits", nargs="*", default=list(FIXTURES), metavar="TOOLKIT")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sections", nargs="+", choices=sorted(set(SECTIONS)), default=SECTIONS)
    chosen = parser.parse_args()
    bad = False
    for toolkit in chosen.toolkits:
        tally, seconds = anyio.run(_run, toolkit, range(chosen.first, chosen.first + chosen.trials), chosen.sections)
        sys.stdout.write(table(toolkit, tally, seconds) + "\n")
        sys.stdout.flush()
        bad |= failed(tally)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
