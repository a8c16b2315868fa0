"""What the sessions of `deskhand run` are made of: the options, checked and put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskhand import __version__
from deskhand.cli.before import check_machine
from deskhand.cli.deciding import Deciders, LanguageModels
from deskhand.cli.tables import table_selector
from deskhand.commands.foreign import ToolServer
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.ports import Interactor
from deskhand.desktop.base import Application
from deskhand.models.playbook import PlaybookModel
from deskhand.models.steps import ParameterType, Playbook
from deskhand.session.applications import application_for, application_registry
from deskhand.session.build import SessionPlan, new_session_id, sessions_folder
from deskhand.session.desktops import VIRTUAL


@dataclass(frozen=True, slots=True)
class Preparation:
    """What the options say, alike for every session of one command. `parameters` are NAME=VALUE."""

    decides: Playbook | LanguageModels
    parameters: tuple[str, ...]
    table: str
    files: tuple[Path, ...]
    applications: tuple[str, ...]
    in_place: bool
    desktop: str
    configuration: Configuration
    interactor: Interactor
    servers: tuple[ToolServer, ...] = ()

    def check_machine(self, *objects: Path) -> None:
        """Raises: UsageError (a file or name that nothing answers to), MissingRequirement."""
        needed = self._needed(objects)
        if self.desktop == VIRTUAL:
            check_machine(office=any(application.argv[0] == "soffice" for application in needed))

    def session(self, requests: Sequence[str], out: Path | None, *, base: Path) -> "Prepared":
        """One session, and where its page goes. Parameters that are relative paths are those of `base`.

        `out`: None: with the other sessions of this user. Raises: UsageError.
        """
        values = self._values(base)
        session_id = new_session_id()
        session_dir = sessions_folder() / session_id if out is None else out / "log"
        report = (session_dir if out is None else out) / "report.html"
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
            desktop=self.desktop,
            interactor=self.interactor,
            servers=self.servers,
            outputs=tuple(path for path in self._paths(values) if not path.exists()),
            parameters={name: str(value) for name, value in values.items()},
            version=__version__,
        )
        return Prepared(plan, report)

    def outputs_in(self, folder: Path) -> tuple[Path, ...]:
        """The files below a folder that the playbook is told of."""
        return tuple(path for path in self._paths(self._values(folder)) if path.is_relative_to(folder))

    def _deciders(self, values: Mapping[str, object]) -> Deciders:
        if isinstance(self.decides, LanguageModels):
            return self.decides.make()
        model = PlaybookModel(self.decides, values)
        return Deciders(host=model, app=model)

    def _needed(self, objects: Sequence[Path]) -> list[Application]:
        registry = application_registry(self.configuration.applications)
        unknown = [name for name in self.applications if name not in registry]
        if unknown:
            raise UsageError(f"there is no application {unknown[0]!r}", fix=f"known: {', '.join(sorted(registry))}")
        files = [application_for(path, registry) for path in (*self.files, *objects)]
        return files + [registry[name] for name in self.applications]

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
            values[name] = str(base.absolute() / value) if is_path else value
        if self.table:
            values["table"] = table_selector(self.table)
        return values

    def _paths(self, values: Mapping[str, object]) -> list[Path]:
        if isinstance(self.decides, LanguageModels):
            return []
        names = [name for name, item in self.decides.parameters.items() if item.type is ParameterType.PATH]
        return [Path(str(values[name])) for name in names if name in values]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A session that could begin, and where its page goes."""

    plan: SessionPlan
    report: Path
