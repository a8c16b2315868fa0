"""The share of actions that worked and were confirmed: `bench_share.py [APPLICATION…] [--before DIR] [--json FILE]`.

Ordinary actions in real applications and in forms of each toolkit; the state of each application decides which of them
worked. With `--before`, the same list with the code of another checkout is run after that of this one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from tests.desktop.linux.everyday import Share, staged
from tests.desktop.linux.everyday_deeds import DEEDS

ROOT = Path(__file__).resolve().parent.parent


async def measured(applications: Sequence[str]) -> list[Share]:
    """The list in each application, printed as it goes."""
    shares: list[Share] = []
    for name in applications:
        share = Share(name)
        with tempfile.TemporaryDirectory() as folder:
            async with staged(name, Path(folder)) as stage:
                await stage.run(DEEDS[name], share)
        shares.append(share)
        print(share)
        for kind, trials in (("NOT CONFIRMED", share.missed), ("FALSE", share.false), ("idle", share.idle)):
            for trial in trials:
                print(f"    {kind} {trial}")
        sys.stdout.flush()
    return shares


def total(shares: Sequence[Share]) -> str:
    worked, confirmed = sum(len(each.worked) for each in shares), sum(len(each.confirmed) for each in shares)
    false, hidden = sum(len(each.false) for each in shares), [trial for each in shares for trial in each.hidden]
    slowest = max((trial.seconds for trial in hidden), default=0.0)
    return (
        f"in all {confirmed} of {worked} that worked confirmed ({confirmed / max(worked, 1):.1%}), {false} false; "
        f"{len(hidden)} without a visible effect, said so in at most {slowest:.2f} s"
    )


def rows(shares: Sequence[Share]) -> list[tuple[str, str, bool, str, str, float]]:
    return [
        (share.application, str(trial.deed), trial.worked, trial.effect, trial.evidence, trial.seconds)
        for share in shares
        for trial in share.trials
    ]


def run_before(folder: Path, applications: Sequence[str]) -> None:
    """The same list with the code of another checkout, in its own environment."""
    path = os.pathsep.join([str(folder / "src"), str(ROOT), str(ROOT / "tests")])
    argv = [folder / ".venv/bin/python", "-m", "tools.bench_share", *applications]
    subprocess.run(argv, env={**os.environ, "PYTHONPATH": path}, cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("applications", nargs="*", default=list(DEEDS))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    shares = anyio.run(measured, options.applications)
    print(total(shares))
    if options.json:
        options.json.write_text(json.dumps(rows(shares), indent=1), encoding="utf-8")
    if options.before:
        print("before:", flush=True)
        run_before(options.before.resolve(), options.applications)


if __name__ == "__main__":
    main()
