"""A request carried out from Python: all that the command line can, by one call."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from deskhand.agents import ThirdPartyAgent
from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.commands import Tool
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.events import Event
from deskhand.core.ports import Checker, EventSink, Interactor, Model
from deskhand.desktop.backends import VIRTUAL
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_session_playbook
from deskhand.models.steps import ParameterType, Playbook
from deskhand.session.build import (
    OpenDesktop,
    SessionPlan,
    new_session_id,
    open_for_session,
    run_session,
    sessions_folder,
)
from deskhand.session.interactors import AutoInteractor
from deskhand.session.models import LanguageModels, SessionModels, language_models
from deskhand.session.plugins import model_makers
from deskhand.session.round import Ending
from deskhand.session.single_action import new_tools
from deskhand.store.journal import JOURNAL_NAME


async def run(  # noqa: PLR0913 - keyword options of the one public call
    request: str | Sequence[str],
    *,
    model: Model | str = "",
    playbook: Path | str | None = None,
    parameters: Mapping[str, object] | None = None,
    files: Sequence[Path | str] = (),
    in_place: bool = False,
    applications: Sequence[str] = (),
    opens_with: str = "",
    desktop: str = VIRTUAL,
    opens: OpenDesktop = open_for_session,
    out: Path | str | None = None,
    configuration: Configuration | None = None,
    interactor: Interactor | None = None,
    listeners: Sequence[EventSink] = (),
    checkers: Sequence[Checker] = (),
    tools: Sequence[Tool] = (),
    agents: Sequence[ThirdPartyAgent] = (),
) -> Ending:
    """Carry out one request, or several in the same session; the journal is in `out`, or in the user's state folder.

    `model`: a name as `provider:name`, or an object; by default the models of the configuration. It takes the place of
    the host's model and the applications' model; backup, evaluation and embeddings stay those of the configuration.
    `playbook`: a file of steps instead, with its `parameters`. `configuration`: by default that of the user and the
    present folder, as for the command line. `files` are opened as copies unless `in_place`, in the application named
    `opens_with` if given. `interactor` answers questions and approves actions; without one questions get no answer,
    and approvals are refused. `listeners` get each event after the journal; one that raises an error is warned about
    and gets no more. `opens`: opens the desktop, such as one in memory for tests. `tools` (of `@deskhand.tool`) and
    `agents` are added to those of Deskhand and of plug-ins.

    An error of the session is its ending, with outcome error. Raises: UsageError, ConfigurationError, StoreError.
    """
    requests = (request,) if isinstance(request, str) else tuple(request)
    if not any(each.strip() for each in requests):
        raise UsageError("there is no request", fix="give a text, or several")
    sources = Sources(os.environ, Path.cwd())
    configuration = configuration or load(sources)
    models = _models(model, playbook, parameters or {}, sources, configuration)
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
        listeners=tuple(map(_Tolerated, listeners)),
        checkers=tuple(checkers),
        tools=new_tools(tools),
        third_party=(*THIRD_PARTY, *agents),
        servers=tool_servers(configuration.mcp, model_keys(sources, configuration.models)),
        parameters={name: str(value) for name, value in (parameters or {}).items()},
    )
    return await run_session(plan)


def _models(
    model: Model | str,
    playbook: Path | str | None,
    parameters: Mapping[str, object],
    sources: Sources,
    configuration: Configuration,
) -> SessionModels:
    """Raises: UsageError."""
    if playbook is not None:
        if model:
            raise UsageError("playbook and model exclude each other", fix="give one of them")
        book = load_session_playbook(Path(playbook))
        steps = PlaybookModel(book, {name: _value(book, name, value) for name, value in parameters.items()})
        return SessionModels(host=steps, app=steps)
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


class _Tolerated:
    """A listener whose error does not end the session: it is warned about, and not called again."""

    def __init__(self, listener: EventSink) -> None:
        self._listener: EventSink | None = listener

    def emit(self, event: Event) -> None:
        if self._listener is None:
            return
        try:
            self._listener.emit(event)
        except Exception as error:  # noqa: BLE001 - the code of the caller
            what = (
                f"{type(self._listener).__name__}.emit({type(event).__name__}) raised {type(error).__name__}: {error}"
            )
            self._listener = None
            warnings.warn(f"{what}; it gets no more events", stacklevel=2)
