"""The trials of a suite: each a session on fresh files in a folder of its own, judged by the check of its task.

`OUT/TASK/N/` has the trial's files in `work/`, and the session's log and report. A trial without a result, because the
process was killed or cancelled, is begun anew on fresh files; one with a result is not run again, but for errors on
demand.
"""

import json
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self, TypeAlias

from anyio import to_thread

from deskhand.core.errors import DeskhandError, StoreBusy, StoreError, UsageError
from deskhand.core.outcomes import Outcome
from deskhand.eval.results import Results, Run, TrialResult, judged, read_results
from deskhand.eval.suite import Judgement, Setup, SuiteTask, Verdict
from deskhand.report.summary import SessionSummary, nothing_done
from deskhand.session.batch import in_turn
from deskhand.session.round import Ending
from deskhand.store.atomic_files import make_folder, store_error, write_atomic
from deskhand.store.journal import is_held
from deskhand.store.lock import FileLock

WORK_NAME: Final = "work"
SUMMARY_NAME: Final = "summary.json"
_LOG_NAME: Final = "log"
_LOCK_NAME: Final = ".eval.lock"
_CANNOT_FAIL: Final = "its check passes on the untouched files, so that it cannot fail"
_MEANT: Final = "let the check look at the changes of the request; if it may pass at once, write untouched: passes"


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt at a task, with its number from 1."""

    task: SuiteTask
    number: int

    @property
    def name(self) -> str:
        return f"{self.task.details.id}.{self.number}"

    def folder(self, out: Path) -> Path:
        return out / self.task.details.id / str(self.number)


RunSession: TypeAlias = Callable[[Trial, Setup, Path], Awaitable[SessionSummary | Ending]]
"""Runs the session of a trial in its folder; an `Ending`: the session did not begin, or left no summary."""
Concluded: TypeAlias = Callable[[Trial, TrialResult], None]


class Trials:
    """Trials of chosen tasks in the folder `out`. It serves one evaluation at a time: use it as a context manager."""

    def __init__(
        self,
        tasks: Sequence[SuiteTask],
        out: Path,
        run: Run,
        *,
        repeat: int = 1,
        retry_errors: bool = False,
        read_digest: Callable[[], str] | None = None,
    ) -> None:
        """`retry_errors`: trials of these tasks whose result is an error have none any more. `read_digest`: returns the
        digest of the suite as it is now; a trial during which it changed has no result.

        Raises: UsageError (the folder has other content, or results of another run), StoreBusy, StoreError."""
        self.out = out
        self._run = run
        self._read_digest = read_digest
        make_folder(out)
        self._lock = FileLock(out / _LOCK_NAME, whose="the evaluation in this folder")
        try:
            self.results = _earlier(out, run).with_tasks(tuple(task.details for task in tasks))
            if retry_errors:
                self.results = self.results.without_errors([task.details.id for task in tasks])
            has_result = {(trial.task, trial.trial) for trial in self.results.trials}
            every = [Trial(task, number) for number in range(1, repeat + 1) for task in tasks]
            self.left = tuple(each for each in every if (each.task.details.id, each.number) not in has_result)
            """Trials without a result."""
            self._check_free()
        except DeskhandError:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def tasks_left(self) -> tuple[SuiteTask, ...]:
        """Tasks that have a trial left."""
        return tuple({trial.task.details.id: trial.task for trial in self.left}.values())

    async def run(self, run_session: RunSession, concluded: Concluded, *, workers: int = 1) -> None:
        """Run the trials that are left, `workers` at a time; `concluded` is called for each when it has its result.

        On cancellation the running ones are cancelled and have no result. Raises: StoreError if the results cannot be
        written, UsageError if the suite was changed meanwhile.
        """
        self.results.write(self.out)

        async def carry_out(trial: Trial) -> None:
            result = await self._result(trial, run_session)
            await to_thread.run_sync(self._check_unchanged, trial)
            self.results = self.results.with_trial(result)
            self.results.write(self.out)
            concluded(trial, result)

        await in_turn(self.left, carry_out, workers=workers)

    async def _result(self, trial: Trial, run_session: RunSession) -> TrialResult:
        task, folder = trial.task.details.id, trial.folder(self.out)
        try:
            _make_fresh(folder)
            async with trial.task.set_up(folder / WORK_NAME, trial.number) as setup:
                ended = await run_session(trial, setup, folder)
                if isinstance(ended, SessionSummary):
                    return judged(task, trial.number, ended, await _verdict(setup, ended, folder))
                reason = ended.reason
        except DeskhandError as error:
            reason = error.message
        return TrialResult(task=task, trial=trial.number, result=Judgement.ERROR, reason=reason)

    def note(self, notes: Sequence[str]) -> None:
        """Keep sentences on checks with the results."""
        self.results = self.results.with_notes(notes)

    @property
    def missing(self) -> int:
        """The number of trials that have no result yet."""
        done = {(trial.task, trial.trial) for trial in self.results.trials}
        return sum((each.task.details.id, each.number) not in done for each in self.left)

    def _check_unchanged(self, trial: Trial) -> None:
        """Raises: UsageError if the suite has other content than at the beginning."""
        try:
            now = self._read_digest() if self._read_digest else self._run.digest
        except OSError:
            now = ""
        if now != self._run.digest:
            raise UsageError(
                f"the suite was changed while trial {trial.name} ran, which has no result",
                fix="evaluate the changed suite with another --out",
            )

    def _check_free(self) -> None:
        """Raises: StoreBusy if the session of a trial that was cut off has not ended yet."""
        for trial in self.left:
            log = trial.folder(self.out) / _LOG_NAME
            if is_held(log):
                raise StoreBusy(
                    f"the session of trial {trial.name} still runs in {log}",
                    fix="wait until it has ended, then run the same command again",
                )


def _earlier(out: Path, run: Run) -> Results:
    """Results of earlier runs of the same command. Raises: UsageError."""
    found = read_results(out)
    if found is None:
        if strange := [path.name for path in out.iterdir() if not path.name.startswith(".")]:
            raise UsageError(
                f"{out} has no results of an evaluation, and is not empty: {strange[0]}",
                fix="give an empty or a new folder with --out",
            )
        return Results(run=run)
    if differences := found.run.differences(run):
        raise UsageError(
            f"{out} has the results of another run: {'; '.join(differences)}",
            fix="give another folder with --out, and compare the two with deskhand eval compare",
        )
    return found


def _make_fresh(folder: Path) -> None:
    """Make an empty folder for a trial, without the files of one that was cut off. Raises: StoreError."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise store_error("remove", folder, error) from error
    make_folder(folder / WORK_NAME)


async def _verdict(setup: Setup, summary: SessionSummary, folder: Path) -> Verdict:
    path = folder / SUMMARY_NAME
    write_atomic(path, json.dumps(summary.to_json()).encode())
    return await setup.check(path)


async def check_tasks(
    tasks: Sequence[SuiteTask], can_begin: Callable[[SuiteTask, Setup], None], *, at_a_time: int = 4
) -> list[str]:
    """Check each task before its first trial: its session can begin, and its check does not pass on untouched files.

    Return sentences on checks that are broken on untouched files. Raises: UsageError, naming every problem; other
    errors of `can_begin`, which raises a UsageError for a session that cannot begin.
    """
    verdicts: dict[str, Verdict] = {}
    problems: dict[str, UsageError] = {}

    async def check(task: SuiteTask) -> None:
        name = task.details.id
        try:
            await judge(task, name)
        except StoreError as error:
            problems[name] = UsageError(error.message, fix=error.fix)

    async def judge(task: SuiteTask, name: str) -> None:
        with TemporaryDirectory(prefix="deskhand-eval-") as folder:
            make_folder(work := Path(folder) / WORK_NAME)
            async with task.set_up(work, 0) as setup:
                try:
                    can_begin(task, setup)
                except UsageError as error:
                    problems[name] = error
                untouched = nothing_done(Outcome.FAILED, "nothing was done", task.details.request)
                verdicts[name] = await _verdict(setup, untouched, Path(folder))
        if verdicts[name].judgement is Judgement.PASSED and not task.details.passes_untouched:
            problems.setdefault(name, UsageError(_CANNOT_FAIL, fix=_MEANT))

    await in_turn(tasks, check, workers=at_a_time)
    if problems:
        raise _together(problems)
    broken = {name: each for name, each in sorted(verdicts.items()) if each.judgement is Judgement.ERROR}
    return [f"{name}, on its untouched files: {verdict.reason}" for name, verdict in broken.items()]


def _together(problems: Mapping[str, UsageError]) -> UsageError:
    """One error for the problems of tasks by their names; equal ones are one line."""
    names: dict[str, list[str]] = {}
    for name, problem in sorted(problems.items()):
        names.setdefault(problem.message, []).append(name)
    fixes = dict.fromkeys(problem.fix for problem in problems.values() if problem.fix)
    message = "\n".join(f"{', '.join(tasks)}: {problem}" for problem, tasks in names.items())
    return UsageError(message, fix="; ".join((*fixes, "or choose other tasks with --only")))
