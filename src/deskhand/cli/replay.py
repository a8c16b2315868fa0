"""`deskhand replay`: carry out the decisions of a recorded session again, without a model (ADR 0124)."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.console import print_note
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.detail_choice import QuietOption, VerboseOption, chosen_detail, session_progress
from deskhand.cli.interactor_choice import AskOption, ConfirmOption, interactor_for
from deskhand.cli.model_choice import chosen_healer
from deskhand.cli.preflight import LOG_NAME, clear_folder, is_within, readable_file
from deskhand.cli.recorded_settings import configuration_of, sources_of
from deskhand.cli.run_options import Preparation
from deskhand.cli.session_argument import SessionArgument
from deskhand.cli.session_run import carry_out
from deskhand.commands.mcp_client import tool_servers
from deskhand.config.secrets import model_keys
from deskhand.core.context import RunMode
from deskhand.core.errors import UsageError
from deskhand.core.events import DocumentOpened, SessionOptions, SessionStarted
from deskhand.core.file_stamp import digest_of
from deskhand.desktop.backends import VIRTUAL, own_desktop
from deskhand.models.steps import ParameterType, Playbook
from deskhand.notify import notifications
from deskhand.report.playbook import Export, exported
from deskhand.session.build import SessionPlan, new_session_id
from deskhand.session.opened_files import working_folder
from deskhand.session.session_folders import find_session, sessions_folder
from deskhand.store.atomic_files import make_folder, store_error, write_atomic
from deskhand.store.journal import read_events

BOOK_NAME: Final = "playbook.yaml"
_LAUNCH: Final = "launch_application"


def add_to(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(  # noqa: PLR0913, PLR0917 - one parameter per option
    session: SessionArgument,
    param: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Another value than the recorded one.")
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Open this file in the place of the session's.")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Open the files themselves, not copies.")] = False,
    desktop: Annotated[str, typer.Option(metavar="virtual|:N|NAME", help="Desktop to work on.")] = "",
    heal: Annotated[str, typer.Option(metavar="MODEL", help="Language model for steps that no longer fit.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for the report and the log.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files that the replay writes.")] = False,
    ask: AskOption = "",
    confirm: ConfirmOption = "",
    max_step: Annotated[int | None, typer.Option(help="Limit of steps of all agents.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Limit of working time, in seconds.")] = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Carry out the decisions of a session that succeeded again, in a new session and without a model.

    Data is read anew where the session read it. A step that does not fit any more ends the replay, unless --heal has a
    model for it.
    """
    desktop = desktop or own_desktop() or VIRTUAL
    detail = chosen_detail(quiet=quiet, verbose=verbose)
    recorded = _Recorded.of(find_session(session).absolute())
    asking = interactor_for(ask, confirm)
    sources = sources_of(recorded.options, {})
    changes = {
        "ask_question": asking.ask_question,
        "mode": RunMode.NORMAL.value,
        "max_step": max_step,
        "max_seconds": max_seconds,
    }
    configuration = configuration_of(recorded.options, sources, changes)
    variables = model_keys(sources, configuration.models)
    session_id = new_session_id()
    place = _Place.of(out, session_id)
    if place.root == recorded.root:
        raise UsageError(f"{place.root} has the session that is replayed", fix="give another folder with --out")
    book = replace(recorded.export.playbook, source=str(place.book))
    recorded.check_desktop(desktop, book)
    files = tuple(recorded.files(file or []))
    preparation = Preparation(
        model_source=book,
        parameters=tuple(recorded.parameters(book, param or [], place)),
        table="",
        files=files,
        applications=tuple(recorded.options.applications),
        opens_with=recorded.options.opens_with,
        in_place=in_place,
        desktop=desktop,
        configuration=configuration,
        interactor=asking.interactor,
        servers=tool_servers(configuration.mcp, variables),
        notifications=notifications(configuration.notify, variables, os.environ),
        playbook=place.book,
        config=sources.config_file,
        healer=chosen_healer(heal, sources, configuration),
    )
    preparation.check_machine()
    prepared = preparation.session(
        recorded.options.requests, out and out.absolute(), base=Path.cwd(), session_id=session_id
    )
    written = [Path(prepared.plan.parameters[name]) for name in sorted(recorded.export.written)]
    _check_written(written, recorded, prepared.plan, force=force)
    _clear(place, written, files, force=force)
    plan = _with_book(prepared.plan, recorded, place, written)
    plan = replace(plan, listeners=(session_progress(detail, configuration.models),))
    return carry_out(plan, prepared.report, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Place:
    """Folders of the new session: `root` has the report and the playbook, `log` the journal."""

    root: Path
    log: Path
    has_folder: bool

    @classmethod
    def of(cls, out: Path | None, session_id: str) -> "_Place":
        if out is None:
            folder = sessions_folder() / session_id
            return cls(folder, folder, has_folder=False)
        return cls(out.absolute(), out.absolute() / LOG_NAME, has_folder=True)

    @property
    def book(self) -> Path:
        return self.root / BOOK_NAME


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The session that is repeated, its playbook, and the documents that it opened."""

    folder: Path
    started: SessionStarted
    options: SessionOptions
    export: Export
    opened: Sequence[DocumentOpened]

    @classmethod
    def of(cls, folder: Path) -> "_Recorded":
        """Raises: StoreError (no journal, or a damaged one), UsageError (nothing that can be repeated)."""
        events = list(read_events(folder))
        started = next((event for event in events if isinstance(event, SessionStarted)), None)
        export = exported(folder, folder.parent.name if folder.name == LOG_NAME else folder.name)
        if started is None or started.options is None:
            raise UsageError(
                f"the journal in {folder} does not name the files and applications that its session began with",
                fix=f"deskhand playbook export {folder} -o again.yaml; then deskhand run with --playbook again.yaml",
            )
        if export.pointed:
            raise UsageError(
                f"the session in {folder} pointed at places of its pictures ({export.pointed[0]}): "
                "a fresh desktop may show something else there",
                fix="run its request again",
            )
        opened = [event for event in events if isinstance(event, DocumentOpened)]
        return cls(folder, started, started.options, export, opened)

    @property
    def root(self) -> Path:
        """The folder that was given with `--out`; otherwise the session's own."""
        return self.folder.parent if self.folder.name == LOG_NAME else self.folder

    def check_desktop(self, desktop: str, book: Playbook) -> None:
        """Raises: UsageError if the session worked in windows that a private desktop does not have."""
        begins = (*self.options.files, self.options.object, *self.options.applications)
        opens = any(begins) or any(step.tool == _LAUNCH for step in book.host)
        if desktop == VIRTUAL and not opens:
            raise UsageError(
                f"the session worked in windows that were open on {self.started.desktop} before it began",
                fix="open them on a desktop, and name it with --desktop",
            )

    def files(self, given: Sequence[str]) -> Iterator[Path]:
        """The files to open: those given in the place of the recorded ones, in their order.

        Raises: UsageError if one is missing. A recorded one with other content is reported.
        """
        recorded = [*self.options.files, *([self.options.object] if self.options.object else [])]
        if given and len(given) != len(recorded):
            names = ", ".join(recorded) or "none"
            raise UsageError(
                f"the session opened {len(recorded)} files, and --file is given {len(given)} times",
                fix=f"give --file for each of them, in this order: {names}" if recorded else "leave --file out",
            )
        for path in given:
            yield readable_file(Path(path), folders=True)
        digests = {event.path: event.digest for event in self.opened}
        for path in () if given else recorded:
            if not Path(path).exists():
                raise UsageError(
                    f"the document {path} of the session is gone",
                    fix="put it back there, or give another one with --file PATH",
                )
            file = readable_file(Path(path), folders=True)
            if digests.get(path) and digest_of(file) != digests[path]:
                print_note(f"{path} has other content than in the session: its data is read anew")
            yield file

    def parameters(self, book: Playbook, given: Sequence[str], place: _Place) -> Iterator[str]:
        """The parameters as given, and each path: one in the session's own folder becomes one in the new folder."""
        yield from given
        names = {entry.partition("=")[0] for entry in given}
        for name, parameter in book.parameters.items():
            if parameter.type is ParameterType.PATH and name not in names and parameter.default is not None:
                yield f"{name}={self._moved(Path(str(parameter.default)), place, written=name in self.export.written)}"

    def _moved(self, path: Path, place: _Place, *, written: bool) -> Path:
        copies = working_folder(self.folder, (), in_place=False)
        if path.is_relative_to(copies):
            return working_folder(place.log, (), in_place=False) / path.relative_to(copies)
        if written and path.is_relative_to(self.root):
            return place.root / path.relative_to(self.root)
        return path


def _check_written(written: Sequence[Path], recorded: _Recorded, plan: SessionPlan, *, force: bool) -> None:
    """Raises: UsageError if a path to be written is one of the documents, or exists and may not be replaced."""
    names = {value: name for name, value in plan.parameters.items() if name in recorded.export.written}
    for path in written:
        fix = f"give another path with --param {names[str(path)]}=PATH"
        if path.is_dir():
            raise UsageError(f"{path} is a folder", fix=fix)
        if any(is_within(path, file) for file in plan.files):
            raise UsageError(f"{path} is to be written, and is a document that the replay opens", fix=fix)
        if path.exists() and not force:
            raise UsageError(f"{path} exists already", fix=f"{fix}, or --force to replace it")


def _clear(place: _Place, written: Sequence[Path], inputs: Sequence[Path], *, force: bool) -> None:
    """Make room for the new session, and for the files that it writes. Raises: UsageError, StoreError."""
    if place.has_folder:
        clear_folder(place.root, (place.book, *written), inputs=inputs, force=force)
        return
    for path in written:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise store_error("remove", path, error) from error


def _with_book(plan: SessionPlan, recorded: _Recorded, place: _Place, written: Sequence[Path]) -> SessionPlan:
    """Write the playbook into the new session's folder, and note what it repeats. Raises: StoreError."""
    make_folder(place.root, private=not place.has_folder)
    write_atomic(place.book, recorded.export.text.encode(), doing="write the playbook")
    noted = {"replays": recorded.started.session_id, "digest": digest_of(place.book) or ""}
    if recorded.options.folder:
        noted["folder"] = recorded.options.folder
    return replace(plan, options=plan.options.model_copy(update=noted), outputs=tuple(written))
