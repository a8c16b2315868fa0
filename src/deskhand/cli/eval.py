"""`deskhand eval SUITE`, `deskhand eval compare A B`, and the list of shipped suites."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import platformdirs
import typer
from typer.core import TyperGroup

import deskhand
from deskhand.cli.batch_progress import BatchProgress
from deskhand.cli.batch_workers import worker_count
from deskhand.cli.console import Failure, print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.eval_output import as_object, comparison_lines, comparison_object, lines_of
from deskhand.cli.eval_sessions import TrialSessions, task_of
from deskhand.cli.human_model import NAME as HUMAN
from deskhand.cli.preflight import check_path, is_within
from deskhand.cli.run_options import Preparation
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Stopped, Work
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import Configuration
from deskhand.core.errors import EXIT_CANCELLED, EXIT_ERROR, EXIT_FAILED, MissingRequirement, UsageError
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.desktop.backends import VIRTUAL
from deskhand.eval.comparison import Comparison, check_same_suite, compare, needed_results
from deskhand.eval.figures import Figures, figures_of
from deskhand.eval.page import write_page
from deskhand.eval.results import RESULTS_NAME, Results, Run, TrialResult
from deskhand.eval.shipped import find_suite, shipped_suite, shipped_suites
from deskhand.eval.suite import Judgement, Suite
from deskhand.eval.trials import Trial, Trials, check_tasks
from deskhand.models.playbook_file import load_session_playbook
from deskhand.models.steps import Playbook
from deskhand.session.interactors import NeverInteractor
from deskhand.session.models import LanguageModels, language_models
from deskhand.session.plugins import model_makers

SOLUTIONS: Final = "solutions"
_OUTCOMES: Final = {
    Judgement.PASSED: Outcome.SUCCESS,
    Judgement.FAILED: Outcome.FAILED,
    Judgement.ERROR: Outcome.ERROR,
}
_CANCELLED: Final = Failure(
    "Cancelled",
    "cancelled by the user",
    "run the same command again: it begins the trials without a result anew",
    EXIT_CANCELLED,
)
_EXIT_CODES: Final = {"passed": 0, "failed": EXIT_FAILED, "error": EXIT_ERROR, "cancelled": EXIT_CANCELLED}


class _Group(TyperGroup):
    """`eval SUITE` stands for `eval run SUITE`, and `eval` alone for `eval list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Any: typer has no public name
        named = args[:1] == ["--help"] or (args and args[0] in self.commands)
        default = "list" if args in ([], ["--json"]) else "run"
        return super().parse_args(ctx, args if named else [default, *args])


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """Options of one evaluation. `model`: its name, or `SOLUTIONS`.

    `out`: None: a folder of this user, by the suite, the model and the settings.
    """

    model: str
    repeat: int = 1
    workers: int | None = None
    only: tuple[str, ...] = ()
    out: Path | None = None
    against: Path | None = None
    retry_errors: bool = False
    as_json: bool = False


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        cls=_Group,
        help="Run the tasks of a suite and judge their results: eval SUITE, or eval run SUITE. Compare two such runs.",
        rich_markup_mode=None,
    )
    group.command("run")(run)
    group.command("compare")(compare_runs)
    group.command("list")(list_suites)
    app.add_typer(group, name="eval")


def run(  # noqa: PLR0913, PLR0917 - one parameter per option
    suite: Annotated[str, typer.Argument(help="Folder of a suite, or name of a shipped one.", show_default=False)],
    model: Annotated[str, typer.Option(help="The language model, as provider:name.")] = "",
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Do each task by its solution, without a model.")
    ] = False,
    repeat: Annotated[int, typer.Option(min=1, help="Trials of each task.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Trials at a time.", show_default="as cores and memory allow")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="TASK|tag:TAG", help="These tasks alone.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results, reports and logs.")] = None,
    against: Annotated[Path | None, typer.Option(help="Folder of earlier results to compare with.")] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Run trials again whose result is an error.")
    ] = False,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Run the tasks of a suite on private desktops and judge their results; `eval SUITE` is enough.

    The same command again runs what has no result yet. Exit 0: all trials passed, 1: some failed, 4: some are errors.
    """
    if solutions and model:
        raise UsageError("--solutions and --model exclude each other", fix="give one of them")
    found = find_suite(suite)
    if out is not None and Path(suite).is_dir() and is_within(out, Path(suite)):
        raise UsageError(f"{out} is inside the suite {suite}, which it would change", fix="give another --out")
    chosen = {"models": {"model": model, "host": "", "app": ""}} if model else {}
    sources = Sources(os.environ, Path.cwd(), config, chosen)
    configuration = load(sources)
    source = _first_solution(found, only or ()) if solutions else _language_models(sources, configuration)
    common = Preparation(
        model_source=source,
        parameters=(),
        table="",
        files=(),
        applications=(),
        opens_with="",
        in_place=False,
        desktop=VIRTUAL,
        configuration=configuration,
        interactor=NeverInteractor(),
        servers=tool_servers(configuration.mcp, model_keys(sources, configuration.models)),
        config=config,
    )
    options = EvalOptions(
        model=SOLUTIONS if solutions else _names(configuration),
        repeat=repeat,
        workers=workers,
        only=tuple(only or ()),
        out=out,
        against=against,
        retry_errors=retry_errors,
        as_json=as_json,
    )
    return evaluate(found, common, options)


def _language_models(sources: Sources, configuration: Configuration) -> LanguageModels:
    """Raises: UsageError if no model is chosen, or it is the user."""
    settings = configuration.models
    if HUMAN in {settings.model, settings.host, settings.app}:
        raise UsageError("a user as the model cannot be evaluated", fix="give a --model of a provider")
    found = language_models(sources, settings, model_makers())
    if found is None:
        raise UsageError(
            "no model is chosen",
            fix="give --model provider:name (deskhand models list), or --solutions, or set models.model",
        )
    return found


def _names(configuration: Configuration) -> str:
    """The models of the host and of applications; one name if they are one."""
    settings = configuration.models
    return " and ".join(dict.fromkeys((settings.host or settings.model, settings.app or settings.model)))


def _first_solution(suite: Suite, only: Sequence[str]) -> Playbook:
    """Any solution of the chosen tasks; each trial has its own. Raises: UsageError if there is none."""
    tasks = suite.chosen(only)
    for task in tasks:
        if task.details.solution is not None:
            return load_session_playbook(task.details.solution)
    names = ", ".join(task.details.id for task in tasks) if only else f"the suite {suite.name}"
    raise UsageError(f"no task of {names} has a solution", fix="give a --model")


def evaluate(suite: Suite, common: Preparation, options: EvalOptions) -> int:
    """Run the trials of a suite that are left, print the figures of all, and return the exit code.

    Raises: UsageError, MissingRequirement, StoreError.
    """
    run = Run(
        suite=suite.name,
        digest=suite.digest,
        model=options.model,
        settings=hashlib.sha256(common.configuration.model_dump_json().encode()).hexdigest(),
        version=deskhand.__version__,
    )
    tasks = suite.chosen(options.only)
    out = (options.out or _folder_of(run)).absolute()
    check_path(out / RESULTS_NAME, option="--out")
    common.check_machine()
    earlier = None if options.against is None else needed_results(options.against)
    if earlier is not None:
        check_same_suite(earlier.run, run)
    with Trials(
        tasks,
        out,
        run,
        repeat=options.repeat,
        retry_errors=options.retry_errors,
        read_digest=suite.read_digest,
    ) as trials:
        count = worker_count(options.workers, common, len(trials.left))
        shown = BatchProgress(len(trials.left), count)
        sessions = TrialSessions(common, options.model == SOLUTIONS, shown)

        async def work() -> None:
            trials.note(notes := await check_tasks(trials.tasks_left, sessions.check))
            for note in notes:
                print_note(printable(note))
            with shown:
                await trials.run(sessions.run, partial(_conclude_trial, shown), workers=count)

        return run_and_conclude(work, lambda done: _conclude(done, trials, earlier, as_json=options.as_json))


def _conclude_trial(shown: BatchProgress, trial: Trial, result: TrialResult) -> None:
    told = "false success: " if result.is_false_success else "false failure" if result.is_false_failure else ""
    shown.ended(task_of(trial), _OUTCOMES[result.result], f"{told}{result.reason}")


def _folder_of(run: Run) -> Path:
    digest = hashlib.sha256(run.model_dump_json().encode()).hexdigest()[:8]
    return platformdirs.user_state_path("deskhand") / "evals" / f"{run.suite}-{digest}"


def _conclude(work: Work[None], trials: Trials, earlier: Results | None, *, as_json: bool) -> int:
    """Write the page and print the figures of an evaluation that has ended, or was stopped."""
    stopped = False
    try:
        work.result()
    except Stopped:
        stopped = True
    results, out = trials.results, trials.out
    results.write(out)  # also of none: the page alone would be no evaluation to continue
    figures = figures_of(results)
    against = _comparison(earlier, results)
    missing = trials.missing
    report = write_page(results, figures, against, out, missing=missing)
    outcome = "cancelled" if stopped else _outcome(figures)
    if as_json:
        error = _CANCELLED.as_json if stopped else None
        paths = {"folder": str(out), "report": str(report), "missing": missing}
        print_json({**as_object(results, figures, against), **paths, "outcome": outcome, "error": error})
    else:
        told = comparison_lines(against) if against is not None else ()
        for line in (*lines_of(results, figures, missing), *told, f"report  {report}"):
            print_line(printable(line))
    if stopped:
        print_error(_CANCELLED.message, _CANCELLED.fix)
    return _EXIT_CODES[outcome]


def _comparison(earlier: Results | None, results: Results) -> Comparison | None:
    """The comparison with earlier results; None without them, or without a task that both have tried."""
    if earlier is None:
        return None
    try:
        return compare(earlier, results)
    except UsageError as error:
        print_error(error.message, error.fix)
        return None


def _outcome(figures: Figures) -> str:
    if figures.all.errors:
        return "error"
    return "passed" if figures.all.passed == figures.all.total else "failed"


def compare_runs(
    before: Annotated[Path, typer.Argument(help="Folder of the earlier results.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="Folder of the later results.", show_default=False)],
    as_json: JsonOption = False,
) -> int:
    """Compare two evaluations of one suite; exit 1 if something became worse beyond noise."""
    found = compare(needed_results(before), needed_results(after))
    if as_json:
        print_json({**comparison_object(found), "error": None})
    else:
        for line in comparison_lines(found):
            print_line(printable(line))
    return EXIT_FAILED if found.is_worse else 0


def list_suites(as_json: JsonOption = False) -> None:
    """List the shipped suites."""
    suites = list[Suite]()
    for name in shipped_suites():
        try:
            suites.append(shipped_suite(name))
        except MissingRequirement as missing:
            print_note(printable(f"{name}: {missing.message}: {missing.fix}"))
    if as_json:
        found: list[JsonValue] = [
            {"name": suite.name, "tasks": len(suite.tasks), "description": suite.description} for suite in suites
        ]
        print_json({"suites": found, "error": None})
        return
    for suite in suites:
        print_line(printable(f"{suite.name:<12} {len(suite.tasks):>3} tasks  {suite.description}"))
    if not suites:
        print_note("no suite is shipped; deskhand eval FOLDER runs one of your own")
