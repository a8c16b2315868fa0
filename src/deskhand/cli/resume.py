"""`deskhand resume`: continue a session that was interrupted."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from deskhand import __version__
from deskhand.cli.console import print_note
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.detail_choice import QuietOption, VerboseOption, chosen_detail, session_progress
from deskhand.cli.interactor_choice import AskOption, ConfirmOption, interactor_for, person_at_terminal
from deskhand.cli.model_choice import chosen_healer, chosen_model
from deskhand.cli.preflight import REPORT_NAME
from deskhand.cli.recorded_settings import configuration_of, sources_of
from deskhand.cli.session_argument import SessionArgument
from deskhand.cli.session_run import carry_out
from deskhand.cli.table_choice import explain, table_selector
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.secrets import model_keys
from deskhand.core.errors import UsageError
from deskhand.core.events import SessionOptions
from deskhand.core.file_stamp import digest_of
from deskhand.models.playbook import PlaybookModel
from deskhand.models.steps import Playbook
from deskhand.notify import notifications
from deskhand.session.build import SessionPlan
from deskhand.session.interrupted import Interrupted
from deskhand.session.models import LanguageModels, SessionModels, followed
from deskhand.session.resume import resume_session, to_resume
from deskhand.session.session import NextRequest
from deskhand.session.session_folders import find_session, folder_named
from deskhand.store.journal import held


def add_to(app: typer.Typer) -> None:
    app.command("resume")(resume)


def resume(  # noqa: PLR0913, PLR0917 - one parameter per option
    session: SessionArgument,
    model: Annotated[str, typer.Option(help="Another language model, as provider:name.")] = "",
    playbook: Annotated[Path | None, typer.Option(help="The playbook, if it was moved or changed.")] = None,
    desktop: Annotated[str, typer.Option(metavar="virtual|:N|NAME", help="Another desktop.")] = "",
    ask: AskOption = "",
    confirm: ConfirmOption = "",
    max_step: Annotated[int | None, typer.Option(help="Limit of steps, those before included.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Limit of working time, in seconds.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Limit of tokens of all model calls.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Limit of dollars of all model calls.")] = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Continue a session that was killed or cut off, in its own journal; nothing is sent twice."""
    session_dir = find_session(session).absolute()
    with held(session_dir):
        known, options = to_resume(session_dir)
    if not options.folder:
        raise UsageError(
            f"the session {known.started.session_id} was not started by deskhand run",
            fix="from Python, give its plan to deskhand.session.resume.resume_session; the demo is run again",
        )
    asking = interactor_for(ask, confirm)
    limits: dict[str, object] = {
        "ask_question": asking.ask_question,
        "max_step": max_step,
        "max_seconds": max_seconds,
        "max_tokens": max_tokens,
        "max_usd": max_usd,
    }
    chosen = {"model": model, "host": "", "app": ""} if model else options.models
    sources = sources_of(options, chosen)
    configuration = configuration_of(options, sources, limits)
    variables = model_keys(sources, configuration.models)
    book = None if model else _playbook(playbook, options)
    source = chosen_model(book, "", sources, configuration)
    healer = chosen_healer(options.heal, sources, configuration) if book else None
    models = _models(source, healer, known, options)
    progress = session_progress(
        chosen_detail(quiet=quiet, verbose=verbose),
        configuration.models,
        rounds=len(options.requests) > 1 or options.interactive,
    )
    plan = SessionPlan(
        session_id=known.started.session_id,
        session_dir=session_dir,
        requests=tuple(options.requests),
        model=models.app,
        host_model=None if options.task else models.host,
        backup=models.backup,
        evaluation=models.evaluation,
        embedder=models.embedder,
        configuration=configuration,
        files=tuple(map(Path, options.files)),
        in_place=options.in_place,
        applications=tuple(options.applications),
        opens_with=options.opens_with,
        object=Path(options.object) if options.object else None,
        close_object=options.close_object,
        task=options.task,
        expects=models.app.final_expectation if options.task and isinstance(models.app, PlaybookModel) else None,
        desktop=desktop or known.started.desktop,
        interactor=asking.interactor,
        servers=tool_servers(configuration.mcp, variables),
        notifications=notifications(configuration.notify, variables, os.environ),
        outputs=tuple(map(Path, options.outputs)),
        version=__version__,
        listeners=(progress,),
        next_request=_next_request(options),
        options=options,
    )
    report = folder_named(session_dir) / REPORT_NAME
    shown = partial(explain, options.table)
    return carry_out(plan, report, as_json=as_json, explain=shown, run=resume_session)


def _playbook(given: Path | None, options: SessionOptions) -> Path | None:
    """Return the session's playbook. Raises: UsageError where it is gone, or not the same any more."""
    if given is not None or not options.playbook:
        return given
    path = Path(options.playbook)
    fix = "give the right one with --playbook FILE"
    if not path.is_file():
        raise UsageError(f"the playbook {path} of the session is gone", fix=fix)
    if digest_of(path) != options.digest:
        raise UsageError(f"the playbook {path} was changed since the session began", fix=fix)
    return path


def _models(
    source: Playbook | LanguageModels, healer: LanguageModels | None, known: Interrupted, options: SessionOptions
) -> SessionModels:
    if isinstance(source, LanguageModels):
        return source.make()
    values: dict[str, object] = dict(known.started.parameters)
    if options.table:
        values["table"] = table_selector(options.table)
    return followed(source, values, healer)


def _next_request(options: SessionOptions) -> NextRequest | None:
    """Return who gives further requests in an interactive session."""
    if not options.interactive:
        return None
    person = person_at_terminal()
    if person is None:
        print_note("the session was interactive, and there is no terminal: it ends after the present request")
        return None
    return person.next_request
