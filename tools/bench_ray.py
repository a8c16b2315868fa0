"""Measures the coordinator of a batch on a Ray cluster: `make bench-ray`; needs root, for networks of the nodes' own.

- Works that do nothing, one after the other on one desktop and side by side on two: the time of the coordinator, the
  round trips and the folder for each.
- Sessions in two small applications in memory: on one and two desktops, beside `--workers 1` and `--workers 2` here.
"""

import contextlib
import io
import json
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from deskhand.cli.batch import BatchOptions, carry_out_batch
from deskhand.fleet.cluster import Cluster
from deskhand.fleet.fleet import Fleet
from deskhand.fleet.folder_copy import FolderCopy
from deskhand.fleet.work import Place, Reports
from deskhand.session.clock import SystemClock
from deskhand.session.interactors import ScriptedInteractor
from tests.cli.batch_world import remote
from tests.fleet.clusters import ADDRESS, nodes, up

_WORKS: Final = 200
_SESSIONS: Final = 12


@dataclass(frozen=True)
class Nothing:
    """Work without a session."""

    async def carry_out(self, place: Place, reports: Reports) -> object:
        del place, reports


class Silent:
    """Follows such work."""

    def began(self, folder: str) -> None:
        pass

    def told(self, message: object) -> None:
        pass

    async def answer(self, question: object) -> object:
        del question


async def works(desktops: int, folder: Path) -> tuple[float, float]:
    """Seconds until the first work ended, and for each of the others."""
    with Cluster(ADDRESS) as cluster:
        fleet = Fleet(cluster, tasks=_WORKS, workers=desktops, office=False, note=lambda _: None)
        began = time.monotonic()
        async with fleet.opened():
            await one(fleet, folder, "first")
            first = time.monotonic()
            limiter = anyio.CapacityLimiter(desktops)
            async with anyio.create_task_group() as group:
                for number in range(_WORKS):
                    await limiter.acquire_on_behalf_of(number)
                    group.start_soon(released, fleet, folder, number, limiter)
            return first - began, (time.monotonic() - first) / _WORKS


async def released(fleet: Fleet, folder: Path, number: int, limiter: anyio.CapacityLimiter) -> None:
    try:
        await one(fleet, folder, str(number))
    finally:
        limiter.release_on_behalf_of(number)


async def one(fleet: Fleet, folder: Path, name: str) -> None:
    await fleet.run(name, Nothing(), (), FolderCopy(folder / name, "log", SystemClock()), Silent())


def sessions(cluster: str, workers: int, folder: Path) -> float:
    """Seconds for all sessions."""
    list_ = folder / "tasks.jsonl"
    list_.write_text("".join(json.dumps({"id": f"t{n}", "task": "Write a note"}) + "\n" for n in range(_SESSIONS)))
    approving = ScriptedInteractor({}, [True] * _SESSIONS)
    began = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = carry_out_batch(
            list_,
            remote(interactor=approving),
            folder / "out",
            BatchOptions(workers, cluster, again=False, as_json=True),
        )
    assert code == 0
    return time.monotonic() - began


@contextmanager
def folders() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-ray-") as folder:
        yield Path(folder)


def inside() -> None:
    for desktops in (1, 2):
        with folders() as folder:
            first, each = anyio.run(works, desktops, folder)
        print(
            f"{_WORKS} works that do nothing, {desktops} at a time: {each * 1000:.1f} ms each, the first {first:.1f} s"
        )
    for cluster, where in ((ADDRESS, "Ray"), ("", "here")):
        for count in (1, 2):
            with folders() as folder:
                took = sessions(cluster, count, folder)
            print(f"{_SESSIONS} sessions in memory, {count} at a time, {where}: {took:.1f} s")


def main() -> None:
    if "--inside" in sys.argv:
        inside()
        return
    for made in nodes():
        up(made.add(desktops=0))
        up(made.add(desktops=2))
        with folders() as home:
            done = made.run("-m", "tools.bench_ray", "--inside", home=home)
            out, err = done.communicate()
            print(out, end="")
            print(err if done.returncode else "", end="", file=sys.stderr)


if __name__ == "__main__":
    main()
