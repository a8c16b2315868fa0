"""What is kept between observations, held against fresh looks and against what is true, change after change.

    PYTHONPATH=.:src:tests python -m desktop.linux.trial_reobservation [--seed N] [--changes N] [--stop] [TOOLKIT …]

See `changing.py`, and `changing_office.py` for Writer, Calc and Impress, which are tried where they are
named. A line for each toolkit; differences are printed above it, and make the run fail.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio

from desktop.linux import changing_office
from desktop.linux.changing import FIXTURES, run


async def main(toolkits: Sequence[str], seed: int, count: int, *, stop: bool) -> int:
    different = 0
    for toolkit in toolkits or FIXTURES:
        with tempfile.TemporaryDirectory() as folder:
            if toolkit in changing_office.PROGRAMS:
                tally = await changing_office.run(toolkit, seed, count, Path(folder))
            else:
                tally = await run(toolkit, seed, count, Path(folder), stop=stop)
        for difference in tally.differences:
            print(f"  {difference}")  # noqa: T201 - for people
        print(tally, flush=True)  # noqa: T201 - for people
        different += len(tally.differences)
    return different


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkits", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--changes", type=int, default=500)
    parser.add_argument("--stop", action="store_true", help="at the first difference")
    given = parser.parse_args()
    sys.exit(1 if anyio.run(partial(main, given.toolkits, given.seed, given.changes, stop=given.stop)) else 0)
