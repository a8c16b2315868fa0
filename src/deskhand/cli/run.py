"""`deskhand run`: a request, carried out."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from deskhand import __version__
from deskhand.cli.asking import interactor_for
from deskhand.cli.before import check_machine, make_room, readable_file
from deskhand.cli.desktops import JsonOption
from deskhand.cli.progress import progress_on_stderr
from deskhand.cli.sessions import carry_out
from deskhand.cli.tables import explain, table_selector
from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.desktop.base import Application
from deskhand.desktop.linux.named import NAME_VARIABLE
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook
from deskhand.models.steps import ParameterType, Playbook
from deskhand.session.applications import application_for, application_registry
from deskhand.session.build import SessionPlan, new_session_id, sessions_folder
from deskhand.session.desktops import VIRTUAL


def add_to(app: typer.Typer) -> None:
    app.command("run")(run)


def run(  # noqa: PLR0913, PLR0917 - the options of SPEC 6
    request: Annotated[str, typer.Argument(help="What to do, in plain language.")],
    playbook: Annotated[Path | None, typer.Option(help="A playbook that decides instead of a language model.")] = None,
    model: Annotated[str, typer.Option(help="The language model, as provider:name.")] = "",
    file: Annotated[list[Path] | None, typer.Option(help="Open a copy of this document first.")] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Open the documents themselves, not copies.")] = False,
    app: Annotated[list[str] | None, typer.Option(help="Start this application first.")] = None,
    param: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A value for the playbook.")] = None,
    table: Annotated[str, typer.Option(help="Which table: its number or name.", show_default="the only one")] = "",
    desktop: Annotated[str, typer.Option(metavar="virtual|:N|NAME", help="Where to work.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the report and the log.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what an earlier run left in the folder.")] = False,
    ask: Annotated[str, typer.Option(metavar="off|terminal|FILE", help="Who answers questions.")] = "",
    confirm: Annotated[str, typer.Option(metavar="ask|never|FILE", help="Who approves actions.")] = "",
    max_step: Annotated[int | None, typer.Option(help="Steps of all agents.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds of work.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of all model calls.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Dollars of all model calls.")] = None,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Carry out a request in the applications of a desktop."""
    book = _playbook(playbook, model)
    asking = interactor_for(ask, confirm)
    settings: dict[str, object] = {
        "ask_question": asking.ask_question,
        "max_step": max_step,
        "max_seconds": max_seconds,
        "max_tokens": max_tokens,
        "max_usd": max_usd,
    }
    overrides = {"system": {name: value for name, value in settings.items() if value is not None}}
    configuration = load(Sources(os.environ, Path.cwd(), config, overrides))
    parameters = _parameters(book, param or [], table)
    files = tuple(readable_file(path) for path in file or [])
    where = desktop or os.environ.get(NAME_VARIABLE) or VIRTUAL
    needed = _applications(files, app or [], configuration)
    if where == VIRTUAL:
        check_machine(office=any(application.argv[0] == "soffice" for application in needed))
    session_id = new_session_id()
    if out is None:
        session_dir = sessions_folder() / session_id
        report = session_dir / "report.html"
    else:
        make_room(out.absolute(), (), force=force)
        session_dir, report = out.absolute() / "log", out.absolute() / "report.html"
    plan = SessionPlan(
        session_id=session_id,
        session_dir=session_dir,
        requests=(request,),
        model=PlaybookModel(book, parameters),
        configuration=configuration,
        files=files,
        in_place=in_place,
        applications=tuple(app or []),
        desktop=where,
        interactor=asking.interactor,
        listeners=(progress_on_stderr(os.environ),),
        outputs=_paths(book, parameters),
        parameters={name: str(value) for name, value in parameters.items()},
        version=__version__,
    )
    return carry_out(plan, report, as_json=as_json, explain=partial(explain, table))


def _playbook(playbook: Path | None, model: str) -> Playbook:
    if model:
        raise UsageError("language models are not built yet", fix="give --playbook FILE instead of --model")
    if playbook is None:
        raise UsageError("nothing says who decides", fix="give --playbook FILE")
    book = load_playbook(playbook)
    if not book.host:
        raise UsageError(
            f"{playbook}: the playbook has no steps for the host, who picks the windows",
            fix="add host: with a step that says ASSIGN and names the agent, and one that says FINISH",
        )
    return book


def _parameters(playbook: Playbook, given: Sequence[str], table: str) -> dict[str, object]:
    """The values of `--param` and `--table`; relative paths are those of this folder. Raises: UsageError."""
    values: dict[str, object] = {}
    for entry in given:
        name, separator, value = entry.partition("=")
        if not separator or not name:
            raise UsageError(f"--param {entry!r} is not NAME=VALUE", fix="write it as --param output=/tmp/sales.ods")
        declared = playbook.parameters.get(name)
        is_path = declared is not None and declared.type is ParameterType.PATH and value
        values[name] = str(Path(value).absolute()) if is_path else value
    if table:
        values["table"] = table_selector(table)
    return values


def _paths(playbook: Playbook, values: dict[str, object]) -> tuple[Path, ...]:
    """The files that the playbook was told of and that are not there yet: what it makes is among them."""
    names = [name for name, parameter in playbook.parameters.items() if parameter.type is ParameterType.PATH]
    paths = [Path(str(values[name])) for name in names if name in values]
    return tuple(path for path in paths if not path.exists())


def _applications(files: Sequence[Path], names: Sequence[str], configuration: Configuration) -> list[Application]:
    """What is started before the agents begin. Raises: UsageError for a file or name that nothing answers to."""
    registry = application_registry(configuration.applications)
    unknown = [name for name in names if name not in registry]
    if unknown:
        raise UsageError(f"there is no application {unknown[0]!r}", fix=f"known: {', '.join(sorted(registry))}")
    return [application_for(path, registry) for path in files] + [registry[name] for name in names]
