"""What the sessions of `deskhand run` are made of: the options, checked and put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskhand import __version__
from deskhand.cli.model_choice import Deciders, LanguageModels
from deskhand.cli.preflight import REPORT_NAME, check_machine, check_path, lies_in
from deskhand.cli.table_choice import table_selector
from deskhand.commands.mcp_client import ToolServer
from deskhand.config.sections import Configuration
from deskhand.core.errors import StoreError, UsageError
from deskhand.core.events import OutputWritten
from deskhand.core.ports import Interactor
from deskhand.desktop.backends import VIRTUAL
from deskhand.models.playbook import PlaybookModel
from deskhand.models.steps import ParameterType, Playbook
from deskhand.session.applications import Opening, applications
from deskhand.session.build import SessionPlan, new_session_id, sessions_folder
from deskhand.store.journal import read_events


@dataclass(frozen=True, slots=True)
class Preparation:
    """What the options say, alike for every session of one command.

    `parameters` are NAME=VALUE; `playbook` is the file that `decides` came from.
    """

    decides: Playbook | LanguageModels
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

    def check_machine(self, *objects: Path) -> None:
        """Raises: UsageError (a file or name that nothing answers to), MissingRequirement."""
        known = applications(self.configuration.applications)
        opening = Opening.of((*self.files, *objects), self.applications, self.opens_with, known)
        if self.desktop == VIRTUAL:
            check_machine(office=any(each.application.argv[0] == "soffice" for each in opening.all))

    def session(self, requests: Sequence[str], out: Path | None, *, base: Path) -> "Prepared":
        """One session, and where its page goes. Parameters that are relative paths are those of `base`.

        `out`: None: with the other sessions of this user. Raises: UsageError.
        """
        values = self._values(base)
        session_id = new_session_id()
        session_dir = sessions_folder() / session_id if out is None else out / "log"
        report = (session_dir if out is None else out) / REPORT_NAME
        deciders = self._deciders(values)
        plan = SessionPlan(
            session_id=session_id,
            session_dir=session_dir,
            requests=tuple(requests),
            model=deciders.app,
            host_model=deciders.host,
            backup=deciders.backup,
            evaluation=deciders.evaluation,
            embedder=deciders.embedder,
            configuration=self.configuration,
            files=self.files,
            in_place=self.in_place,
            applications=self.applications,
            opens_with=self.opens_with,
            desktop=self.desktop,
            interactor=self.interactor,
            servers=self.servers,
            outputs=tuple(path for path in self._paths(values) if not _is_there(path)),
            parameters={name: str(value) for name, value in values.items()},
            version=__version__,
        )
        return Prepared(plan, report)

    def files_told(self, base: Path) -> tuple[Path, ...]:
        """The files that the options name; parameters that are relative paths are those of `base`.

        Raises: UsageError.
        """
        book = () if self.playbook is None else (self.playbook,)
        return (*self.files, *book, *self._paths(self._values(base)))

    def written_in(self, folder: Path) -> tuple[Path, ...]:
        """The files below the folder of a task that its earlier session wrote where the playbook was told to.

        Only that session's journal tells them from what the playbook is to read. Raises: UsageError.
        """
        paths = self._paths(self._values(folder))
        written = _written(folder / "log") if paths else set[str]()
        return tuple(path for path in paths if str(path) in written and path.is_file() and lies_in(path, folder))

    def _deciders(self, values: Mapping[str, object]) -> Deciders:
        if isinstance(self.decides, LanguageModels):
            return self.decides.make()
        model = PlaybookModel(self.decides, values)
        return Deciders(host=model, app=model)

    def _values(self, base: Path) -> dict[str, object]:
        """The values of `--param` and `--table`. Raises: UsageError."""
        values: dict[str, object] = {}
        if isinstance(self.decides, LanguageModels):
            if self.parameters or self.table:
                option = "--param" if self.parameters else "--table"
                raise UsageError(f"{option} goes with --playbook", fix="say it in the request")
            return values
        for entry in self.parameters:
            name, separator, value = entry.partition("=")
            if not separator or not name:
                raise UsageError(f"--param {entry!r} is not NAME=VALUE", fix="write it as --param output=sales.ods")
            declared = self.decides.parameters.get(name)
            is_path = declared is not None and declared.type is ParameterType.PATH and value
            if is_path:
                check_path(base.absolute() / value, option=f"--param {name}=")
            values[name] = str(base.absolute() / value) if is_path else value
        if self.table:
            values["table"] = table_selector(self.table)
        return values

    def _paths(self, values: Mapping[str, object]) -> list[Path]:
        if isinstance(self.decides, LanguageModels):
            return []
        names = [name for name, item in self.decides.parameters.items() if item.type is ParameterType.PATH]
        return [Path(str(values[name])) for name in names if name in values]


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # it may be, and nobody could tell that it was written
        return True


def _written(session_dir: Path) -> set[str]:
    """What a session told that it wrote; nothing where its journal cannot be read."""
    try:
        return {event.path for event in read_events(session_dir) if isinstance(event, OutputWritten)}
    except StoreError:
        return set()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A session that could begin, and where its page goes."""

    plan: SessionPlan
    report: Path
