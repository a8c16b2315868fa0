"""`deskhand run`: a request, a plan or a list of tasks, carried out."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import anyio
import typer

from deskhand.cli.batch import carry_out_batch
from deskhand.cli.console import complain
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.interactor_choice import AskOption, ConfirmOption, interactor_for, person_at_terminal
from deskhand.cli.model_choice import who_decides
from deskhand.cli.preflight import check_room, make_room, readable_file
from deskhand.cli.progress import progress_on_stderr
from deskhand.cli.run_options import Preparation
from deskhand.cli.session_run import carry_out
from deskhand.cli.table_choice import explain
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.core.context import RunMode
from deskhand.core.errors import UsageError
from deskhand.desktop.backends import NAME_VARIABLE, VIRTUAL
from deskhand.models.playbook import PlaybookModel
from deskhand.session.plan_file import read_plan
from deskhand.session.session import NextRequest

_PARTS: Final = (
    "for parts of it give a plan of its subtasks, with --mode follower; a model, --model, reads requests in plain words"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done, and how it is told. `tasks` and `plan` are files."""

    request: str
    plan: Path | None
    tasks: Path | None
    interactive: bool
    out: Path | None
    force: bool
    as_json: bool


def add_to(app: typer.Typer) -> None:
    app.command("run")(run)


def run(  # noqa: PLR0913, PLR0917 - the options of SPEC 6
    request: Annotated[str, typer.Argument(help="What to do, in plain language.", show_default=False)] = "",
    playbook: Annotated[Path | None, typer.Option(help="A playbook that decides instead of a language model.")] = None,
    model: Annotated[str, typer.Option(help="The language model, as provider:name.")] = "",
    mode: Annotated[
        RunMode | None, typer.Option(help="One request; the steps of a plan; a list of tasks.", show_default="normal")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="follower: the plan, a JSON file.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="batch: a folder of JSON files, or JSON lines.")] = None,
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
    table: Annotated[str, typer.Option(help="Which table: its number or name.", show_default="the only one")] = "",
    desktop: Annotated[str, typer.Option(metavar="virtual|:N|NAME", help="Where to work.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the report and the log.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier run left in the folder.")] = False,
    ask: AskOption = "",
    confirm: ConfirmOption = "",
    max_step: Annotated[int | None, typer.Option(help="Steps of all agents.")] = None,
    max_round: Annotated[int | None, typer.Option(help="Requests of one session.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds of work.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of all model calls.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Dollars of all model calls.")] = None,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Carry out a request in the applications of a desktop; or, with --mode, a plan or a list of tasks."""
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
    sources = Sources(os.environ, Path.cwd(), config, {**overrides, **chosen})
    configuration = load(sources)
    wanted = Wanted(request, plan, tasks, interactive, out and out.absolute(), force, as_json)
    preparation = Preparation(
        decides=who_decides(playbook, model, sources, configuration),
        parameters=tuple(param or ()),
        table=table,
        files=tuple(map(_given_file, file or [])),
        applications=tuple(app or ()),
        opens_with=opens_with,
        in_place=in_place,
        desktop=desktop or os.environ.get(NAME_VARIABLE) or VIRTUAL,
        configuration=configuration,
        interactor=asking.interactor,
        servers=tool_servers(configuration.mcp, model_keys(sources, configuration.models)),
        playbook=playbook,
    )
    match RunMode(configuration.system.mode):
        case RunMode.NORMAL:
            return _carry_out_request(wanted, preparation)
        case RunMode.FOLLOWER:
            return _follow(wanted, preparation)
        case RunMode.BATCH:
            _only(wanted, "batch", "--tasks")
            tasks = _needed(wanted.tasks, "batch", "--tasks")
            return carry_out_batch(tasks, preparation, wanted.out, again=wanted.force, as_json=wanted.as_json)


def _given_file(path: str) -> Path:
    """Raises: UsageError. An empty path would be the present folder."""
    if not path:
        raise UsageError("--file is empty", fix="give the path of a file or folder, or leave --file out")
    return readable_file(Path(path), folders=True)


def _only(wanted: Wanted, mode: str, *options: str) -> None:
    """Raises: UsageError where something is given that goes with another mode."""
    given = {
        "a request": bool(wanted.request),
        "--plan": wanted.plan is not None,
        "--tasks": wanted.tasks is not None,
        "--interactive": wanted.interactive,
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


def _carry_out_request(wanted: Wanted, preparation: Preparation) -> int:
    _only(wanted, "normal", "a request", "--interactive")
    if not wanted.request.strip() and not wanted.interactive:
        raise UsageError("there is no request", fix='deskhand run "WHAT TO DO" …')
    if preparation.opens_with and not preparation.files:
        raise UsageError("--with opens the files of --file, and there are none", fix="add --file PATH, or say --app")
    next_request = _next_request() if wanted.interactive else None
    preparation.check_machine()
    kept = preparation.files_told(Path.cwd())
    if wanted.out is not None:
        check_room(wanted.out, (), kept=kept, force=wanted.force)
    request = wanted.request
    if next_request is not None and not request.strip():
        request = anyio.run(next_request)
        if not request:
            raise UsageError("there is no request", fix="say at the prompt, or on the command line, what to do")
    prepared = preparation.session([request], wanted.out, base=Path.cwd())
    _room(wanted, kept)
    if next_request is not None and isinstance(prepared.plan.model, PlaybookModel):
        complain(f"{prepared.plan.model.name} does not read requests: each one carries out all of its steps", _PARTS)
    progress = progress_on_stderr(os.environ, rounds=wanted.interactive)
    plan = replace(prepared.plan, listeners=(progress,), next_request=next_request)
    return carry_out(plan, prepared.report, as_json=wanted.as_json, explain=partial(explain, preparation.table))


def _next_request() -> NextRequest:
    person = person_at_terminal()
    if person is None:
        raise UsageError(
            "--interactive needs a terminal, and there is none",
            fix="run it in a terminal; or give all requests at once as a plan, with --mode follower",
        )
    return person.next_request


def _follow(wanted: Wanted, preparation: Preparation) -> int:
    _only(wanted, "follower", "--plan")
    path = _needed(wanted.plan, "follower", "--plan")
    plan = read_plan(readable_file(path, option="--plan"))
    about = Path(plan.object) if plan.object else None
    if about is None and not preparation.files and not preparation.applications and preparation.desktop == VIRTUAL:
        raise UsageError(
            f"{path}: there is nothing on an empty desktop that its steps could be carried out in",
            fix='give it an "object", or say --file, --app or --desktop',
        )
    preparation.check_machine(*([readable_file(about, option="object", folders=True)] if about else []))
    prepared = preparation.session(plan.steps, wanted.out, base=Path.cwd())
    model = prepared.plan.model
    if isinstance(model, PlaybookModel):
        _check_steps(path, plan.steps, model)
    _room(wanted, (*preparation.files_told(Path.cwd()), path, *([about] if about else [])))
    followed = replace(
        prepared.plan,
        host_model=None,
        task=plan.task,
        object=about,
        expects=model.final_expectation if isinstance(model, PlaybookModel) else None,
        listeners=(progress_on_stderr(os.environ, rounds=True),),
    )
    return carry_out(followed, prepared.report, as_json=wanted.as_json, explain=partial(explain, preparation.table))


def _check_steps(path: Path, steps: tuple[str, ...], model: PlaybookModel) -> None:
    """Raises: UsageError where the playbook does not know what to do about a step."""
    unknown = [step for step in dict.fromkeys(steps) if step not in model.subtasks]
    if unknown:
        known = "; ".join(model.subtasks) or "none"
        raise UsageError(
            "\n".join(f"{path}: {model.name} has no subtask {step!r}" for step in unknown),
            fix=f"a step of the plan is a subtask that the playbook's host hands out; it has: {known}",
        )


def _room(wanted: Wanted, kept: Sequence[Path]) -> None:
    if wanted.out is not None:
        make_room(wanted.out, (), kept=kept, force=wanted.force)
