"""A request carried out from Python: all that the command line can, by one call."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deskhand.agents import ThirdPartyAgent
from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.commands import Tool
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.ports import Checker, Interactor, Model, OwnPolicy, Retriever
from deskhand.desktop.backends import VIRTUAL
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_session_playbook
from deskhand.models.steps import ParameterType, Playbook
from deskhand.notify import notifications
from deskhand.pipeline.framework import ChangeStrategies
from deskhand.pipeline.services import ProcessorMiddleware
from deskhand.session.additions import check_additions, check_arguments
from deskhand.session.build import (
    OpenDesktop,
    SessionPlan,
    new_session_id,
    open_for_session,
    run_session,
)
from deskhand.session.healed_playbook import check_healable
from deskhand.session.interactors import AutoInteractor
from deskhand.session.listeners import Listener, heard
from deskhand.session.models import LanguageModels, SessionModels, followed, language_models
from deskhand.session.plugins import model_makers
from deskhand.session.round import Ending
from deskhand.session.session_folders import sessions_folder
from deskhand.session.single_action import new_tools
from deskhand.states.base import SessionState
from deskhand.store.journal import JOURNAL_NAME


async def run(  # noqa: PLR0913 - keyword options of the one public call
    request: str | Sequence[str],
    *,
    model: Model | str = "",
    playbook: Path | str | None = None,
    parameters: Mapping[str, object] | None = None,
    heal: Model | str = "",
    files: Sequence[Path | str] = (),
    in_place: bool = False,
    applications: Sequence[str] = (),
    opens_with: str = "",
    desktop: str = VIRTUAL,
    opens: OpenDesktop = open_for_session,
    out: Path | str | None = None,
    configuration: Configuration | None = None,
    interactor: Interactor | None = None,
    listeners: Sequence[Listener] = (),
    checkers: Sequence[Checker] = (),
    tools: Sequence[Tool] = (),
    agents: Sequence[ThirdPartyAgent] = (),
    states: Sequence[SessionState] = (),
    strategies: Mapping[str, ChangeStrategies] | None = None,
    middleware: Sequence[ProcessorMiddleware] = (),
    retrievers: Sequence[Retriever] = (),
    policies: Sequence[OwnPolicy] = (),
) -> Ending:
    """Carry out one request, or several in the same session; the journal is in `out`, or in the user's state folder.

    `model`: a name as `provider:name`, or an object; by default the models of the configuration. It takes the place of
    the host's model and the applications' model; backup, evaluation and embeddings stay those of the configuration.
    `playbook`: a file of steps instead, with its `parameters`; `heal`: a model, by name or as an object, for its steps
    that no longer fit; the healed playbook is written beside it. `configuration`: by default that of the user and the
    present folder, as for the command line. `files` are opened as copies unless `in_place`, in the application named
    `opens_with` if given. `interactor` answers questions and approves actions; without one questions get no answer, and
    approvals are refused. `checkers`: a claim of success is accepted only if they pass. `opens`: opens the desktop,
    such as one in memory for tests.

    `listeners` (functions, or objects with `emit`) get each event after the journal. An async one is awaited beside the
    session, in order, and up to ten seconds after it; one that raises an error, or is ten thousand events behind, is
    warned about and gets no more.

    The others are added to those of Deskhand and of plug-ins. `tools`: of `@deskhand.tool`. `agents`: the host can
    assign subtasks to them. `states`: of `AppAgentStateManager.for_session(…)`, for this session alone. `strategies`:
    by the kind of agent (`host`, `app` …), functions that return strategies in place of those they get. `middleware`:
    hooks around each step of all agents; one that raises an error is reported in the journal and left out. `retrievers`
    find passages for prompts. `policies`: functions that demand an approval of an action, or deny it, given its facts;
    they can only tighten the rules, and an error of one denies the action.

    An error of the session is its ending, with outcome error. Raises: UsageError, ConfigurationError, StoreError.
    """
    check_arguments(
        request=request,
        model=model,
        heal=heal,
        configuration=configuration,
        opens=opens,
        strategies=strategies,
        parameters=parameters,
        files=files,
        applications=applications,
        listeners=listeners,
        checkers=checkers,
        tools=tools,
        agents=agents,
        states=states,
        middleware=middleware,
        retrievers=retrievers,
        policies=policies,
    )
    requests = (request,) if isinstance(request, str) else tuple(request)
    if not any(each.strip() for each in requests):
        raise UsageError("there is no request", fix="give a text, or several")
    sources = Sources(os.environ, Path.cwd())
    configuration = configuration or load(sources)
    models = _models(model, playbook, parameters or {}, heal, sources, configuration)
    variables = model_keys(sources, configuration.models)
    session_id = new_session_id()
    session_dir = sessions_folder() / session_id if out is None else _new_folder(out)
    plan = SessionPlan(
        session_id=session_id,
        session_dir=session_dir,
        requests=requests,
        model=models.app,
        host_model=models.host,
        backup=models.backup,
        evaluation=models.evaluation,
        embedder=models.embedder,
        configuration=configuration,
        files=tuple(_absolute(file) for file in files),
        in_place=in_place,
        applications=tuple(applications),
        opens_with=opens_with,
        desktop=desktop,
        opens=opens,
        interactor=interactor or AutoInteractor(),
        checkers=tuple(checkers),
        tools=new_tools(tools),
        third_party=(*THIRD_PARTY, *agents),
        states=tuple(states),
        strategies=dict(strategies or {}),
        middleware=tuple(middleware),
        retrievers=tuple(retrievers),
        policies=tuple(policies),
        servers=tool_servers(configuration.mcp, variables),
        notifications=notifications(configuration.notify, variables, os.environ),
        parameters={name: str(value) for name, value in (parameters or {}).items()},
    )
    check_additions(plan)
    async with heard(listeners) as sinks:
        return await run_session(replace(plan, listeners=sinks))


def _models(
    model: Model | str,
    playbook: Path | str | None,
    parameters: Mapping[str, object],
    heal: Model | str,
    sources: Sources,
    configuration: Configuration,
) -> SessionModels:
    """Raises: UsageError."""
    if playbook is not None:
        if model:
            raise UsageError("playbook and model exclude each other", fix="give one of them")
        book = load_session_playbook(Path(playbook))
        values = {name: _value(book, name, value) for name, value in parameters.items()}
        return followed(book, values, _healer(heal, Path(playbook), sources, configuration))
    if heal:
        raise UsageError("heal needs a playbook", fix="give the playbook whose steps it is to heal")
    if parameters:
        raise UsageError("parameters need a playbook", fix="write them into the request")
    if isinstance(model, PlaybookModel):
        return SessionModels(host=model, app=model)
    settings = configuration.models
    if not isinstance(model, str):
        return LanguageModels(settings, model_keys(sources, settings)).make(model)
    if model:
        settings = settings.model_copy(update={"model": model, "host": "", "app": ""})
    found = language_models(sources, settings, model_makers())
    if found is None:
        raise UsageError("no model is chosen", fix='give model="provider:name" or a playbook, or set models.model')
    return found.make()


def _healer(heal: Model | str, playbook: Path, sources: Sources, configuration: Configuration) -> Model | None:
    """Raises: UsageError."""
    if not heal:
        return None
    check_healable(playbook)
    if not isinstance(heal, str):
        return heal
    settings = configuration.models
    return LanguageModels(settings, model_keys(sources, settings), model_makers()).model(heal)


def _absolute(path: Path | str) -> Path:
    return Path(path).absolute()


def _new_folder(out: Path | str) -> Path:
    """Raises: UsageError where a session was written."""
    folder = _absolute(out)
    if (folder / JOURNAL_NAME).exists():
        raise UsageError(f"{folder} has the journal of another session", fix="give another folder, or remove that one")
    return folder


def _value(book: Playbook, name: str, value: object) -> object:
    """Return the value of a parameter; a path is one from the present folder."""
    declared = book.parameters.get(name)
    is_path = declared is not None and declared.type is ParameterType.PATH
    return str(_absolute(value)) if is_path and isinstance(value, str | Path) else value
