"""A list of tasks, each one session, and the file of their outcomes (contract 2.3)."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Self, TypeAlias, TypeVar

import anyio
from pydantic import TypeAdapter, ValidationError

from deskhand.core.errors import DeskhandError, StoreError, UsageError
from deskhand.core.events import SessionFinished, SessionStarted
from deskhand.core.outcomes import Outcome
from deskhand.session.plan_file import Task
from deskhand.session.round import Ending
from deskhand.store.atomic_files import make_folder, write_atomic
from deskhand.store.journal import read_events
from deskhand.store.lock import FileLock

STATUS_NAME: Final = "tasks_status.json"
_LOCK_NAME: Final = ".batch.lock"
_ENDS: Final = frozenset({"session_started", "session_resumed", "session_finished"})
_STATUSES: Final = TypeAdapter(dict[str, Outcome])

T = TypeVar("T")
CarryOut: TypeAlias = Callable[[Task, Path], Awaitable[Ending]]
"""Runs one task's session in a folder of its own."""


@dataclass(frozen=True, slots=True)
class TaskEnding:
    """The outcome of one task. `skipped`: it succeeded before, in an earlier run or when it was resumed."""

    id: str
    outcome: Outcome
    reason: str
    folder: Path
    skipped: bool = False


class Batch:
    """Runs tasks, each in the folder `folder/ID`.

    `folder/tasks_status.json` maps each finished task to its outcome and is complete at any moment. A task that
    succeeded is skipped unless `again`. A folder serves one batch at a time: use it as a context manager.
    """

    def __init__(self, tasks: Sequence[Task], folder: Path, *, again: bool = False) -> None:
        """Raises: UsageError (the status file is not valid), StoreBusy (another batch uses the folder), StoreError."""
        self.tasks = tuple(tasks)
        self.folder = folder
        self._endings: dict[str, TaskEnding] = {}
        self._lines = dict.fromkeys((task.id for task in tasks), "")
        """Of the status file by id, in its order; empty: the task has no outcome."""
        self.left: tuple[Task, ...] = ()
        """The tasks that `run` runs; the others succeeded in an earlier run."""
        make_folder(folder)
        self._lock = FileLock(folder / _LOCK_NAME, whose="the batch in this folder")
        try:
            self._statuses = _read(folder / STATUS_NAME)
            self._lines.update((id_, _line(id_, outcome)) for id_, outcome in self._statuses.items())
            self.left = tuple(task for task in tasks if again or not self._has_succeeded(task))
        except DeskhandError:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    async def run(self, carry_out: CarryOut, *, workers: int | anyio.CapacityLimiter = 1) -> None:
        """Run every task, independent of the outcomes of the others; one that cannot begin is an error.

        `workers`: the number of tasks that run at a time, which a limiter may change meanwhile; they begin in their
        order. On cancellation the running tasks are cancelled, the others do not begin, and the cancellation is passed
        on. Raises: StoreError where the status file cannot be written.
        """
        left_ids = {task.id for task in self.left}
        for task in self.tasks:
            if task.id not in left_ids:
                folder = self.folder / task.id
                told = "it succeeded earlier"
                self._endings[task.id] = TaskEnding(task.id, Outcome.SUCCESS, told, folder, skipped=True)
        await in_turn(self.left, partial(self._work, carry_out), workers=workers)

    async def _work(self, carry_out: CarryOut, task: Task) -> None:
        """Run one task and take note of its outcome."""
        try:
            ending = await carry_out(task, self.folder / task.id)
        except DeskhandError as error:
            ending = Ending(Outcome.ERROR, error.message)
        except anyio.get_cancelled_exc_class():
            self._record(task, Ending(Outcome.CANCELLED, "cancelled by the user"))
            raise
        self._record(task, ending)

    @property
    def endings(self) -> list[TaskEnding]:
        """The endings so far, in the order of the tasks."""
        return [self._endings[task.id] for task in self.tasks if task.id in self._endings]

    @property
    def outcome(self) -> Outcome:
        """The first outcome that is not a success, otherwise success; cancelled where the batch was."""
        outcomes = [ending.outcome for ending in self.endings]
        if Outcome.CANCELLED in outcomes or len(outcomes) < len(self.tasks):
            return Outcome.CANCELLED
        return next((outcome for outcome in outcomes if outcome is not Outcome.SUCCESS), Outcome.SUCCESS)

    def _has_succeeded(self, task: Task) -> bool:
        """Return whether a task succeeded in an earlier run, or when its session was resumed after that."""
        if self._statuses.get(task.id) is not Outcome.SUCCESS and _succeeded(self.folder / task.id / "log", task):
            self._note(task, Outcome.SUCCESS)
        return self._statuses.get(task.id) is Outcome.SUCCESS

    def _record(self, task: Task, ending: Ending) -> None:
        self._endings[task.id] = TaskEnding(task.id, ending.outcome, ending.reason, self.folder / task.id)
        self._note(task, ending.outcome)

    def _note(self, task: Task, outcome: Outcome) -> None:
        self._statuses[task.id] = outcome
        self._lines[task.id] = _line(task.id, outcome)
        told = ",\n".join(filter(None, self._lines.values()))
        write_atomic(self.folder / STATUS_NAME, f"{{\n{told}\n}}\n".encode())


def _line(task_id: str, outcome: Outcome) -> str:
    return f"  {json.dumps(task_id)}: {json.dumps(outcome.value)}"


async def in_turn(
    items: Iterable[T], work: Callable[[T], Awaitable[None]], *, workers: int | anyio.CapacityLimiter
) -> None:
    """Work on the items, `workers` at a time, which a limiter may change meanwhile; they begin in their order.

    Raises: the first error of `work`, after the others are cancelled.
    """
    limiter = anyio.CapacityLimiter(workers) if isinstance(workers, int) else workers
    errors: list[Exception] = []

    async def work_on(item: T, place: object) -> None:
        try:
            await work(item)
        except Exception as error:  # noqa: BLE001 - raised below, as itself and not in a group
            errors.append(error)
            group.cancel_scope.cancel()
        finally:
            limiter.release_on_behalf_of(place)

    async with anyio.create_task_group() as group:
        for item in items:
            place = object()
            await limiter.acquire_on_behalf_of(place)
            group.start_soon(work_on, item, place)
    if errors:
        raise errors[0]


def _succeeded(session_dir: Path, task: Task) -> bool:
    """Return whether the last session of a task ended with success."""
    try:
        events = list(read_events(session_dir, kinds=_ENDS))
    except StoreError:  # it never began, or its journal is damaged: it is run again
        return False
    match events:
        case [SessionStarted(request=request), *_, SessionFinished(outcome=Outcome.SUCCESS)]:
            return request == task.task
        case _:
            return False


def _read(path: Path) -> dict[str, Outcome]:
    try:
        return _STATUSES.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror or error}", fix="give another folder with --out"
        ) from error
    except ValidationError as error:
        raise UsageError(
            f"{path} does not map tasks to outcomes",
            fix="remove it to run every task, or give another folder with --out",
        ) from error
