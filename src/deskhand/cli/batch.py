"""`deskhand run --mode batch`: a list of tasks, each one session."""

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import platformdirs
from anyio import CapacityLimiter

from deskhand import notify
from deskhand.cli.batch_fleet import FleetTasks, check_distant, needs_office
from deskhand.cli.batch_process import TaskProcesses
from deskhand.cli.batch_progress import BatchProgress
from deskhand.cli.batch_task import TaskSession
from deskhand.cli.batch_workers import check_outputs, check_shared, worker_count
from deskhand.cli.console import print_error, print_json, print_line, print_note, printable
from deskhand.cli.junit_file import JunitFile
from deskhand.cli.preflight import LOG_NAME, check_path, readable_file
from deskhand.cli.progress import Detail, progress_on_stderr
from deskhand.cli.run_options import Preparation
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Stopped, Work
from deskhand.core.errors import DeskhandError, ErrorInfo
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from deskhand.fleet.cluster import Cluster
from deskhand.fleet.fleet import Fleet
from deskhand.fleet.task_run import Patience
from deskhand.notify import AnnouncedInteractor, Message, Notifications
from deskhand.notify.message import batch_end, task_end
from deskhand.report.formatting import seconds
from deskhand.report.summary import ErrorSummary, SessionSummary, Tokens
from deskhand.session.batch import STATUS_NAME, Batch, TaskEnding
from deskhand.session.build import run_session
from deskhand.session.plan_file import Task, read_tasks
from deskhand.session.round import Ending

_NOT_BEGUN: Final = "the batch was stopped before it began"


class _Place(Protocol):
    """The place where tasks run: this process, others of this machine, or a cluster."""

    @property
    def summaries(self) -> dict[str, SessionSummary]:
        """The summaries of sessions that ended, by the ids of the tasks."""
        ...

    async def carry_out(self, task: Task, folder: Path) -> Ending:
        """Run one task in its folder. Raises: DeskhandError if it cannot begin."""
        ...


@dataclass(frozen=True, slots=True)
class _Sessions:
    """Run the tasks' sessions in this process, one at a time, and collect their summaries by the ids of the tasks.

    `again`: earlier results may be replaced.
    """

    preparation: Preparation
    again: bool
    detail: Detail = Detail.NORMAL
    summaries: dict[str, SessionSummary] = field(default_factory=dict[str, SessionSummary])

    async def carry_out(self, task: Task, folder: Path) -> Ending:
        """Run one task in its folder and write its report. Raises: UsageError, StoreError if it cannot begin."""
        if self.detail is not Detail.QUIET:
            print_note(f"task {task.id}: {printable(task.task)}")
        session = TaskSession(self.preparation, task, folder, self.again)
        prepared = session.prepared((progress_on_stderr(os.environ, detail=self.detail),))
        work = Work(partial(run_session, prepared.plan))
        try:
            with session.announced(prepared.plan):
                await work.run()
        finally:
            summary = self.summaries[task.id] = session.concluded(prepared, work)
        return Ending(Outcome(summary.outcome), summary.reason)


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """`workers`: the number of tasks at a time; None: as many as the machine, or the cluster, allows. `cluster`: the
    address of a Ray cluster; empty: this machine. `again`: earlier results may be replaced. `patience`: with its nodes.
    `junit`: gets the result of each task.
    """

    workers: int | None
    cluster: str
    again: bool
    as_json: bool
    detail: Detail = Detail.NORMAL
    junit: JunitFile | None = None
    patience: Patience = field(default_factory=Patience)


def carry_out_batch(path: Path, preparation: Preparation, out: Path | None, options: BatchOptions) -> int:
    """Run the tasks at `path`, print their outcomes and return the exit code of the batch's outcome.

    Without `out` the folder is among this user's other sessions; its name derives from the path of the tasks.
    Raises: UsageError, StoreError, MissingRequirement, ClusterUnavailable.
    """
    tasks = read_tasks(path if path.is_dir() else readable_file(path, option="--tasks"))
    folder = out or _folder_of(path)
    check_path(folder / STATUS_NAME, option="--out")
    if not options.cluster:
        preparation.check_machine()
    wanted, person = preparation.notifications, AnnouncedInteractor(preparation.interactor, str(folder))
    preparation = replace(preparation, notifications=Notifications(), interactor=person)  # one message, not two
    preparation.session([""], folder, base=folder)  # reports a wrong parameter before the first task
    with ExitStack() as stack:
        batch = stack.enter_context(Batch(tasks, folder, again=options.again))
        check_outputs(preparation, batch)
        began = time.monotonic()
        place, at_a_time, opened, shown = _place(preparation, batch, options, stack)

        def conclude_batch(work: Work[None]) -> int:
            with suppress(Stopped):  # the outcome reports it
                work.result()
            endings = _all_endings(batch)
            if options.junit is not None:
                options.junit.add_tasks(endings, place.summaries)
            ran = [place.summaries[task.id] for task in tasks if task.id in place.summaries]
            took = time.monotonic() - began
            summary = _summary(f"{len(tasks)} tasks of {path}", folder, batch.outcome, endings, ran, took)
            if options.as_json:
                told = [_as_json(ending, place.summaries.get(ending.id)) for ending in endings]
                print_json({**summary.to_json(), "tasks": told})
            else:
                _print(summary, endings, place.summaries)
            if summary.error is not None:
                print_error(summary.error.message, summary.error.fix)
            return batch.outcome.exit_code

        async def run() -> None:
            async with notify.opened(wanted, partial(_not_notified, shown)) as outbox, opened:
                person.outbox = outbox
                try:
                    await batch.run(partial(_announced, place, outbox, folder), workers=at_a_time)
                finally:
                    outbox.send_end(_end_of(batch, took := time.monotonic() - began), took)

        with shown or nullcontext():
            return run_and_conclude(run, conclude_batch)


async def _announced(place: _Place, outbox: notify.Outbox, batch: Path, task: Task, folder: Path) -> Ending:
    """Run a task, and send a message of its end. Raises: as `_Place.carry_out`."""
    try:
        ending = await place.carry_out(task, folder)
    except DeskhandError:
        outbox.send(task_end(str(batch), task.id, Outcome.ERROR.value))
        raise
    outbox.send(task_end(str(batch), task.id, ending.outcome.value))
    return ending


def _end_of(batch: Batch, took_s: float) -> Message:
    succeeded = sum(ending.outcome is Outcome.SUCCESS for ending in batch.endings)
    return batch_end(str(batch.folder), batch.outcome.value, took_s, (succeeded, len(batch.tasks)))


def _not_notified(shown: BatchProgress | None, channel: str, error: ErrorInfo) -> None:
    note = shown.note if shown else print_note
    note(printable(f"notifying by {channel}: {error.message}"))


def _place(
    preparation: Preparation, batch: Batch, options: BatchOptions, stack: ExitStack
) -> tuple[_Place, int | CapacityLimiter, AbstractAsyncContextManager[None], BatchProgress | None]:
    """The place of the tasks, their number at a time, the context in which they run, and their progress.

    Raises: UsageError, MissingRequirement, ClusterUnavailable.
    """
    if options.cluster:
        check_shared(preparation, f"--ray {options.cluster}")
        check_distant(preparation, batch)
        cluster = stack.enter_context(Cluster(options.cluster))
        shown = BatchProgress(len(batch.left), options.workers or 1, quiet=options.detail is Detail.QUIET)
        office = needs_office(preparation, batch.left)
        fleet = Fleet(
            cluster,
            tasks=len(batch.left),
            workers=options.workers,
            office=office,
            note=shown.note,
            patience=options.patience,
        )
        return FleetTasks(fleet, preparation, options.again, shown), fleet.limiter, fleet.opened(), shown
    count = worker_count(options.workers, preparation, len(batch.left))
    if count == 1:
        return _Sessions(preparation, options.again, options.detail), 1, nullcontext(), None
    shown = BatchProgress(len(batch.left), count, quiet=options.detail is Detail.QUIET)
    return TaskProcesses(preparation, options.again, shown), count, nullcontext(), shown


def _folder_of(path: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:8]
    return platformdirs.user_state_path("deskhand") / "batches" / f"{path.absolute().stem}-{digest}"


def _all_endings(batch: Batch) -> list[TaskEnding]:
    """Endings of all tasks in their order, including those not begun."""
    ended = {ending.id: ending for ending in batch.endings}
    return [
        ended.get(task.id) or TaskEnding(task.id, Outcome.CANCELLED, _NOT_BEGUN, batch.folder / task.id)
        for task in batch.tasks
    ]


def _summary(
    request: str,
    folder: Path,
    outcome: Outcome,
    endings: Sequence[TaskEnding],
    ran: Sequence[SessionSummary],
    took_s: float,
) -> SessionSummary:
    """One summary of all sessions: their steps in order, their costs added."""
    bad = [ending for ending in endings if ending.outcome is not Outcome.SUCCESS]
    reason = f"{len(endings) - len(bad)} of {len(endings)} tasks succeeded"
    reason += f"; {bad[0].id}: {bad[0].reason or bad[0].outcome}" if bad else ""
    costs = [summary.cost_usd for summary in ran]
    known = [cost for cost in costs if cost is not None]
    fix = f"Read the report of each task in {folder}; run the same command again to repeat those that did not succeed."
    return SessionSummary(
        outcome=outcome.value,
        reason=reason,
        request=request,
        session_id="",
        session_dir=str(folder),
        outputs=[output for summary in ran for output in summary.outputs],
        report=None,
        steps=sum(summary.steps for summary in ran),
        model_calls=sum(summary.model_calls for summary in ran),
        tokens=Tokens(
            input=sum(summary.tokens.input for summary in ran), output=sum(summary.tokens.output for summary in ran)
        ),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        wall_s=took_s,
        transitions=[edge for summary in ran for edge in summary.transitions],
        subtasks=[subtask for summary in ran for subtask in summary.subtasks],
        checks=[check for summary in ran for check in summary.checks],
        error=ErrorSummary(type=outcome.value.title().replace("_", ""), message=reason, fix=fix) if bad else None,
    )


def _as_json(ending: TaskEnding, summary: SessionSummary | None) -> JsonObject:
    """`healed`: the healed playbook of the task, for review; null without one."""
    log = ending.folder / LOG_NAME
    return {
        "id": ending.id,
        "outcome": ending.outcome.value,
        "reason": ending.reason,
        "session_dir": str(log) if log.is_dir() else "",
        "skipped": ending.skipped,
        "healed": summary.healed.file if summary and summary.healed else None,
    }


def _print(summary: SessionSummary, endings: Sequence[TaskEnding], ran: Mapping[str, SessionSummary]) -> None:
    for ending in endings:
        print_line(f"{ending.outcome:<10} {ending.id}  {printable(ending.reason)}".rstrip())
        if (done := ran.get(ending.id)) and done.healed:
            told = f"review {done.healed.file}" if done.healed.file else f"healed, not written: {done.healed.reason}"
            print_line(f"{'':<10} {printable(told)}")
    print_line(f"{'outcome':<10} {summary.outcome}: {printable(summary.reason)}")
    print_line(f"{'folder':<10} {summary.session_dir}")
    print_line(f"{'took':<10} {seconds(summary.wall_s)}, {summary.steps} steps")
