"""The time of the coordinator of a batch for each task: `bench_batch.py [TASKS]` (default 10 000).

First the tasks do nothing, in the process of the batch: what remains is reading them, beginning, ending, estimate and
status file, for each task of the first and the last tenth. Then each task is a session in a process of its own, in two
small applications in memory, of which the first few are carried out: the coordinator's processor time for each of them,
while few and while all tasks are queued.
"""

import io
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import anyio
from anyio.lowlevel import checkpoint
from rich.console import Console

from deskhand.cli.batch_process import TaskProcesses
from deskhand.cli.batch_progress import BatchProgress
from deskhand.core.outcomes import Outcome
from deskhand.session.batch import Batch
from deskhand.session.interactors import ScriptedInteractor
from deskhand.session.plan_file import Task, read_tasks
from deskhand.session.round import Ending
from tests.cli.batch_world import remote

TASKS: Final = 10_000
AT_ONCE: Final = 8
CARRIED_OUT: Final = 40
"""Tasks in processes of their own."""


@dataclass(slots=True)
class Idle:
    """Carries out tasks by doing nothing, and notes when each ended."""

    shown: BatchProgress
    ends: list[float]

    async def carry_out(self, task: Task, _: Path) -> Ending:
        self.shown.began(task)
        self.shown.stepped(task, 1, "click_input")
        await checkpoint()
        self.shown.ended(task, Outcome.SUCCESS, "done")
        self.ends.append(time.perf_counter())
        return Ending(Outcome.SUCCESS, "done")


def written(count: int, folder: Path) -> tuple[Task, ...]:
    """Tasks, written to a file and read again."""
    lines = (json.dumps({"id": f"task-{number}", "task": f"Write note {number}"}) for number in range(count))
    file = folder / "tasks.jsonl"
    file.write_text("\n".join(lines))
    return read_tasks(file)


def _progress(count: int, workers: int) -> BatchProgress:
    return BatchProgress(count, workers, Console(file=io.StringIO()))


def idle(count: int, folder: Path) -> float:
    """Run tasks that do nothing; return the milliseconds for each of the last tenth."""
    began = time.perf_counter()
    tasks = written(count, folder)
    with Batch(tasks, folder / "idle") as batch:
        made = time.perf_counter()
        carrying = Idle(_progress(count, AT_ONCE), [made])
        anyio.run(partial(batch.run, carrying.carry_out, workers=AT_ONCE))
        took = time.perf_counter() - made
        if batch.outcome is not Outcome.SUCCESS:
            raise RuntimeError(batch.outcome)
    each = [(later - earlier) * 1e3 for earlier, later in pairwise(carrying.ends)]
    tenth = count // 10
    first, last = statistics.fmean(each[:tenth]), statistics.fmean(each[-tenth:])
    print(
        f"{count:6} tasks that do nothing: begun after {made - began:.2f} s, run {took:.2f} s; "
        f"each of the first tenth {first:.2f} ms, of the last {last:.2f} ms"
    )
    return last


async def _some(batch: Batch, processes: TaskProcesses, workers: int) -> None:
    """Carry out the first tasks, and cancel the batch."""
    ended = 0

    async def carry_out(task: Task, folder: Path) -> Ending:
        nonlocal ended
        ending = await processes.carry_out(task, folder)
        ended += 1
        if ended == CARRIED_OUT:
            group.cancel_scope.cancel()
        return ending

    async with anyio.create_task_group() as group:
        await batch.run(carry_out, workers=workers)


def in_processes(count: int, folder: Path) -> float:
    """Return the milliseconds of the coordinator for each task in a process of its own, while `count` are queued."""
    tasks = written(count, folder)
    workers = 2
    processes = TaskProcesses(
        remote(interactor=ScriptedInteractor({}, [True] * CARRIED_OUT * 2)),
        again=False,
        watching=_progress(count, workers),
    )
    with Batch(tasks, folder / "processes") as batch:
        began, cpu = time.perf_counter(), time.process_time()
        anyio.run(_some, batch, processes, workers)
        took, cost = time.perf_counter() - began, time.process_time() - cpu
    good = sum(ending.outcome is Outcome.SUCCESS for ending in batch.endings)
    print(
        f"{count:6} tasks queued, each in a process: {good} succeeded in {took:.1f} s, {workers} at a time; "
        f"the coordinator worked {cost / good * 1e3:.1f} ms for each"
    )
    return cost / good * 1e3


def _ratio(what: str, figures: Sequence[float]) -> None:
    print(f"{what}: with all tasks {figures[1] / figures[0]:.2f} of what it is with a tenth")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    with tempfile.TemporaryDirectory() as name:
        for what, measure in (("doing nothing", idle), ("in processes", in_processes)):
            figures: list[float] = []
            for tasks in (count // 10, count):
                folder = Path(name) / f"{measure.__name__}-{tasks}"
                folder.mkdir()
                figures.append(measure(tasks, folder))
            _ratio(what, figures)


if __name__ == "__main__":
    main()
