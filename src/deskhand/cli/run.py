"""`deskhand run`: carry out a request, a plan or a list of tasks."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import anyio
import typer

from deskhand.cli.batch import BatchOptions, carry_out_batch
from deskhand.cli.console import print_error
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.detail_choice import QuietOption, VerboseOption, chosen_detail, session_progress
from deskhand.cli.interactor_choice import AskOption, ConfirmOption, interactor_for, person_at_terminal
from deskhand.cli.junit_file import JunitFile, JunitOption, junit_file
from deskhand.cli.model_choice import chosen_healer, chosen_model
from deskhand.cli.preflight import check_folder, clear_folder, readable_file
from deskhand.cli.progress import Detail
from deskhand.cli.run_options import Preparation
from deskhand.cli.session_run import carry_out
from deskhand.cli.table_choice import explain
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.core.context import RunMode
from deskhand.core.errors import UsageError
from deskhand.desktop.backends import NAME_VARIABLE, VIRTUAL, own_desktop
from deskhand.models.playbook import PlaybookModel
from deskhand.notify import notifications
from deskhand.session.build import SessionPlan
from deskhand.session.healed_playbook import check_healable
from deskhand.session.plan_file import read_plan
from deskhand.session.session import NextRequest

_PARTS: Final = (
    "to run a part of it, give a plan of its subtasks with --mode follower; to use requests, choose a --model"
)


@dataclass(frozen=True, slots=True)
class _Job:
    """Task of the command and how its result is printed. `workers` and `ray` are for a batch of `tasks`."""

    request: str
    plan: Path | None
    tasks: Path | None
    interactive: bool
    workers: int | None
    ray: str
    out: Path | None
    force: bool
    detail: Detail
    as_json: bool
    junit: JunitFile

    @property
    def name(self) -> str:
        """Name of the test case that the session is."""
        return self.request.strip() or (self.plan.name if self.plan else "") or "session"


def add_to(app: typer.Typer) -> None:
    app.command("run")(run)


def run(  # noqa: PLR0913, PLR0917 - one parameter per option
    request: Annotated[str, typer.Argument(help="The request, in plain language.", show_default=False)] = "",
    playbook: Annotated[Path | None, typer.Option(help="Playbook to use instead of a language model.")] = None,
    model: Annotated[str, typer.Option(help="The language model, as provider:name.")] = "",
    heal: Annotated[
        str, typer.Option(metavar="MODEL", help="Language model for steps of the playbook that no longer fit.")
    ] = "",
    mode: Annotated[
        RunMode | None, typer.Option(help="One request; the steps of a plan; a list of tasks.", show_default="normal")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="follower: the plan, a JSON file.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="batch: a folder of JSON files, or JSON lines.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="batch: tasks at a time.", show_default="as cores and memory allow")
    ] = None,
    ray: Annotated[
        str, typer.Option(metavar="auto|HOST:PORT", help="batch: on the nodes of this Ray cluster.", show_default=False)
    ] = "",
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="After each request ask for the next one.")
    ] = False,
    file: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Open a copy of this file or folder first.")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Open the files themselves, not copies.")] = False,
    app: Annotated[list[str] | None, typer.Option(help="Open this application first, with the files it opens.")] = None,
    opens_with: Annotated[
        str, typer.Option("--with", metavar="APP", help="Open the files in this application.", show_default=False)
    ] = "",
    param: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A value for the playbook.")] = None,
    table: Annotated[str, typer.Option(help="Number or name of the table.", show_default="the only one")] = "",
    desktop: Annotated[str, typer.Option(metavar="virtual|:N|NAME", help="Desktop to work on.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the report and the log.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier run in the folder.")] = False,
    ask: AskOption = "",
    confirm: ConfirmOption = "",
    max_step: Annotated[int | None, typer.Option(help="Limit of steps of all agents.")] = None,
    max_round: Annotated[int | None, typer.Option(help="Limit of requests in one session.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Limit of working time, in seconds.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Limit of tokens of all model calls.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Limit of dollars of all model calls.")] = None,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    junit: JunitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Carry out a request in the applications of a desktop; with --mode, a plan or a list of tasks."""
    with junit_file(junit, "deskhand run") as results:
        detail = chosen_detail(quiet=quiet, verbose=verbose)
        asking = interactor_for(ask, confirm)
        settings: dict[str, object] = {
            "ask_question": asking.ask_question,
            "mode": mode and mode.value,
            "max_step": max_step,
            "max_round": max_round,
            "max_seconds": max_seconds,
            "max_tokens": max_tokens,
            "max_usd": max_usd,
        }
        overrides = {"system": {name: value for name, value in settings.items() if value is not None}}
        chosen = {"models": {"model": model, "host": "", "app": ""}} if model else {}
        _check_heal(heal, playbook)
        sources = Sources(os.environ, Path.cwd(), config, {**overrides, **chosen})
        configuration = load(sources)
        variables = model_keys(sources, configuration.models)
        job = _Job(
            request, plan, tasks, interactive, workers, ray, out and out.absolute(), force, detail, as_json, results
        )
        healer = chosen_healer(heal, sources, configuration)
        preparation = Preparation(
            model_source=chosen_model(playbook, model, sources, configuration),
            parameters=tuple(param or ()),
            table=table,
            files=tuple(map(_given_file, file or [])),
            applications=tuple(app or ()),
            opens_with=opens_with,
            in_place=in_place,
            desktop=desktop or _usual_desktop(),
            configuration=configuration,
            interactor=asking.interactor,
            servers=tool_servers(configuration.mcp, variables),
            notifications=notifications(configuration.notify, variables, os.environ),
            playbook=playbook,
            config=config,
            healer=healer,
        )
        match RunMode(configuration.system.mode):
            case RunMode.NORMAL:
                return _carry_out_request(job, preparation)
            case RunMode.FOLLOWER:
                return _follow(job, preparation)
            case RunMode.BATCH:
                _only(job, "batch", "--tasks", "--workers", "--ray")
                tasks = _needed(job.tasks, "batch", "--tasks")
                options = BatchOptions(
                    job.workers, job.ray, again=job.force, as_json=job.as_json, detail=job.detail, junit=job.junit
                )
                return carry_out_batch(tasks, preparation, job.out, options)


def _usual_desktop() -> str:
    return os.environ.get(NAME_VARIABLE) or own_desktop() or VIRTUAL


def _check_heal(heal: str, playbook: Path | None) -> None:
    """Raises: UsageError."""
    if not heal:
        return
    if playbook is None:
        raise UsageError("--heal needs --playbook", fix="give the playbook whose steps it is to heal")
    check_healable(playbook)


def _given_file(path: str) -> Path:
    """Raises: UsageError. An empty path would mean the current folder."""
    if not path:
        raise UsageError("--file is empty", fix="give the path of a file or folder, or leave --file out")
    return readable_file(Path(path), folders=True)


def _only(job: _Job, mode: str, *options: str) -> None:
    """Raises: UsageError for an argument of another mode."""
    given = {
        "a request": bool(job.request),
        "--plan": job.plan is not None,
        "--tasks": job.tasks is not None,
        "--interactive": job.interactive,
        "--workers": job.workers is not None,
        "--ray": bool(job.ray),
    }
    wrong = [option for option, there in given.items() if there and option not in options]
    if wrong:
        raise UsageError(
            f"the mode {mode!r} does not take {' and '.join(wrong)}",
            fix="--plan goes with --mode follower, --tasks with --mode batch, a request with neither",
        )


def _needed(path: Path | None, mode: str, option: str) -> Path:
    if path is None:
        raise UsageError(f"the mode {mode!r} needs {option}", fix=f"add {option} FILE")
    return path


def _carry_out_request(job: _Job, preparation: Preparation) -> int:
    _only(job, "normal", "a request", "--interactive")
    if not job.request.strip() and not job.interactive:
        raise UsageError("there is no request", fix='deskhand run "REQUEST" …')
    if preparation.opens_with and not preparation.files:
        raise UsageError("--with opens the files of --file, and there are none", fix="add --file PATH, or use --app")
    next_request = _next_request() if job.interactive else None
    preparation.check_machine()
    inputs = preparation.input_files(Path.cwd())
    if job.out is not None:
        check_folder(job.out, (), inputs=inputs, force=job.force)
    request = job.request
    if next_request is not None and not request.strip():
        request = anyio.run(next_request)
        if not request:
            raise UsageError("there is no request", fix="type one at the prompt or on the command line")
    prepared = preparation.session([request], job.out, base=Path.cwd())
    _clear_folder(job, inputs)
    if next_request is not None and isinstance(prepared.plan.model, PlaybookModel):
        print_error(f"{prepared.plan.model.name} ignores the request: it always carries out all of its steps", _PARTS)
    progress = session_progress(job.detail, preparation.configuration.models, rounds=job.interactive)
    plan = replace(prepared.plan, listeners=(progress,), next_request=next_request)
    return _concluded(job, preparation, plan, prepared.report)


def _next_request() -> NextRequest:
    person = person_at_terminal()
    if person is None:
        raise UsageError(
            "--interactive needs a terminal, and there is none",
            fix="run it in a terminal, or give all requests as a plan with --mode follower",
        )
    return person.next_request


def _follow(job: _Job, preparation: Preparation) -> int:
    _only(job, "follower", "--plan")
    path = _needed(job.plan, "follower", "--plan")
    plan = read_plan(readable_file(path, option="--plan"))
    about = Path(plan.object) if plan.object else None
    if about is None and not preparation.files and not preparation.applications and preparation.desktop == VIRTUAL:
        raise UsageError(
            f"{path}: the desktop is empty, so its steps have no application to work in",
            fix='add an "object" to the plan, or give --file, --app or --desktop',
        )
    preparation.check_machine(*([readable_file(about, option="object", folders=True)] if about else []))
    prepared = preparation.session(plan.steps, job.out, base=Path.cwd())
    model = prepared.plan.model
    if isinstance(model, PlaybookModel):
        _check_steps(path, plan.steps, model)
    _clear_folder(job, (*preparation.input_files(Path.cwd()), path, *([about] if about else [])))
    followed = replace(
        prepared.plan,
        host_model=None,
        task=plan.task,
        object=about,
        expects=model.final_expectation if isinstance(model, PlaybookModel) else None,
        listeners=(session_progress(job.detail, preparation.configuration.models, rounds=True),),
    )
    return _concluded(job, preparation, followed, prepared.report)


def _concluded(job: _Job, preparation: Preparation, plan: SessionPlan, report: Path) -> int:
    return carry_out(
        plan,
        report,
        as_json=job.as_json,
        explain=partial(explain, preparation.table),
        concluded=partial(job.junit.add_session, job.name),
    )


def _check_steps(path: Path, steps: tuple[str, ...], model: PlaybookModel) -> None:
    """Raises: UsageError if the playbook has no subtask for a step."""
    unknown = [step for step in dict.fromkeys(steps) if step not in model.subtasks]
    if unknown:
        known = "; ".join(model.subtasks) or "none"
        raise UsageError(
            "\n".join(f"{path}: {model.name} has no subtask {step!r}" for step in unknown),
            fix=f"each step of the plan must be a subtask of the playbook's host; it has: {known}",
        )


def _clear_folder(job: _Job, inputs: Sequence[Path]) -> None:
    if job.out is not None:
        clear_folder(job.out, (), inputs=inputs, force=job.force)
