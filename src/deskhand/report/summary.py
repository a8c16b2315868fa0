"""A session's events as the one JSON object that every command prints with --json."""

from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.events import (
    CheckRun,
    DocumentLeft,
    DocumentOpened,
    ErrorData,
    Event,
    OutputWritten,
    PlaybookHealed,
    RoundEvaluated,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepHealed,
    StepStarted,
    SubtaskArchived,
    TransitionTaken,
)
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from deskhand.report.costs import spending
from deskhand.store.journal import is_held, unfinished_intents

CUT_OFF: Final = "SessionCutOff"
"""Type of the error of a session without a recorded end."""
E = TypeVar("E", bound=Event)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Tokens(_Part):
    input: int = 0
    output: int = 0


class TransitionSummary(_Part):
    machine: str
    source: str = Field(serialization_alias="from")
    to: str
    cause: str


class ResumptionSummary(_Part):
    """An interruption of a session that was resumed, after `step`. `unknown` and `windows` are sentences."""

    step: int
    unknown: list[str]
    windows: list[str]


class RoundSummary(_Part):
    """One request of a session, with its usage; one without a recorded end is an error."""

    round: int
    request: str
    outcome: str
    reason: str
    model_calls: int
    tokens: Tokens
    cost_usd: float | None


class SubtaskSummary(_Part):
    subtask: str
    application: str
    status: str
    outcome: str


class DocumentSummary(_Part):
    """A file of the user and the one that is open in its place, `path` itself if that was used directly.

    `window` is the title of the window that showed it last, empty if none did. `changed`: True if the open file was
    written; None if unknown.
    """

    path: str
    copy_path: str = Field(serialization_alias="copy")
    window: str
    changed: bool | None

    @property
    def told(self) -> str:
        """One line for the user: the file, the place of its changes, and if there are any."""
        if self.copy_path == self.path:
            words = {True: "changed in place", False: "not changed", None: "whether it changed is not known"}
            return f"{self.path}: {words[self.changed]}"
        words = {
            True: f"changed in its copy {self.copy_path}",
            False: f"its copy {self.copy_path} is not changed",
            None: f"its copy is {self.copy_path}; whether that changed is not known",
        }
        return f"{self.path}: {words[self.changed]}"


class CheckSummary(_Part):
    name: str
    ok: bool
    detail: str


class ErrorSummary(_Part):
    type: str
    message: str
    fix: str


class EvaluationSummary(BaseModel):
    """Judgement of an EvaluationAgent on a round; it is no outcome. `scores`: yes, no or unsure by part."""

    round: int
    model: str
    complete: str
    reason: str
    scores: dict[str, str]


class HealedSummary(_Part):
    """Steps of the playbook that a model was asked for. `file`: the healed playbook; None without one."""

    file: str | None
    reason: str
    diff: str = Field(exclude=True)
    steps: list[StepHealed]


class SessionSummary(_Part):
    """Result of a session. `cost_usd` is None if the price of a call is unknown.

    `rounds` are listed if there were several; a single one equals the session. `replays`: id of the session it repeats.
    """

    outcome: str
    reason: str
    request: str
    session_id: str
    session_dir: str
    outputs: list[str]
    report: str | None
    steps: int
    model_calls: int
    tokens: Tokens
    cost_usd: float | None
    wall_s: float
    transitions: list[TransitionSummary]
    subtasks: list[SubtaskSummary]
    checks: list[CheckSummary]
    error: ErrorSummary | None
    documents: list[DocumentSummary] = Field(default_factory=list[DocumentSummary])
    rounds: list[RoundSummary] = Field(default_factory=list[RoundSummary])
    evaluations: list[EvaluationSummary] = Field(default_factory=list[EvaluationSummary])
    resumptions: list[ResumptionSummary] = Field(default_factory=list[ResumptionSummary])
    healed: HealedSummary | None = None
    replays: str = ""

    def to_json(self) -> JsonObject:
        """The JSON object, with `rounds` if there were several, and the other optional parts if there are any."""
        optional = ("rounds", "evaluations", "resumptions", "healed", "replays")
        empty = {name for name in optional if not getattr(self, name)}
        return self.model_dump(mode="json", by_alias=True, exclude=empty)


def nothing_done(outcome: Outcome, reason: str, request: str) -> SessionSummary:
    """Summary of a session without an action, and without a record."""
    return SessionSummary(
        outcome=outcome.value,
        reason=reason,
        request=request,
        session_id="",
        session_dir="",
        outputs=[],
        report=None,
        steps=0,
        model_calls=0,
        tokens=Tokens(),
        cost_usd=0.0,
        wall_s=0.0,
        transitions=[],
        subtasks=[],
        checks=[],
        error=None,
    )


def summarise(session_dir: Path, *, report: Path | None = None) -> SessionSummary:
    """Summary of the journal in `session_dir`, without its secret texts; `report` is the path of the page.

    Raises: StoreError.
    """
    return summarise_events(redacted_events(session_dir), session_dir, report=report)


def summarise_events(events: list[Event], session_dir: Path, *, report: Path | None = None) -> SessionSummary:
    """Summary of events. Without a recorded end the outcome is `running` while the session runs, else `error`.

    Raises: StoreError.
    """
    started = _last(events, SessionStarted)
    finished = _recorded_end(events) or (_so_far(events) if is_held(session_dir) else _cut_off(events))
    spent = spending(events).session
    return SessionSummary(
        outcome=finished.outcome,
        reason=finished.reason,
        request=started.request if started else "",
        session_id=started.session_id if started else "",
        session_dir=str(session_dir),
        outputs=list(dict.fromkeys(event.path for event in _all(events, OutputWritten))),
        report=str(report) if report else None,
        steps=len(_all(events, StepStarted)),
        model_calls=spent.calls,
        tokens=Tokens(input=spent.input, output=spent.output),
        cost_usd=spent.cost_usd,
        wall_s=finished.seconds,
        transitions=[
            TransitionSummary(machine=edge.machine, source=edge.source, to=edge.to, cause=edge.cause)
            for edge in _all(events, TransitionTaken)
        ],
        subtasks=[
            SubtaskSummary(subtask=s.subtask, application=s.application, status=s.status, outcome=s.outcome)
            for s in _all(events, SubtaskArchived)
        ],
        checks=[CheckSummary(name=c.name, ok=c.ok, detail=c.detail) for c in _all(events, CheckRun)],
        error=_error(finished.error),
        documents=_documents(events),
        rounds=_rounds(events, finished),
        evaluations=[
            EvaluationSummary(round=e.round, model=e.model, complete=e.complete, reason=e.reason, scores=e.scores)
            for e in _all(events, RoundEvaluated)
        ],
        resumptions=[
            ResumptionSummary(step=e.step, unknown=e.unknown, windows=e.windows) for e in _all(events, SessionResumed)
        ],
        healed=_healed(_last(events, PlaybookHealed)),
        replays=started.options.replays if started and started.options else "",
    )


def _healed(event: PlaybookHealed | None) -> HealedSummary | None:
    if event is None:
        return None
    return HealedSummary(file=event.file or None, reason=event.reason, diff=event.diff, steps=event.steps)


def ending(events: list[Event]) -> SessionFinished:
    """The recorded end of the session, or a substitute if there is none (it was killed)."""
    return _recorded_end(events) or _cut_off(events)


def _recorded_end(events: list[Event]) -> SessionFinished | None:
    for event in reversed(events):
        if isinstance(event, SessionFinished):
            return event
        if isinstance(event, SessionStarted | SessionResumed):
            break
    return None


def _so_far(events: list[Event]) -> SessionFinished:
    """A substitute for the end of a session that has none yet."""
    return SessionFinished(
        at=events[-1].at if events else 0.0, outcome="running", reason="It still runs.", seconds=_seconds(events)
    )


def _documents(events: list[Event]) -> list[DocumentSummary]:
    """The latest record of each file; for an interrupted session it is unknown if they changed."""
    found: dict[str, DocumentSummary] = {}
    for event in events:
        if isinstance(event, DocumentOpened):
            found[event.copy_path] = DocumentSummary(
                path=event.path, copy_path=event.copy_path, window="", changed=None
            )
        elif isinstance(event, DocumentLeft):
            found[event.copy_path] = DocumentSummary(
                path=event.path, copy_path=event.copy_path, window=event.title, changed=event.changed
            )
    return [*found.values()]


def _rounds(events: list[Event], finished: SessionFinished) -> list[RoundSummary]:
    """Rounds, if there were several; one without a recorded end has the outcome of its session."""
    ended = {event.round: event for event in _all(events, RoundFinished)}
    rounds: list[RoundSummary] = []
    took = spending(events).rounds
    for event in _all(events, RoundStarted):
        end = ended.get(event.round)
        outcome, reason = (end.outcome, end.reason) if end else (finished.outcome, finished.reason)
        spent = took[event.round]
        rounds.append(
            RoundSummary(
                round=event.round,
                request=event.request,
                outcome=outcome,
                reason=reason,
                model_calls=spent.calls,
                tokens=Tokens(input=spent.input, output=spent.output),
                cost_usd=spent.cost_usd,
            )
        )
    return rounds if len(rounds) > 1 else []


def _cut_off(events: list[Event]) -> SessionFinished:
    if not events:
        reason = "The journal holds no event: the session was stopped before it began."
    else:
        reason = "The session was cut off: it never recorded its end, so its process was killed or the machine stopped."
    if intents := unfinished_intents(events):
        tools = ", ".join(intent.tool for intent in intents)
        reason += f" Whether its last action happened is unknown: {tools}."
    return SessionFinished(
        at=events[-1].at if events else 0.0,
        outcome=Outcome.ERROR,
        reason=reason,
        seconds=_seconds(events),
        error=ErrorData(
            type=CUT_OFF,
            message=reason,
            fix="Continue it with deskhand resume and its id or folder. To run the request again instead, first look "
            "at the applications: part of it may have been done.",
        ),
    )


def _seconds(events: list[Event]) -> float:
    return max(0.0, events[-1].at - events[0].at) if events else 0.0


def _error(error: ErrorData | None) -> ErrorSummary | None:
    return ErrorSummary(type=error.type, message=error.message, fix=error.fix) if error else None


def _all(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def _last(events: list[Event], kind: type[E]) -> E | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)
