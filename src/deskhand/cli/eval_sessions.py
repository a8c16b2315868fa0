"""Sessions of the trials of a suite, each in a process of its own."""

from dataclasses import dataclass, replace
from pathlib import Path

from deskhand.cli.batch_process import TaskProcesses, Watching
from deskhand.cli.run_options import Preparation
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.outcomes import Outcome
from deskhand.eval.answers import TaskAnswers
from deskhand.eval.suite import Budget, Setup, SuiteTask, TaskDetails
from deskhand.eval.trials import Trial
from deskhand.models.playbook_file import load_session_playbook
from deskhand.report.summary import SessionSummary
from deskhand.session.build import check_prices
from deskhand.session.plan_file import Task
from deskhand.session.round import Ending


@dataclass(frozen=True, slots=True)
class _Unended:
    """Passes progress on, but for the end of a session: a trial ends with its check."""

    watching: Watching

    def began(self, task: Task) -> None:
        self.watching.began(task)

    def stepped(self, task: Task, step: int, told: str) -> None:
        self.watching.stepped(task, step, told)

    def remarked(self, task: Task, told: str) -> None:
        self.watching.remarked(task, told)

    def ended(self, task: Task, outcome: Outcome, reason: str) -> None:
        pass

    def asking(self, task: Task) -> None:
        self.watching.asking(task)

    def asked(self) -> None:
        self.watching.asked()


@dataclass(frozen=True, slots=True)
class TrialSessions:
    """Runs sessions with the options in `common`; `solutions`: by the playbook of each task instead of the model."""

    common: Preparation
    solutions: bool
    watching: Watching

    async def run(self, trial: Trial, setup: Setup, folder: Path) -> SessionSummary | Ending:
        """Run the session of a trial. One whose process dies is not continued: its documents went with its desktop."""
        preparation = self.preparation(trial.task.details, setup)
        processes = TaskProcesses(preparation, again=True, watching=_Unended(self.watching), attempts=1)
        task = task_of(trial)
        if setup.request is not None:
            task = task.model_copy(update={"task": await setup.request()})
        ending = await processes.carry_out(task, folder)
        return processes.summaries.get(task.id, ending)

    def check(self, task: SuiteTask, setup: Setup) -> None:
        """Raises: UsageError if the session of a task cannot begin, MissingRequirement."""
        preparation = self.preparation(task.details, setup)
        preparation.check_machine()
        check_prices(preparation.session([task.details.request], Path(), base=Path()).plan)

    def preparation(self, details: TaskDetails, setup: Setup) -> Preparation:
        """Raises: UsageError without a solution, or if it cannot be followed."""
        common, solution = self.common, details.solution if self.solutions else None
        if self.solutions and solution is None:
            raise UsageError(
                f"the task {details.id} has no solution", fix="leave it out with --only, or give a --model"
            )
        configuration = _limited(common.configuration, details.budget)
        return replace(
            common,
            model_source=common.model_source if solution is None else load_session_playbook(solution),
            playbook=solution,
            files=setup.files,
            applications=setup.applications,
            in_place=True,
            configuration=configuration.model_copy(
                update={"applications": {**configuration.applications, **setup.commands}}
            ),
            interactor=TaskAnswers(details.answers, details.approves),
        )


def task_of(trial: Trial) -> Task:
    """A trial as the task of a batch, which names it in the progress."""
    return Task(id=trial.name, task=trial.task.details.request)


def _limited(configuration: Configuration, budget: Budget) -> Configuration:
    """The settings with a task's limits; those that the user set hold as well. Nothing is learned from a trial."""
    system = configuration.system
    limits = {"max_step": budget.steps, "max_seconds": budget.seconds, "max_usd": budget.cost_usd}
    update: dict[str, object] = {}
    for name, limit in limits.items():
        own: float | None = getattr(system, name) if name in system.model_fields_set else None
        if limit is not None:
            update[name] = limit if own is None else min(limit, own)
    learns_nothing = configuration.knowledge.model_copy(update={"learn_from_success": False})
    return configuration.model_copy(update={"system": system.model_copy(update=update), "knowledge": learns_nothing})
