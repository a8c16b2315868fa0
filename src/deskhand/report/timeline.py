"""A session's events grouped for a reader: steps, and the events between them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from deskhand.core.events import (
    SCRIPT,
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    AnsweredFrom,
    CheckRun,
    ConfirmationAsked,
    ConfirmationDecided,
    ControlsListed,
    DataSaved,
    DocumentLeft,
    DocumentOpened,
    Event,
    EventArrived,
    FilesWritten,
    HandedBack,
    ImageKept,
    JournalMigrated,
    KnowledgeRetrieved,
    ModelAnswered,
    ModelAsked,
    ObservationTaken,
    OutputWritten,
    PauseBegan,
    PauseEnded,
    PhaseFinished,
    PictureSaved,
    PlaybookHealed,
    ProblemMet,
    QuestionsAnswered,
    QuestionsAsked,
    RanOn,
    ReplyAccepted,
    RoundEvaluated,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepFinished,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TakenOver,
    TargetData,
    TraceStarted,
    TransitionTaken,
    VerdictGiven,
    WindowChosen,
    WindowFollowed,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.statuses import AgentStatus

Note: TypeAlias = (
    ActionsHeld
    | QuestionsAsked
    | QuestionsAnswered
    | EventArrived
    | ConfirmationAsked
    | ConfirmationDecided
    | DataSaved
    | ImageKept
    | CheckRun
    | ControlsListed
    | KnowledgeRetrieved
    | WindowFollowed
)
Between: TypeAlias = (
    RoundStarted
    | RoundFinished
    | TransitionTaken
    | SubtaskAssigned
    | SubtaskArchived
    | ProblemMet
    | PauseBegan
    | PauseEnded
    | TakenOver
    | HandedBack
    | AnsweredFrom
    | SessionResumed
)


@dataclass(slots=True)
class Action:
    """One action from verdict to result; `finished` None with `intended` set: it is unknown if it happened."""

    tool: str
    verdict: VerdictGiven | None = None
    intended: ActionIntended | None = None
    finished: ActionFinished | None = None

    @property
    def arguments(self) -> JsonObject:
        if self.intended is not None:
            return self.intended.arguments
        return self.finished.arguments if self.finished else {}

    @property
    def target(self) -> TargetData | None:
        if self.finished is not None and self.finished.target is not None:
            return self.finished.target
        return self.intended.target if self.intended else None

    @property
    def telling_arguments(self) -> JsonObject:
        """Arguments without those that repeat the target or were left out; an empty text is listed, as it clears."""
        target = self.target
        said: JsonObject = {"id": target.id, "name": target.name} if target else {}
        empty = {name for name, value in self.arguments.items() if value in ("", None) and name != "text"}
        return {
            name: value
            for name, value in self.arguments.items()
            if name not in empty and (name not in said or value != said[name])
        }

    @property
    def unknown(self) -> bool:
        return self.intended is not None and self.finished is None


@dataclass(slots=True)
class Step:
    """One pass of an agent through its pipeline; parts that were not reached are empty."""

    kind: ClassVar[str] = "step"
    started: StepStarted
    observation: ObservationTaken | None = None
    reply: ReplyAccepted | None = None
    finished: StepFinished | None = None
    calls: list[ModelAnswered] = field(default_factory=list[ModelAnswered])
    actions: dict[str, Action] = field(default_factory=dict[str, Action])
    pictures: list[PictureSaved] = field(default_factory=list[PictureSaved])
    phases: list[PhaseFinished] = field(default_factory=list[PhaseFinished])
    notes: list[Note] = field(default_factory=list[Note])

    @property
    def number(self) -> int:
        return self.started.step

    @property
    def phase_seconds(self) -> dict[str, float]:
        if self.finished and self.finished.phase_seconds:
            return self.finished.phase_seconds
        return {phase.phase: phase.seconds for phase in self.phases}

    @property
    def checks(self) -> list[CheckRun]:
        return [note for note in self.notes if isinstance(note, CheckRun)]

    @property
    def seconds(self) -> float:
        return self.finished.seconds if self.finished else sum(self.phase_seconds.values())

    def returned(self, data: JsonValue) -> bool:
        """True if an action of this step returned these data."""
        return any(action.finished is not None and action.finished.result == data for action in self.actions.values())

    def take(self, event: Event) -> None:
        """Add an event of this step."""
        match event:
            case VerdictGiven() | ActionIntended() | ActionFinished():
                self._take_action(event)
            case ObservationTaken():
                self.observation = event
            case ReplyAccepted():
                self.reply = event
            case StepFinished():
                self.finished = event
            case ModelAnswered():
                self.calls.append(event)
            case PhaseFinished():
                self.phases.append(event)
            case PictureSaved():
                self.pictures.append(event)
            case _:
                self._take_note(event)

    def _take_action(self, event: VerdictGiven | ActionIntended | ActionFinished) -> None:
        action = self.actions.setdefault(event.call_id, Action(tool=event.tool))
        match event:
            case VerdictGiven():
                action.verdict = event
            case ActionIntended():
                action.intended = event
            case ActionFinished():
                action.finished = event

    def _take_note(self, event: Event) -> None:
        match event:
            case (
                ActionsHeld()
                | QuestionsAsked()
                | QuestionsAnswered()
                | EventArrived()
                | ConfirmationAsked()
                | ConfirmationDecided()
                | DataSaved()
                | ImageKept()
                | CheckRun()
                | ControlsListed()
                | KnowledgeRetrieved()
                | WindowFollowed()
            ):
                self.notes.append(event)
            case _:
                pass  # ModelAsked adds nothing to its answer; other events belong to no step


@dataclass(frozen=True, slots=True)
class Visit:
    """A state of an agent, entered `times` in a row; `cause` and `reason` are those of the edge to it."""

    agent: str
    state: str
    times: int = 1
    cause: str = ""
    reason: str = ""
    round: int = 1


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause for the user at the desktop; `ended` None: its end was not recorded."""

    began: PauseBegan
    ended: PauseEnded | None = None


@dataclass(slots=True)
class Timeline:
    """A whole session. `agents` are in order of appearance."""

    started: SessionStarted | None = None
    entries: list[Step | Between] = field(default_factory=list["Step | Between"])
    agents: list[str] = field(default_factory=list[str])
    outputs: list[OutputWritten] = field(default_factory=list[OutputWritten])

    @property
    def is_script(self) -> bool:
        """True for the record of a script, which has no model."""
        return self.started is not None and self.started.mode == SCRIPT

    @property
    def steps(self) -> list[Step]:
        return [entry for entry in self.entries if isinstance(entry, Step)]

    @property
    def checks(self) -> list[CheckRun]:
        """All checks of a script; else those of the last step if it claims that all is done, for the session's end."""
        if self.is_script:
            return [check for step in self.steps for check in step.checks]
        last = self.steps[-1] if self.steps else None
        if last is None or last.reply is None or last.reply.status != AgentStatus.FINISH:
            return []
        return last.checks

    @property
    def assigned(self) -> set[str]:
        """Agents whose subtask is in the journal."""
        return {entry.agent for entry in self.entries if isinstance(entry, SubtaskAssigned)}

    @property
    def transitions(self) -> list[TransitionTaken]:
        return [entry for entry in self.entries if isinstance(entry, TransitionTaken)]

    @property
    def pauses(self) -> list[Pause]:
        found: list[Pause] = []
        for entry in self.entries:
            if isinstance(entry, PauseBegan):
                found.append(Pause(entry))
            elif isinstance(entry, PauseEnded) and found and found[-1].ended is None:
                found[-1] = replace(found[-1], ended=entry)
        return found

    @property
    def resumptions(self) -> list[SessionResumed]:
        return [entry for entry in self.entries if isinstance(entry, SessionResumed)]

    @property
    def paused_s(self) -> float:
        return sum(pause.ended.seconds for pause in self.pauses if pause.ended)

    @property
    def rounds(self) -> list[int]:
        """The round of each of the `transitions`."""
        current, found = 1, list[int]()
        for entry in self.entries:
            if isinstance(entry, RoundStarted):
                current = entry.round
            elif isinstance(entry, TransitionTaken):
                found.append(current)
        return found


def build_timeline(events: Iterable[Event]) -> Timeline:
    """Group events by step, in the order in which the steps began. Events of a step that never began are left out."""
    timeline = Timeline()
    steps: dict[int, Step] = {}
    for event in events:
        match event:
            case StepStarted():
                steps[event.step] = Step(event)
                timeline.entries.append(steps[event.step])
                _meet(timeline, event.agent)
            case SessionStarted():
                timeline.started = event
            case OutputWritten():
                timeline.outputs.append(event)
            case (
                RoundStarted()
                | RoundFinished()
                | ProblemMet()
                | PauseBegan()
                | PauseEnded()
                | TakenOver()
                | HandedBack()
                | AnsweredFrom()
                | SessionResumed()
            ):
                timeline.entries.append(event)
            case TransitionTaken() | SubtaskAssigned() | SubtaskArchived():
                timeline.entries.append(event)
                _meet(timeline, event.agent)
            case SessionFinished() | ModelAsked() | RoundEvaluated() | FilesWritten() | JournalMigrated() | RanOn():
                pass
            case DocumentOpened() | DocumentLeft() | WindowChosen() | PlaybookHealed() | TraceStarted():
                pass
            case _:
                if event.step in steps:
                    steps[event.step].take(event)
    return timeline


def visits(timeline: Timeline) -> list[Visit]:
    """States in the order in which they were entered, repetitions counted."""
    path: list[Visit] = []
    edges = timeline.transitions
    for index, (edge, number) in enumerate(zip(edges, timeline.rounds, strict=True)):
        if not path or path[-1].round != number:
            path.append(Visit(edge.agent, edge.source, round=number))
        machine, _, state = edge.to.rpartition(":")
        following = edges[index + 1].agent if index + 1 < len(edges) else _last_agent(timeline, edge)
        _enter(path, Visit(following if machine else edge.agent, state, 1, edge.cause, edge.reason, number))
    return path


def _enter(path: list[Visit], visit: Visit) -> None:
    last = path[-1]
    if (last.agent, last.state) == (visit.agent, visit.state):
        path[-1] = replace(last, times=last.times + 1)
    else:
        path.append(visit)


def _last_agent(timeline: Timeline, edge: TransitionTaken) -> str:
    """Agent whose state the session's last edge led to, if it left its machine: the agent of the next step."""
    later = timeline.entries[timeline.entries.index(edge) :]
    after = next((entry.started.agent for entry in later if isinstance(entry, Step)), "")
    return after or next((agent for agent in timeline.agents if agent != edge.agent), edge.agent)


def _meet(timeline: Timeline, agent: str) -> None:
    if agent not in timeline.agents:
        timeline.agents.append(agent)
