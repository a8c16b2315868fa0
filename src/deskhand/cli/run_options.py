"""Options of `deskhand run`, checked and made into session plans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from deskhand import __version__
from deskhand.cli.named_values import named_values
from deskhand.cli.preflight import LOG_NAME, REPORT_NAME, check_machine, check_path, is_within
from deskhand.cli.table_choice import table_selector
from deskhand.commands.mcp_client import ToolServer
from deskhand.config.sections import Configuration
from deskhand.core.errors import StoreError, UsageError
from deskhand.core.events import OutputWritten, SessionOptions
from deskhand.core.file_stamp import digest_of
from deskhand.core.ports import Interactor
from deskhand.desktop.backends import VIRTUAL
from deskhand.models.steps import ParameterType, Playbook
from deskhand.notify import Notifications
from deskhand.session.applications import Opening, applications
from deskhand.session.build import SessionPlan, new_session_id
from deskhand.session.models import LanguageModels, SessionModels, followed
from deskhand.session.session_folders import sessions_folder
from deskhand.store.journal import read_events
from deskhand.telemetry.recording import check_telemetry


@dataclass(frozen=True, slots=True)
class Preparation:
    """The options, common to every session of one command.

    `parameters` are NAME=VALUE; `playbook` is the file of `model_source`, `healer` has the model for its steps that do
    not fit.
    """

    model_source: Playbook | LanguageModels
    parameters: tuple[str, ...]
    table: str
    files: tuple[Path, ...]
    applications: tuple[str, ...]
    opens_with: str
    in_place: bool
    desktop: str
    configuration: Configuration
    interactor: Interactor
    servers: tuple[ToolServer, ...] = ()
    playbook: Path | None = None
    config: Path | None = None
    healer: LanguageModels | None = None
    notifications: Notifications = field(default_factory=Notifications)

    def check_machine(self, *objects: Path) -> None:
        """Raises: UsageError (an unknown file or application), MissingRequirement, ConfigurationError."""
        check_telemetry(self.configuration)
        known = applications(self.configuration.applications)
        opening = Opening.of((*self.files, *objects), self.applications, self.opens_with, known)
        if self.desktop == VIRTUAL:
            check_machine(office=any(each.application.argv[0] == "soffice" for each in opening.all))

    def session(self, requests: Sequence[str], out: Path | None, *, base: Path, session_id: str = "") -> "Prepared":
        """Plan of one session, and the path of its report. Relative paths in parameters are relative to `base`.

        `out`: None: among the other sessions of this user. Raises: UsageError.
        """
        values = self._values(base)
        session_id = session_id or new_session_id()
        session_dir = sessions_folder() / session_id if out is None else out / LOG_NAME
        report = (session_dir if out is None else out) / REPORT_NAME
        models = self._models(values)
        plan = SessionPlan(
            session_id=session_id,
            session_dir=session_dir,
            requests=tuple(requests),
            model=models.app,
            host_model=models.host,
            backup=models.backup,
            evaluation=models.evaluation,
            embedder=models.embedder,
            configuration=self.configuration,
            files=self.files,
            in_place=self.in_place,
            applications=self.applications,
            opens_with=self.opens_with,
            desktop=self.desktop,
            interactor=self.interactor,
            servers=self.servers,
            notifications=self.notifications,
            outputs=tuple(path for path in self._paths(values) if not _exists(path)),
            parameters={name: str(value) for name, value in {**self._defaults(), **values}.items()},
            version=__version__,
            options=self._options(),
        )
        return Prepared(plan, report)

    def _options(self) -> SessionOptions:
        """Return what another process needs to continue the session, beside its plan."""
        settings, book = self.configuration.models, self.playbook
        named = {name: str(getattr(settings, name)) for name in ("model", "host", "app", "backup", "evaluation")}
        return SessionOptions(
            folder=str(Path.cwd()),
            config=str(self.config.absolute()) if self.config else "",
            models={} if book else {name: value for name, value in named.items() if value},
            playbook=str(book.absolute()) if book else "",
            digest=(digest_of(book) or "") if book else "",
            heal=self.healer.settings.model if self.healer else "",
            table=self.table,
        )

    def input_files(self, base: Path) -> tuple[Path, ...]:
        """Files that the options name; relative paths in parameters are relative to `base`.

        Raises: UsageError.
        """
        book = () if self.playbook is None else (self.playbook,)
        return (*self.files, *book, *self.paths(base))

    def paths(self, base: Path) -> list[Path]:
        """Files in parameters of the playbook, for reading and for writing; relative ones are relative to `base`.

        Raises: UsageError.
        """
        return self._paths(self._values(base))

    def moved(self, places: Mapping[str, Path]) -> Self:
        """The same options on another machine, where these files, by their paths here, have other places."""
        values = named_values(self.parameters)
        for name in self._path_names():
            if Path(values.get(name, "")).is_absolute():
                values[name] = str(places.get(values[name], values[name]))
        return replace(
            self,
            parameters=tuple(f"{name}={value}" for name, value in values.items()),
            files=tuple(places.get(str(file), file) for file in self.files),
            playbook=self.playbook and places.get(str(self.playbook), self.playbook),
        )

    def earlier_outputs(self, folder: Path) -> tuple[Path, ...]:
        """Output files below the folder of a task that its earlier session wrote.

        Only that session's journal distinguishes them from the playbook's input files. Raises: UsageError.
        """
        paths = self._paths(self._values(folder))
        written = _written_paths(folder / LOG_NAME) if paths else set[str]()
        return tuple(path for path in paths if str(path) in written and path.is_file() and is_within(path, folder))

    def _models(self, values: Mapping[str, object]) -> SessionModels:
        if isinstance(self.model_source, LanguageModels):
            return self.model_source.make()
        return followed(self.model_source, values, self.healer)

    def _values(self, base: Path) -> dict[str, object]:
        """Values of `--param` and `--table`. Raises: UsageError."""
        values: dict[str, object] = {}
        if isinstance(self.model_source, LanguageModels):
            if self.parameters or self.table:
                option = "--param" if self.parameters else "--table"
                raise UsageError(f"{option} needs --playbook", fix="write it into the request")
            return values
        for name, value in named_values(self.parameters).items():
            declared = self.model_source.parameters.get(name)
            is_path = declared is not None and declared.type is ParameterType.PATH and value
            if is_path:
                check_path(base.absolute() / value, option=f"--param {name}=")
            values[name] = str(base.absolute() / value) if is_path else value
        if self.table:
            values["table"] = table_selector(self.table)
        return values

    def _defaults(self) -> dict[str, object]:
        """Values that the playbook has for its parameters; for a selector they say nothing without it."""
        if isinstance(self.model_source, LanguageModels):
            return {}
        every = self.model_source.parameters.values()
        return {
            one.name: one.default for one in every if one.default is not None and one.type is not ParameterType.SELECTOR
        }

    def _paths(self, values: Mapping[str, object]) -> list[Path]:
        return [Path(str(values[name])) for name in self._path_names() if name in values]

    def _path_names(self) -> list[str]:
        """The parameters of the playbook that are files."""
        if isinstance(self.model_source, LanguageModels):
            return []
        return [name for name, item in self.model_source.parameters.items() if item.type is ParameterType.PATH]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # it may exist; then nothing could prove that the session wrote it
        return True


def _written_paths(session_dir: Path) -> set[str]:
    """Paths that a session reported as written; empty if its journal cannot be read."""
    try:
        return {event.path for event in read_events(session_dir) if isinstance(event, OutputWritten)}
    except StoreError:
        return set()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Session that could begin, and the path of its report."""

    plan: SessionPlan
    report: Path
