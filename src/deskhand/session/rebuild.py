"""Rebuilds an interrupted session from the events of its journal: events in, a record out (ADR 0119)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from deskhand.core.errors import DesktopGone
from deskhand.core.events import (
    ActionEvent,
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    CheckRun,
    ConfirmationAsked,
    ConfirmationDecided,
    DataSaved,
    DocumentOpened,
    Event,
    ModelAnswered,
    ModelAsked,
    PauseEnded,
    PhaseFinished,
    QuestionsAnswered,
    QuestionsAsked,
    RanOn,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepRemembered,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TraceStarted,
    TransitionTaken,
    VerdictGiven,
    WindowChosen,
    WindowFollowed,
)
from deskhand.core.json import JsonObject
from deskhand.core.model import StepRecord, SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.statuses import AgentStatus, Cause
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.memory import Blackboard, Memory, MemoryItem, recall, record_of, subtask_of
from deskhand.session.interrupted import (
    HOST,
    AgentRecord,
    Assignment,
    BrokenStep,
    Interrupted,
    OpenRound,
    Place,
    PreviousState,
    Spending,
)
from deskhand.states import Move

_LOST: Final = DesktopGone.__name__
_DEFECT: Final = "ReplyDefect"
_TERMINAL: Final = (AgentStatus.FINISH, AgentStatus.FAIL, AgentStatus.ERROR)
_SKIPPED: Final = frozenset({"failure", "skipped"})


def interrupted(events: Sequence[Event], session_dir: Path, history_keys: Sequence[str]) -> Interrupted | None:
    """Rebuild a session as of the last of its events; None where it has not begun."""
    replay = _Replay()
    for event in events:
        replay.take(event)
    if replay.started is None:
        return None
    return replay.result(replay.started, recall(events, session_dir, history_keys).blackboard)


@dataclass(slots=True)
class _Replay:
    """The session while its events are read."""

    started: SessionStarted | None = None
    agents: list[AgentRecord] = field(default_factory=lambda: [_new("HostAgent", None)])
    items: list[dict[int, JsonObject]] = field(default_factory=lambda: [{}])
    records: list[dict[int, StepRecord]] = field(default_factory=lambda: [{}])
    place: Place = field(default_factory=Place)
    active: int | None = None
    assignment: Assignment = field(default_factory=Assignment)
    round: OpenRound | None = None
    rounds: list[RoundFinished] = field(default_factory=list[RoundFinished])
    subtasks: list[SubtaskRecord] = field(default_factory=list[SubtaskRecord])
    broken: BrokenStep | None = None
    checks: list[CheckRun] = field(default_factory=list[CheckRun])
    documents: dict[str, DocumentOpened] = field(default_factory=dict[str, DocumentOpened])
    spending: Spending = field(default_factory=Spending)
    secrets: list[ActionEvent] = field(default_factory=list[ActionEvent])
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    ran_on: dict[str, str] = field(default_factory=dict[str, str])
    traces: list[TraceStarted] = field(default_factory=list[TraceStarted])
    held_calls: frozenset[str] = frozenset()
    asked: ModelAsked | None = None
    waits_since: float | None = None
    is_finished: bool = False
    is_desktop_lost: bool = False
    resumptions: int = 0
    since: tuple[float, float] = (0.0, 0.0)
    """The time of the segment's first event, and the seconds of work before it."""

    def take(self, event: Event) -> None:
        """Read the next event. A stop by the user, or the loss of the desktop, ends no work: it can go on."""
        if isinstance(event, TraceStarted):
            self.traces.append(event)
            return
        self._clock(event)
        self.is_desktop_lost |= _shows_loss(event)
        if self._is_after_the_work(event):
            return
        match event:
            case SessionStarted() | SessionResumed() | SessionFinished() | RanOn() | DocumentOpened():
                self._session(event)
            case ModelAsked() | ModelAnswered():
                self._model(event)
            case RoundStarted() | RoundFinished() | TransitionTaken():
                self._machine(event)
            case WindowChosen() | SubtaskAssigned() | SubtaskArchived() | WindowFollowed():
                self._subtask(event)
            case QuestionsAsked() | QuestionsAnswered() | ConfirmationAsked() | ConfirmationDecided():
                self._person(event)
            case _:
                self._step(event)

    def _session(self, event: SessionStarted | SessionResumed | SessionFinished | RanOn | DocumentOpened) -> None:
        match event:
            case SessionStarted():
                self.started, self.since, self.is_finished = event, (event.at, 0.0), False
            case SessionResumed():
                self._resumed(event)
            case SessionFinished():
                self.is_finished = event.outcome != Outcome.CANCELLED and not self.is_desktop_lost
            case RanOn():
                self.ran_on = event.facts
            case DocumentOpened():
                self.documents.setdefault(event.copy_path, event)

    def _is_after_the_work(self, event: Event) -> bool:
        """Return whether an event was written when the work had been stopped, or could not go on."""
        if isinstance(event, SessionFinished | SessionResumed):
            return False
        is_cancelled = isinstance(event, SubtaskArchived | RoundFinished) and event.outcome == Outcome.CANCELLED
        return is_cancelled or self.is_desktop_lost

    def result(self, started: SessionStarted, blackboard: Blackboard) -> Interrupted:
        """Return the session as of the last event."""
        agents = [
            replace(
                agent,
                memory=Memory([MemoryItem(dict(item)) for item in items.values()]),
                steps=tuple(records.values()),
                failed_steps=_failed_in_a_row(records.values()),
            )
            for agent, items, records in zip(self.agents, self.items, self.records, strict=True)
        ]
        return Interrupted(
            started=started,
            agents=tuple(agents),
            blackboard=blackboard,
            place=self.place,
            active=self.active,
            assignment=self.assignment,
            round=self.round,
            finished_rounds=tuple(self.rounds),
            previous_subtasks=tuple(self.subtasks),
            broken=self.broken,
            documents=tuple(self.documents.values()),
            spending=self.spending,
            secrets=tuple(self.secrets),
            ran_on=self.ran_on,
            traces=tuple(self.traces),
            is_finished=self.is_finished,
            resumptions=self.resumptions,
            lost=(f"The call of {self.asked.model} in step {self.asked.step} was not answered.",) if self.asked else (),
        )

    def _clock(self, event: Event) -> None:
        at, before = self.since
        seconds = max(self.spending.seconds, before + event.at - at)  # the clock of the machine may jump back
        step = getattr(event, "step", 0)
        if isinstance(event, TransitionTaken) and step > self.spending.steps:  # of a state without the pipeline
            self._count_step(self.place.agent, step - self.spending.steps)
        steps = max(self.spending.steps, step)
        self.spending = replace(self.spending, seconds=seconds if self.started else 0.0, steps=steps)

    def _count_step(self, number: int, more: int = 1) -> None:
        self.agents[number] = replace(self.agents[number], step=self.agents[number].step + more)

    def _resumed(self, event: SessionResumed) -> None:
        self.since = (event.at, event.seconds)
        self.spending = replace(self.spending, seconds=event.seconds)
        self.asked, self.waits_since, self.is_desktop_lost = None, None, False
        self.resumptions += 1
        if self.place.state == AgentStatus.CONFIRM and not self.place.decided:
            self.place = Place(self.place.agent, AgentStatus.CONTINUE)

    def _model(self, event: ModelAsked | ModelAnswered) -> None:
        if isinstance(event, ModelAsked):
            self.asked = event
            return
        self.asked = None
        was_read = event.error is None or event.error.type == _DEFECT
        self.spending = replace(
            self.spending,
            tokens=self.spending.tokens + event.input_tokens + event.output_tokens,
            cost_usd=self.spending.cost_usd + (event.cost_usd or 0.0),
            has_unpriced_answer=self.spending.has_unpriced_answer or (was_read and event.cost_usd is None),
        )

    def _machine(self, event: RoundStarted | RoundFinished | TransitionTaken) -> None:
        waits_for_user = self.broken is not None and self.broken.record is not None
        if not (waits_for_user and isinstance(event, TransitionTaken) and event.to == AgentStatus.CONFIRM):
            self.broken, self.held_calls = None, frozenset()
        match event:
            case RoundStarted():
                self._begin(event)
            case RoundFinished():
                self.rounds.append(event)
                self.round = None
            case TransitionTaken():
                self._move(event)

    def _begin(self, event: RoundStarted) -> None:
        self.round = OpenRound(
            event.round, event.request, self.spending.seconds, self.spending.steps, len(self.subtasks)
        )
        self.place, self.assignment = Place(), Assignment()
        self.agents = [replace(agent, fails=0) for agent in self.agents]
        self._forget(HOST)

    def _move(self, event: TransitionTaken) -> None:
        before = self.place
        machine, _, status = event.to.rpartition(":")
        taker = before.agent
        if machine:
            taker = HOST if before.agent != HOST else (HOST if self.active is None else self.active)
        move = Move(event.to, Cause(event.cause), event.trigger, event.reason)
        self.place = Place(taker, status, move, previous=PreviousState(before.agent, before.state, before.arrival))
        if event.trigger == "vanished" and self.round is not None:
            self.round = replace(self.round, fails=self.round.fails + 1)

    def _subtask(self, event: WindowChosen | SubtaskAssigned | SubtaskArchived | WindowFollowed) -> None:
        match event:
            case WindowChosen():
                window = _window(event.window, event.handle, event.application, event.pid, is_agent=event.is_agent)
                self.assignment = replace(self.assignment, window=window)
                if self.broken is not None:
                    self.broken = replace(self.broken, has_chosen=True)
            case SubtaskAssigned():
                self._assigned(event)
            case SubtaskArchived():
                self._archived(event)
            case WindowFollowed():
                self._followed(event)

    def _assigned(self, event: SubtaskAssigned) -> None:
        window = _window(event.window, event.handle, event.application, event.pid, is_agent=event.is_agent)
        known = (number for number, agent in enumerate(self.agents) if number != HOST and _is_of(agent, event))
        number = next(known, None) if event.reused else None
        if number is None:
            number = len(self.agents)
            self.agents.append(_new(event.agent, window))
            self.items.append({})
            self.records.append({})
        self.agents[number] = replace(self.agents[number], window=window, files=event.files)
        self._forget(number)
        self.active = number
        if self.round is not None:
            self.round = replace(self.round, subtask=event.subtask, message=tuple(event.message))
        if self.place.agent == HOST:
            self.place = replace(self.place, is_handled=True)
        else:  # a resumed session began the subtask anew
            self.place, self.broken = Place(number, AgentStatus.CONTINUE), None
            self.agents[number] = replace(self.agents[number], lost_until=self.spending.steps)

    def _archived(self, event: SubtaskArchived) -> None:
        self.subtasks.append(subtask_of(event))
        number = self.place.agent if self.place.agent != HOST else self.active
        if number is not None:
            fails = self.agents[number].fails + 1 if event.status == AgentStatus.FAIL else self.agents[number].fails
            self.agents[number] = replace(self.agents[number], fails=0 if event.outcome == Outcome.SUCCESS else fails)
        if self.round is not None:
            failed = event.status == AgentStatus.FAIL and event.outcome != Outcome.SUCCESS
            self.round = replace(self.round, subtask="", fails=self.round.fails + failed)
        if event.status == self.place.state in _TERMINAL:  # otherwise the round was stopped from outside
            self.place = replace(self.place, is_handled=True)

    def _followed(self, event: WindowFollowed) -> None:
        if self.place.agent == HOST and self.active is None:
            return
        number = self.place.agent or self.active or HOST
        number = next((n for n, agent in enumerate(self.agents) if _shows(agent, event)), number)
        window = self.agents[number].window
        if window is not None:
            moved = replace(window, name=event.window, handle=event.handle, pid=event.pid or window.pid)
            self.agents[number] = replace(self.agents[number], window=moved)

    def _forget(self, number: int) -> None:
        """Clear the data of an agent's last subtask; its memory stays."""
        self.agents[number] = replace(
            self.agents[number], plan=(), result="", summary="", questions=(), was_asked=False
        )
        self.records[number] = {}

    def _person(self, event: QuestionsAsked | QuestionsAnswered | ConfirmationAsked | ConfirmationDecided) -> None:
        match event:
            case QuestionsAsked() | ConfirmationAsked():
                self.waits_since = event.at
            case QuestionsAnswered() | ConfirmationDecided():
                since, self.waits_since = self.waits_since, None
                waited_s = 0.0 if since is None else max(0.0, event.at - since)
                self.spending = replace(self.spending, waited_s=self.spending.waited_s + waited_s)
        if isinstance(event, ConfirmationAsked):
            self.place = replace(self.place, asked="; ".join(event.facts))
        if isinstance(event, ConfirmationDecided) and event.decision in {"rejected", "timeout"}:
            self.place = replace(self.place, decided=event.decision)
            if event.decision == "rejected" and self.round is not None:
                rejected = {self.fingerprints[call] for call in self.held_calls if self.fingerprints.get(call)}
                self.round = replace(self.round, rejected=self.round.rejected | rejected)

    def _step(self, event: Event) -> None:
        match event:
            case StepStarted():
                self.broken, self.checks = BrokenStep(event.step, self.place.agent), []
                self._count_step(self.place.agent)
            case ReplyAccepted():
                self._replied(event)
            case VerdictGiven() | ActionIntended() | ActionFinished():
                self._action(event)
            case CheckRun():
                self.checks.append(event)
            case DataSaved() if self.broken is not None:
                self.broken = replace(self.broken, saved=self.broken.saved | {event.name})
            case ActionsHeld():
                self.held_calls = frozenset(event.call_ids)
                self.agents[self.place.agent] = replace(self.agents[self.place.agent], was_asked=True)
            case StepRemembered():
                self._remembered(event)
            case PauseEnded():  # waiting for a user at the desktop
                self.spending = replace(self.spending, waited_s=self.spending.waited_s + event.seconds)
            case _:
                pass

    def _replied(self, event: ReplyAccepted) -> None:
        number = self.place.agent
        told = {"plan": tuple(event.plan), "result": event.result, "questions": tuple(event.questions)}
        self.agents[number] = replace(self.agents[number], **told)
        if self.broken is not None:
            self.broken = replace(self.broken, reply=event)
        if number == HOST and event.subtask:
            self.assignment = Assignment(
                self.assignment.window, event.subtask, tuple(event.message), is_last=event.last
            )
        elif number == HOST:
            self.assignment = replace(self.assignment, is_last=False)

    def _action(self, event: VerdictGiven | ActionIntended | ActionFinished) -> None:
        if event.is_secret and not isinstance(event, ActionFinished):
            self.secrets.append(event)
        if isinstance(event, VerdictGiven):
            self.fingerprints[event.call_id] = event.fingerprint
        broken = self.broken
        if broken is None:
            return
        if isinstance(event, ActionIntended):
            self.broken = replace(broken, unfinished=event)
        elif isinstance(event, ActionFinished):
            checks, self.checks = tuple(self.checks), []
            self.broken = replace(
                broken, finished=(*broken.finished, event), checks=(*broken.checks, checks), unfinished=None
            )
            if event.tool == "launch_application" and event.status == "success":
                self._launched(event)
            if event.tool == "summary" and event.status not in _SKIPPED:
                text = str(event.arguments.get("text", ""))
                self.agents[broken.agent] = replace(self.agents[broken.agent], summary=text)
        elif event.call_id not in broken.planned:
            self.broken = replace(broken, planned=(*broken.planned, event.call_id))

    def _launched(self, event: ActionFinished) -> None:
        """Take the window of a launched application for the chosen one."""
        told = event.result if isinstance(event.result, dict) else {}
        name, handle, application = (str(told.get(key, "")) for key in ("window", "handle", "application"))
        pid = told.get("pid")
        window = _window(name, handle, application, pid if isinstance(pid, int) else None, is_agent=False)
        self.assignment = replace(self.assignment, window=window)
        if self.broken is not None:
            self.broken = replace(self.broken, has_chosen=True)

    def _remembered(self, event: StepRemembered) -> None:
        number = self.broken.agent if self.broken is not None else self.place.agent
        self.items[number][event.step] = event.item
        record = record_of(event)
        if event.step in self.records[number] or self.broken is not None:
            self.records[number][event.step] = record
        self.place = replace(self.place, verdict=event.verdict)
        asks_user = event.verdict is not None and event.verdict.status == AgentStatus.CONFIRM
        self.broken = BrokenStep(event.step, number, item=event.item, record=record) if asks_user else None


def _shows_loss(event: Event) -> bool:
    """Return whether an event reports that the desktop is gone. The action that it ended may have happened."""
    match event:
        case ActionFinished() | PhaseFinished() | SessionFinished():
            return event.error is not None and event.error.type == _LOST
        case TransitionTaken(trigger="raised", reason=reason):
            return reason.startswith(f"{_LOST}: ")
        case _:
            return False


def _new(name: str, window: TargetInfo | None) -> AgentRecord:
    return AgentRecord(name, window, Memory(), ())


def _window(name: str, handle: str, application: str, pid: int | None, *, is_agent: bool) -> TargetInfo:
    kind, role = (TargetKind.THIRD_PARTY_AGENT, Role.APPLICATION) if is_agent else (TargetKind.WINDOW, Role.WINDOW)
    return TargetInfo(kind, name, role, handle=handle, application=application, pid=pid)


def _is_of(agent: AgentRecord, event: SubtaskAssigned) -> bool:
    return agent.name == event.agent and agent.window is not None and agent.window.handle == event.handle


def _shows(agent: AgentRecord, event: WindowFollowed) -> bool:
    return agent.name == event.agent and agent.window is not None and agent.window.name == event.closed


def _failed_in_a_row(records: Iterable[StepRecord]) -> int:
    """Return the number of the last steps that failed."""
    failed = 0
    for record in records:
        failed = failed + 1 if record.problem else 0
    return failed
