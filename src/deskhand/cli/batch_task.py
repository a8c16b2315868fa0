"""One task of a batch as a session, begun anew or continued where its process ended."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from deskhand.cli.preflight import LOG_NAME, REPORT_NAME, clear_folder, readable_file
from deskhand.cli.run_options import Preparation, Prepared
from deskhand.cli.session_run import conclude
from deskhand.cli.table_choice import explain
from deskhand.cli.work import Work
from deskhand.core.errors import UsageError
from deskhand.core.ports import EventSink
from deskhand.report.html import write_report
from deskhand.report.summary import CUT_OFF, SessionSummary, summarise
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.plan_file import Task
from deskhand.session.resume import resume_session, to_resume
from deskhand.session.round import Ending
from deskhand.session.running_sessions import announced
from deskhand.store.atomic_files import store_error
from deskhand.store.journal import JOURNAL_NAME

Run: TypeAlias = Callable[[SessionPlan], Awaitable[Ending]]


@dataclass(frozen=True, slots=True)
class TaskSession:
    """The session of a task in its folder. `again`: earlier results may be replaced."""

    preparation: Preparation
    task: Task
    folder: Path
    again: bool

    def prepared(self, listeners: Sequence[EventSink]) -> Prepared:
        """A new session; that of an earlier run is replaced. Raises: UsageError, StoreError if it cannot begin."""
        about = self._object()
        if about is not None:
            self.preparation.check_machine(about)
        self.make_room()
        return self._planned(listeners)

    def ended(self) -> SessionSummary | None:
        """The summary of the session if it recorded its end; its report is written. Raises: StoreError."""
        log = self.folder / LOG_NAME
        if not (log / JOURNAL_NAME).is_file():
            return None
        summary = summarise(log)
        if summary.error is not None and summary.error.type == CUT_OFF:
            return None
        report = write_report(log, self.folder / REPORT_NAME)
        return summary.model_copy(update={"report": str(report)})

    def to_continue(self, listeners: Sequence[EventSink]) -> tuple[Prepared, Run]:
        """The session that was cut off, to be resumed, or a new one if it had not begun. Raises: as `prepared`."""
        log = self.folder / LOG_NAME
        try:
            known, _ = to_resume(log)
        except UsageError:
            return self.prepared(listeners), run_session
        prepared = self._planned(listeners)
        plan = replace(prepared.plan, session_id=known.started.session_id)
        return replace(prepared, plan=plan), resume_session

    def announced(self, plan: SessionPlan) -> AbstractContextManager[None]:
        """Register the session among the running ones."""
        return announced(f"task {self.task.id} of a batch", plan.session_id, plan.desktop, folder=plan.session_dir)

    def concluded(self, prepared: Prepared, work: Work[Ending]) -> SessionSummary:
        """The summary of a session that has ended; its report is written."""
        summary, _ = conclude(work, prepared.plan, prepared.report, partial(explain, self.preparation.table))
        return summary

    def inputs(self) -> tuple[Path, ...]:
        """Files that the session reads, and those it may write. Raises: UsageError."""
        about = self._object()
        return (*self.preparation.input_files(self.folder), *([about] if about else []))

    def make_room(self) -> None:
        """Remove the files of an earlier run. Raises: UsageError, StoreError."""
        preparation, folder = self.preparation, self.folder
        force = self.again or (folder / LOG_NAME / JOURNAL_NAME).exists()  # of an earlier run: replaced unasked
        try:
            clear_folder(folder, preparation.earlier_outputs(folder), inputs=self.inputs(), force=force)
        except OSError as error:
            raise store_error("prepare", folder, error) from error

    def moved(self, places: Mapping[str, Path], folder: Path) -> "TaskSession":
        """The same session elsewhere, in another folder: its files are at `places`, by their paths here."""
        about = self.task.object
        task = self.task.model_copy(update={"object": str(places.get(about, about))}) if about else self.task
        return replace(self, preparation=self.preparation.moved(places), task=task, folder=folder)

    def _planned(self, listeners: Sequence[EventSink]) -> Prepared:
        prepared = self.preparation.session([self.task.task], self.folder, base=self.folder)
        plan = replace(prepared.plan, object=self._object(), close_object=self.task.close, listeners=tuple(listeners))
        return replace(prepared, plan=plan)

    def _object(self) -> Path | None:
        if not self.task.object:
            return None
        return readable_file(Path(self.task.object), option="object", folders=True)
