"""Tasks of a batch on the nodes of a Ray cluster; questions, results and the outcome are those of the command.

A task is never run again once it may have had effects: where its node is lost then, its outcome is `error`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from deskhand.cli.batch_process import Answer, SharedUser, TaskProcesses, Watching
from deskhand.cli.batch_task import TaskSession
from deskhand.cli.preflight import LOG_NAME, REPORT_NAME, is_within
from deskhand.cli.run_options import Preparation
from deskhand.core.errors import DeskhandError, ErrorInfo, UsageError
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.fleet.contents import Input
from deskhand.fleet.fleet import BY_USER, Done, Fleet, Lost
from deskhand.fleet.folder_copy import FolderCopy
from deskhand.fleet.node import INPUTS_NAME
from deskhand.fleet.work import Place, Reports
from deskhand.report.html import write_report
from deskhand.report.summary import SessionSummary, summarise
from deskhand.session.applications import Opening, applications
from deskhand.session.batch import Batch
from deskhand.session.clock import SystemClock
from deskhand.session.interactors import AutoInteractor
from deskhand.session.plan_file import Task
from deskhand.session.round import Ending
from deskhand.store.atomic_files import make_folder

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class _Step:
    number: int
    told: str


@dataclass(frozen=True, slots=True)
class _Remark:
    told: str


@dataclass(frozen=True, slots=True)
class _Question:
    agent: str = ""
    questions: tuple[str, ...] = ()
    confirmation: ConfirmationRequest | None = None


@dataclass(frozen=True, slots=True)
class TaskWork:
    """The session of a task on a node, in a process of its own there; implements `fleet.work.Work`."""

    session: TaskSession
    reaches_person: bool

    async def carry_out(self, place: Place, reports: Reports) -> Ending:
        """The ending of the session, after its summary as a message."""
        user = _DistantUser(reports, self.reaches_person)
        session = self.session.moved(place.inputs, place.folder)
        preparation = replace(session.preparation, interactor=user)
        processes = TaskProcesses(preparation, again=False, watching=_Watched(reports), may_act=reports.may_act)
        try:
            return await processes.carry_out(session.task, place.folder)
        finally:
            if summary := processes.summaries.get(session.task.id):
                reports.tell(summary)


@dataclass(frozen=True, slots=True)
class _DistantUser:
    """The user at the command; implements `core.ports.Interactor`."""

    reports: Reports
    reaches_person: bool

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        answer = await self.reports.ask(_Question(agent, tuple(questions)))
        return answer if isinstance(answer, Answers) else Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        answer = await self.reports.ask(_Question(confirmation=request))
        return answer if isinstance(answer, bool) else None


@dataclass(frozen=True, slots=True)
class _Watched:
    """Sends the progress to the command; implements `Watching`."""

    reports: Reports

    def began(self, task: Task) -> None:
        pass  # the command knows

    def stepped(self, task: Task, step: int, told: str) -> None:  # noqa: ARG002 - it is the only task
        self.reports.tell(_Step(step, told))

    def remarked(self, task: Task, told: str) -> None:  # noqa: ARG002
        self.reports.tell(_Remark(told))

    def ended(self, task: Task, outcome: Outcome, reason: str) -> None:
        pass  # the result

    def asking(self, task: Task) -> None:
        pass  # the user is asked at the command

    def asked(self) -> None:
        pass


@dataclass(slots=True)
class FleetTasks:
    """Runs each task on a node and collects the summaries by the ids of the tasks."""

    fleet: Fleet
    preparation: Preparation
    again: bool
    watching: Watching
    summaries: dict[str, SessionSummary] = field(default_factory=dict[str, SessionSummary])
    _user: SharedUser = field(init=False)

    def __post_init__(self) -> None:
        self._user = SharedUser(self.preparation.interactor, self.watching)

    async def carry_out(self, task: Task, folder: Path) -> Ending:
        """Run one task; on cancellation its session is concluded first."""
        ending = Ending(Outcome.CANCELLED, "")
        try:
            ending = await self._ending(task, folder)
        except DeskhandError as error:
            ending = Ending(Outcome.ERROR, error.message)
        finally:
            self.watching.ended(task, ending.outcome, ending.reason)
        return ending

    async def _ending(self, task: Task, folder: Path) -> Ending:
        preparation = self.preparation
        preparation = replace(preparation, playbook=preparation.playbook and preparation.playbook.absolute())
        session = TaskSession(preparation, task, folder, self.again)
        inputs = self.fleet.shipment.inputs([path for path in session.inputs() if path.exists()], folder)
        sent = replace(session, preparation=replace(preparation, interactor=AutoInteractor()))
        work = TaskWork(sent, self.preparation.interactor.reaches_person)
        lost = Lost("", acted=False, reason="")
        for attempt in range(_ATTEMPTS):
            session.make_room()
            make_folder(folder)
            follower = _Follower(self, task)
            copy = FolderCopy(folder, LOG_NAME, SystemClock())
            try:
                end = await self.fleet.run(f"{task.id}-{attempt}", work, inputs, copy, follower)
            finally:
                copy.close()
                if follower.summary is not None:
                    self.summaries[task.id] = _here(follower.summary, _places_here(follower.root, folder, inputs))
            if isinstance(end, Done):
                return _ending(end, folder)
            lost = end
            if lost.acted:
                return self._unknown(lost, follower, task, folder)
            self.watching.remarked(task, f"its node {lost.address} was lost before it acted ({lost.reason})")
        return Ending(Outcome.ERROR, f"its node was lost before it acted, {_ATTEMPTS} times: {lost.reason}")

    def _unknown(self, lost: Lost, follower: "_Follower", task: Task, folder: Path) -> Ending:
        """The ending of a task whose node was lost when it may have acted; the report shows what came here."""
        step = f"after step {follower.step}" if follower.step else "at its first action"
        reason = f"its node {lost.address} was lost {step}; what the last action did is unknown"
        summary = summarise(folder / LOG_NAME)
        report = write_report(folder / LOG_NAME, folder / REPORT_NAME)
        self.summaries[task.id] = summary.model_copy(
            update={"outcome": Outcome.ERROR.value, "reason": reason, "report": str(report)}
        )
        return Ending(Outcome.ERROR, reason)

    async def answer(self, task: Task, question: object) -> Answer:
        """Ask the user."""
        if not isinstance(question, _Question):
            return None
        return await self._user.answer(task, question.agent, question.questions, question.confirmation)


@dataclass(slots=True)
class _Follower:
    """The command's side of one task; implements `fleet.task_run.Follower`."""

    tasks: FleetTasks
    task: Task
    step: int = 0
    root: str = ""
    summary: SessionSummary | None = None

    def began(self, folder: str) -> None:
        self.root = folder
        self.tasks.watching.began(self.task)

    def told(self, message: object) -> None:
        match message:
            case _Step():
                self.step = message.number
                self.tasks.watching.stepped(self.task, message.number, message.told)
            case _Remark():
                self.tasks.watching.remarked(self.task, message.told)
            case SessionSummary():
                self.summary = message
            case _:
                pass

    async def answer(self, question: object) -> object:
        return await self.tasks.answer(self.task, question)


def _ending(end: Done, folder: Path) -> Ending:
    match end.result:
        case Ending() as ending:
            return replace(ending, reason=ending.reason.replace(end.folder, str(folder)))
        case ErrorInfo() as error:
            return Ending(Outcome.ERROR, error.message.replace(end.folder, str(folder)))
        case _:
            outcome = Outcome.CANCELLED if end.cancelled == BY_USER else Outcome.ERROR
            return Ending(outcome, end.cancelled or "its node had not heard of the command for a while")


def _places_here(root: str, folder: Path, inputs: Sequence[Input]) -> dict[str, str]:
    """The paths of a task on its node, and those of the same files here."""
    beside = Path(root).parent / INPUTS_NAME
    return {**{str(beside / item.name): item.path for item in inputs if not item.in_folder}, root: str(folder)}


def _here(summary: SessionSummary, places: Mapping[str, str]) -> SessionSummary:
    """A summary with the paths of this machine instead of those of the node."""
    text = summary.model_dump_json()
    for there, here in places.items():
        text = text.replace(_in_json(there), _in_json(here))
    return SessionSummary.model_validate_json(text)


def _in_json(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)[1:-1]


def check_distant(preparation: Preparation, batch: Batch) -> None:
    """Raises: UsageError where a task would write a file that its node alone would have."""
    if preparation.in_place:
        raise UsageError("--in-place would change copies on the nodes", fix="leave --in-place or --ray out")
    if not batch.left:
        return
    folder = batch.folder / batch.left[0].id
    outside = [path for path in preparation.paths(folder) if not path.exists() and not is_within(path, folder)]
    if outside:
        raise UsageError(
            f"{outside[0]} would be written on a node and not here",
            fix="give a relative path, which is in the folder of each task",
        )


def needs_office(preparation: Preparation, tasks: Sequence[Task]) -> bool:
    """True if a task opens LibreOffice, or that cannot be seen here because this machine lacks the application."""
    known = applications(preparation.configuration.applications)
    objects = dict.fromkeys(Path(task.object) for task in tasks if task.object)
    files = [*preparation.files, *(path for path in objects if path.exists())]
    try:
        opening = Opening.of(files, preparation.applications, preparation.opens_with, known)
    except UsageError:
        return True
    return any(each.application.argv[0] == "soffice" for each in opening.all)
