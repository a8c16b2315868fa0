"""Results of an evaluation as a file, `results.json`, that is complete at any moment."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.core.errors import UsageError
from deskhand.core.outcomes import Outcome
from deskhand.eval.suite import Judgement, TaskDetails, Verdict
from deskhand.report.summary import SessionSummary
from deskhand.store.atomic_files import write_atomic

RESULTS_NAME: Final = "results.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Run(_Part):
    """Origin of results: only equal runs have comparable trials in one folder.

    `digest`: of the suite's content; `model`: its name, or `solutions`; `settings`: digest of the configuration.
    """

    suite: str
    digest: str
    model: str
    settings: str
    version: str

    def differences(self, other: "Run") -> list[str]:
        """Sentences on the differences of a later run from this one."""
        names = {"model": "the model", "version": "the version of Deskhand", "suite": "the suite"}
        words = [
            f"{name} was {was}, and is {now}"
            for key, name in names.items()
            if (was := getattr(self, key)) != (now := getattr(other, key))
        ]
        words += ["the suite has other content"] if self.digest != other.digest else []
        return words + (["the settings differ"] if self.settings != other.settings else [])


class TaskEntry(_Part):
    id: str
    request: str
    tags: tuple[str, ...] = ()


class TrialResult(_Part):
    """Result of one trial. `outcome` is that of the session, empty without one; `cost_usd` None: unknown."""

    task: str
    trial: int = Field(ge=1)
    result: Judgement
    reason: str
    outcome: str = ""
    outcome_reason: str = ""
    steps: int = 0
    model_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.result is Judgement.PASSED

    @property
    def is_false_success(self) -> bool:
        """The session ended with success, and the check failed."""
        return self.result is Judgement.FAILED and self.outcome == Outcome.SUCCESS

    @property
    def is_false_failure(self) -> bool:
        """The session ended without success, and the check passed."""
        return self.passed and self.outcome != Outcome.SUCCESS


def judged(task: str, trial: int, summary: SessionSummary, verdict: Verdict) -> TrialResult:
    """Result of a trial whose session has ended.

    A session that ended with an error, such as a model that cannot be reached, is one whatever the check says.
    """
    result, reason = verdict.judgement, verdict.reason
    if result is not Judgement.ERROR and summary.outcome == Outcome.ERROR:
        result, reason = Judgement.ERROR, f"the session ended with an error: {summary.reason}"
    return TrialResult(
        task=task,
        trial=trial,
        result=result,
        reason=reason,
        outcome=summary.outcome,
        outcome_reason=summary.reason,
        steps=summary.steps,
        model_calls=summary.model_calls,
        tokens=summary.tokens.input + summary.tokens.output,
        cost_usd=summary.cost_usd,
        seconds=summary.wall_s,
    )


class Results(_Part):
    """Trials in the order of the tasks; a task without trials has none yet.

    `notes`: sentences on checks that are broken on untouched files.
    """

    run: Run
    tasks: tuple[TaskEntry, ...] = ()
    trials: tuple[TrialResult, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, task: str) -> tuple[TrialResult, ...]:
        return tuple(trial for trial in self.trials if trial.task == task)

    def with_tasks(self, tasks: tuple[TaskDetails, ...]) -> "Results":
        """The same results with these tasks among its tasks."""
        known = {task.id: task for task in self.tasks}
        for task in tasks:
            known.setdefault(task.id, TaskEntry(id=task.id, request=task.request, tags=task.tags))
        return self.model_copy(update={"tasks": tuple(known[name] for name in sorted(known))})

    def with_trial(self, trial: TrialResult) -> "Results":
        trials = sorted((*self.trials, trial), key=lambda each: (each.task, each.trial))
        return self.model_copy(update={"trials": tuple(trials)})

    def with_notes(self, notes: Collection[str]) -> "Results":
        return self.model_copy(update={"notes": tuple(sorted({*self.notes, *notes}))})

    def without_errors(self, tasks: Collection[str]) -> "Results":
        """The same results without the trials of these tasks that are errors."""
        kept = (each for each in self.trials if each.task not in tasks or each.result is not Judgement.ERROR)
        return self.model_copy(update={"trials": tuple(kept)})

    def write(self, folder: Path) -> None:
        """Raises: StoreError."""
        write_atomic(folder / RESULTS_NAME, f"{self.model_dump_json(indent=1)}\n".encode())


def read_results(folder: Path) -> Results | None:
    """Results in a folder; None if it has none. Raises: UsageError if their file cannot be read."""
    path = folder / RESULTS_NAME
    try:
        return Results.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a file of results"
        raise UsageError(f"cannot read {path}: {why}", fix="give the folder of an evaluation") from error
