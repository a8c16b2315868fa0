"""A list of tasks, each one session, and the file of their outcomes (contract 2.3)."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TypeAlias

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
    """Runs tasks one after the other; the task ID has the folder `folder/ID`.

    `folder/tasks_status.json` maps each finished task to its outcome and is complete at any moment. A task that
    succeeded is skipped unless `again`. A folder serves one batch at a time: use it as a context manager.
    """

    def __init__(self, tasks: Sequence[Task], folder: Path, *, again: bool = False) -> None:
        """Raises: UsageError (the status file is not valid), StoreBusy (another batch uses the folder), StoreError."""
        self.tasks = tuple(tasks)
        self.endings: list[TaskEnding] = []
        self.folder = folder
        self._again = again
        make_folder(folder)
        self._lock = FileLock(folder / _LOCK_NAME, whose="the batch in this folder")
        try:
            self._statuses = _read(folder / STATUS_NAME)
        except DeskhandError:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    async def run(self, carry_out: CarryOut) -> None:
        """Run every task, independent of the outcomes before it; one that cannot begin is an error.

        On cancellation the running task is cancelled, those after it do not begin, and the cancellation is passed on.
        Raises: StoreError where the status file cannot be written.
        """
        for task in self.tasks:
            folder = self.folder / task.id
            if not self._again and self._has_succeeded(task):
                told = "it succeeded earlier"
                self.endings.append(TaskEnding(task.id, Outcome.SUCCESS, told, folder, skipped=True))
                continue
            try:
                ending = await carry_out(task, folder)
            except DeskhandError as error:
                ending = Ending(Outcome.ERROR, error.message)
            except anyio.get_cancelled_exc_class():
                self._record(task, Ending(Outcome.CANCELLED, "cancelled by the user"))
                raise
            self._record(task, ending)

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
        self.endings.append(TaskEnding(task.id, ending.outcome, ending.reason, self.folder / task.id))
        self._note(task, ending.outcome)

    def _note(self, task: Task, outcome: Outcome) -> None:
        self._statuses[task.id] = outcome
        told = json.dumps({name: outcome.value for name, outcome in self._statuses.items()}, indent=2) + "\n"
        write_atomic(self.folder / STATUS_NAME, told.encode())


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
