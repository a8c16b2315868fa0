"""Suites of tasks: the data of a task, and the protocol of its setup, which each kind of suite implements.

A suite of folders is read by `eval.folders`. A suite of another kind, such as pages of a server, brings a class with
`details` and `set_up`, and returns a `Suite` of its objects.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from deskhand.config.sections import ApplicationEntry
from deskhand.config.yaml_values import suggestion
from deskhand.core.errors import UsageError

_TAG: Final = "tag:"


class Judgement(StrEnum):
    """Result of a trial. ERROR: it says nothing about the session; it is never a pass."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judgement of a check, with its reason; a pass needs none."""

    judgement: Judgement
    reason: str = ""


Check: TypeAlias = Callable[[Path], Awaitable[Verdict]]
"""Judges what the session left behind; the argument is the file of its summary (`report.summary`). Raises nothing."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one session; None: those of the settings."""

    steps: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class TaskDetails:
    """Data of a task. `id` names a folder.

    `answers`: part of a question → its answer; `approves`: actions that need an approval get one, else they are
    rejected. `solution`: a playbook that does the task. `passes_untouched`: the check passes before anything is done.
    """

    id: str
    request: str
    tags: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    approves: bool = False
    budget: Budget = Budget()
    solution: Path | None = None
    passes_untouched: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """The beginning of a trial: files to open in place, applications to open, and the check of the end.

    `commands`: commands of applications that are not among those of the machine, as in the configuration. `request`
    returns the request of this trial, where it is another than that of the task; it raises a DeskhandError.
    """

    check: Check
    files: tuple[Path, ...] = ()
    applications: tuple[str, ...] = ()
    commands: Mapping[str, ApplicationEntry] = field(default_factory=dict[str, ApplicationEntry])
    request: Callable[[], Awaitable[str]] | None = None


class SuiteTask(Protocol):
    """One task of a suite."""

    @property
    def details(self) -> TaskDetails: ...

    def set_up(self, work: Path, number: int) -> AbstractAsyncContextManager[Setup]:
        """Prepare a trial in `work`, an empty folder of its own, until its check has run.

        `number`: that of the trial, from 1; 0: the check alone runs, with nothing done. Several may be set up at a
        time. Raises: DeskhandError if the trial cannot begin.
        """
        ...


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks with different ids. `digest` changes with the content of the suite.

    `read_digest` returns that of the content as it is now; None: it does not change. It raises an OSError.
    """

    name: str
    description: str
    digest: str
    tasks: tuple[SuiteTask, ...]
    read_digest: Callable[[], str] | None = None

    def chosen(self, only: Sequence[str]) -> tuple[SuiteTask, ...]:
        """Tasks by their ids or `tag:TAG`, in the suite's order; all without a choice.

        Raises: UsageError for an id or a tag that no task has.
        """
        known = {task.details.id for task in self.tasks} | {_TAG + tag for tag in _tags(self.tasks)}
        if unknown := [name for name in only if name not in known]:
            problems = [f"the suite {self.name} has no {name!r}{suggestion(name, known)}" for name in unknown]
            raise UsageError("\n".join(problems), fix="give the id of a task, or tag:TAG, with --only")
        return tuple(task for task in self.tasks if not only or _is_chosen(task.details, only))


def _tags(tasks: Iterable[SuiteTask]) -> set[str]:
    return {tag for task in tasks for tag in task.details.tags}


def _is_chosen(details: TaskDetails, only: Sequence[str]) -> bool:
    return details.id in only or any(_TAG + tag in only for tag in details.tags)
