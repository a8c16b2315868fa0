"""Events of a session, typed and versioned: the content of the journal.

`v` is the version of the event's own fields; a reader refuses a newer version, and reads an older one with the default
of each field that was added since. Times: `at` in seconds since 1970, durations in seconds.
"""

from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from deskhand.core.errors import ErrorInfo
from deskhand.core.model import Healing
from deskhand.core.roles import Role


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    v: Literal[1] = 1
    at: float = 0.0


class _StepEvent(_Event):
    step: int
    agent: str


class ErrorData(BaseModel):
    """An error in the journal and in JSON output."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    type: str
    message: str
    fix: str = ""
    candidates: list[str] = Field(default_factory=list)

    @classmethod
    def of(cls, error: ErrorInfo | BaseException) -> Self:
        """The data of any error."""
        info = error if isinstance(error, ErrorInfo) else ErrorInfo.of(error)
        return cls(type=info.type, message=info.message, fix=info.fix, candidates=list(info.candidates))


class TargetData(BaseModel):
    """A target in the journal: the fields that let a user recognise it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str = ""
    role: str = ""
    name: str = ""
    rect: list[int] = Field(default_factory=list)


class SessionOptions(BaseModel):
    """The parameters that another process needs to continue a session; never a key.

    `folder`: the working folder, to which the project's settings belong; `system`: the effective settings of that
    section; `models`: names by their place (`app`, `host`, `backup`, `evaluation`); `digest`: of the playbook, `heal`:
    the model for its steps that do not fit; `replays`: id of the session that this one repeats.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    folder: str = ""
    config: str = ""
    system: dict[str, JsonValue] = Field(default_factory=dict)
    models: dict[str, str] = Field(default_factory=dict)
    playbook: str = ""
    digest: str = ""
    heal: str = ""
    replays: str = ""
    table: str = ""
    requests: list[str] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list)
    in_place: bool = False
    applications: list[str] = Field(default_factory=list)
    opens_with: str = ""
    object: str = ""
    close_object: bool = False
    task: str = ""
    outputs: list[str] = Field(default_factory=list)
    interactive: bool = False


SCRIPT: Final = "script"
"""Mode of a session that is the record of a script."""


class SessionStarted(_Event):
    """`options`: None in a journal of the version before, whose session cannot be resumed."""

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["session_started"] = "session_started"
    session_id: str
    version: str
    request: str
    model: str
    desktop: str
    mode: str = "normal"
    parameters: dict[str, str] = Field(default_factory=dict)
    options: SessionOptions | None = None


class SessionResumed(_Event):
    """The session goes on in another process.

    `place`: the agent and state it goes on with. `windows`: those that were found again or opened anew, as sentences;
    `unknown`: sentences on that which the journal cannot tell. `seconds`: the working time before the break.
    """

    kind: Literal["session_resumed"] = "session_resumed"
    version: str
    desktop: str
    model: str
    place: str = ""
    windows: list[str] = Field(default_factory=list)
    unknown: list[str] = Field(default_factory=list)
    seconds: float = 0.0
    step: int = 0


class RanOn(_Event):
    """Facts by name that may explain why another session went differently, such as versions, fonts and screens."""

    kind: Literal["ran_on"] = "ran_on"
    facts: dict[str, str]


class TraceStarted(_Event):
    """The session is recorded by OpenTelemetry from here on: the ids of the trace and its root, in hexadecimal."""

    kind: Literal["trace_started"] = "trace_started"
    trace_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    span_id: str = Field(pattern=r"^[0-9a-f]{16}$")


class RoundStarted(_Event):
    kind: Literal["round_started"] = "round_started"
    round: int
    request: str


class StepStarted(_StepEvent):
    kind: Literal["step_started"] = "step_started"
    round: int
    state: str
    subtask: str = ""
    application: str = ""


class PhaseFinished(_StepEvent):
    kind: Literal["phase_finished"] = "phase_finished"
    phase: str
    seconds: float
    ok: bool
    error: ErrorData | None = None


class ObservationTaken(_StepEvent):
    kind: Literal["observation_taken"] = "observation_taken"
    window: str
    controls: int
    seconds: float
    truncated: str = ""
    provisional: bool = False
    unsettled: str = ""


class PictureSaved(_StepEvent):
    """A picture in the log folder under `path` (relative); writing it may still be under way."""

    kind: Literal["picture_saved"] = "picture_saved"
    what: Literal["clean", "annotated", "selected", "concat", "desktop", "confirm", "final"]
    path: str


class FilesWritten(_Event):
    """SHA-256 of pictures and other files of the log folder, by relative path, as they were written."""

    kind: Literal["files_written"] = "files_written"
    files: dict[str, str]


class JournalMigrated(_Event):
    """The `records` before this one were written in an older format of the journal, without hashes."""

    kind: Literal["journal_migrated"] = "journal_migrated"
    from_format: int
    records: int


class PassageData(BaseModel):
    """A passage in the journal: its identity without its text."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: str
    title: str
    source: str
    score: float


class KnowledgeRetrieved(_StepEvent):
    """Passages found for an agent's subtask; its prompts include them as reference until the next retrieval."""

    kind: Literal["knowledge_retrieved"] = "knowledge_retrieved"
    query: str
    seconds: float = 0.0
    passages: list[PassageData] = Field(default_factory=list[PassageData])


class ModelAsked(_StepEvent):
    kind: Literal["model_asked"] = "model_asked"
    model: str
    attempt: int


class ModelAnswered(_StepEvent):
    """One model call, successful or not; `cost_usd` None means unknown.

    `cached_tokens` are those of `input_tokens` that the provider had cached. `retry_in_s`: delay before the retry, None
    without a retry. `note`: a remark for readers of the journal.
    """

    kind: Literal["model_answered"] = "model_answered"
    model: str
    attempt: int
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    error: ErrorData | None = None
    retry_in_s: float | None = None
    note: str = ""


class ReplyAccepted(_StepEvent):
    """`position` and `healing`: as of `core.model.ModelReply`."""

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["reply_accepted"] = "reply_accepted"
    observation: str = ""
    thought: str = ""
    plan: list[str] = Field(default_factory=list)
    comment: str = ""
    status: str
    result: str = ""
    questions: list[str] = Field(default_factory=list)
    subtask: str = ""
    raw: str = ""
    message: list[str] = Field(default_factory=list)
    last: bool = False
    position: int | None = None
    healing: Healing | None = None


class ActionEvent(_StepEvent):
    """`may_be_password`: typed keys of which it is not certain that they go elsewhere than to a password field."""

    call_id: str
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    target: TargetData | None = None
    may_be_password: bool = False

    @property
    def is_on_password(self) -> bool:
        return self.target is not None and self.target.role == Role.PASSWORD

    @property
    def is_secret(self) -> bool:
        """True if the typed text must not be shown."""
        return self.is_on_password or self.may_be_password


class VerdictGiven(ActionEvent):
    """Decision of the policy about a requested action; the action may never be sent.

    `fingerprint` identifies the action, its arguments and its target for the rest of the round.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["verdict_given"] = "verdict_given"
    decision: str
    rule: str
    reason: str = ""
    fingerprint: str = ""


class ControlState(BaseModel):
    """Value and states of a control at one moment; `handle` is valid while it lives. `value` None: not recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    handle: str = ""
    value: str | None = None
    states: list[str] = Field(default_factory=list)


class ActionIntended(ActionEvent):
    """Written before dispatch: from here on the action may have happened.

    `before`: its target then, so that another process can tell whether it happened; `expect`: the expected state after
    it. `files`: the stamps of the session's documents then, and of the expected file. `save_as` and `part_of` as of its
    result.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["action_intended"] = "action_intended"
    before: ControlState | None = None
    expect: dict[str, JsonValue] = Field(default_factory=dict)
    files: dict[str, list[int] | None] = Field(default_factory=dict)
    save_as: str = ""
    part_of: str = ""


class ActionFinished(ActionEvent):
    """Result of an action: dispatched (after its intent), refused or skipped (without one).

    `save_as`: the name for its data. `part_of`: the compound tool that it belongs to.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["action_finished"] = "action_finished"
    status: str
    effect: str = ""
    route: str = ""
    evidence: str = ""
    delivered: bool = False
    retry_safe: bool = True
    seconds: float = 0.0
    error: ErrorData | None = None
    result: JsonValue = None
    save_as: str = ""
    part_of: str = ""


class ActionsHeld(_StepEvent):
    kind: Literal["actions_held"] = "actions_held"
    call_ids: list[str]
    reason: str


class ControlsListed(_StepEvent):
    """The controls of a window at a failure, as lines, and the file in the log folder that has them too (relative)."""

    kind: Literal["controls_listed"] = "controls_listed"
    window: str
    text: str
    path: str


class QuestionsAsked(_StepEvent):
    kind: Literal["questions_asked"] = "questions_asked"
    questions: list[str]


class QuestionsAnswered(_StepEvent):
    kind: Literal["questions_answered"] = "questions_answered"
    answers: dict[str, str]
    how: Literal["person", "off", "timeout", "event"]


class EventArrived(_StepEvent):
    """An external event that a tool had announced."""

    kind: Literal["event_arrived"] = "event_arrived"
    what: str
    detail: str


class ConfirmationAsked(_StepEvent):
    kind: Literal["confirmation_asked"] = "confirmation_asked"
    facts: list[str]
    model_says: str


class ConfirmationDecided(_StepEvent):
    kind: Literal["confirmation_decided"] = "confirmation_decided"
    decision: Literal["approved", "rejected", "timeout", "off"]
    seconds: float


class DataSaved(_StepEvent):
    """Data saved on the blackboard under a name."""

    kind: Literal["data_saved"] = "data_saved"
    name: str
    data: JsonValue
    application: str = ""


class ImageKept(_StepEvent):
    """A picture saved on the blackboard: `path` is relative to the session's folder."""

    kind: Literal["image_kept"] = "image_kept"
    path: str
    metadata: dict[str, str]


class VerdictData(BaseModel):
    """The verdict on a step: the edge that its agent takes next."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    status: str
    cause: str
    trigger: str
    reason: str = ""
    reannotate: bool = False


class StepRemembered(_StepEvent):
    """An agent's memory of a step, and the record its prompts contain (`core.model.StepRecord`).

    Emitted again for the same step if held actions ran later, or if the session was interrupted in it: the last one
    counts. `verdict`: None where held actions ran.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["step_remembered"] = "step_remembered"
    item: dict[str, JsonValue]
    record: dict[str, JsonValue]
    verdict: VerdictData | None = None


class PauseBegan(_Event):
    """Nothing is sent until the user at the desktop is idle; `reason` names the user's input."""

    kind: Literal["pause_began"] = "pause_began"
    reason: str
    step: int = 0


class PauseEnded(_Event):
    """End of a pause: the user was idle, handed the desktop back, was still active at the timeout, or the work was
    stopped.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["pause_ended"] = "pause_ended"
    how: Literal["quiet", "handed_back", "timeout", "stopped"]
    seconds: float
    step: int = 0


class TakenOver(_Event):
    """A user paused the session: from here on the agent sends nothing until the desktop is handed back."""

    kind: Literal["taken_over"] = "taken_over"
    by: str
    step: int = 0


class HandedBack(_Event):
    """The user handed the desktop back after `seconds`. `note`: the user's words for the agent.

    `changes`: what differs since it was taken over, as sentences, without typed passwords.
    """

    kind: Literal["handed_back"] = "handed_back"
    by: str
    note: str = ""
    changes: list[str] = Field(default_factory=list)
    seconds: float = 0.0
    step: int = 0


class AnsweredFrom(_Event):
    """A question or a confirmation was answered from outside the session's process. `by`: who and from where."""

    kind: Literal["answered_from"] = "answered_from"
    what: Literal["question", "confirmation"]
    by: str
    step: int = 0


class CheckRun(_Event):
    """One check given with a step or by the caller."""

    kind: Literal["check_run"] = "check_run"
    step: int
    agent: str = ""
    name: str
    ok: bool
    detail: str = ""


class StepFinished(_StepEvent):
    kind: Literal["step_finished"] = "step_finished"
    status: str
    ok: bool
    seconds: float
    phase_seconds: dict[str, float] = Field(default_factory=dict)
    cost_usd: float | None = 0.0
    problem: str = ""


class TransitionTaken(_Event):
    """One edge of a machine; `to` is `machine:STATE` if it leaves the machine."""

    kind: Literal["transition_taken"] = "transition_taken"
    agent: str
    machine: str
    source: str
    to: str
    cause: str
    trigger: str
    reason: str = ""
    step: int = 0


class WindowChosen(_StepEvent):
    """The window, or the agent without one, that the host's next subtask is for."""

    kind: Literal["window_chosen"] = "window_chosen"
    window: str
    handle: str
    application: str
    pid: int | None = None
    is_agent: bool = False


class SubtaskAssigned(_Event):
    """`handle` and `pid` are those of the window; `message` is the host's; `is_agent`: an agent without a window.
    `files`: the stamps of the session's documents then.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["subtask_assigned"] = "subtask_assigned"
    agent: str
    subtask: str
    application: str
    window: str
    reused: bool
    handle: str = ""
    pid: int | None = None
    is_agent: bool = False
    message: list[str] = Field(default_factory=list)
    files: dict[str, list[int] | None] = Field(default_factory=dict)
    step: int = 0


class WindowFollowed(_StepEvent):
    """A window closed, and its agent continues in the one that the same program shows in its place."""

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["window_followed"] = "window_followed"
    closed: str
    window: str
    handle: str
    pid: int | None = None


class SubtaskArchived(_Event):
    kind: Literal["subtask_archived"] = "subtask_archived"
    agent: str
    subtask: str
    application: str
    status: str
    outcome: str
    result: str = ""
    error: str = ""
    actions: list[str] = Field(default_factory=list[str])
    window: str = ""
    note: str = ""


class ProblemMet(_Event):
    """A problem that did not decide the outcome, such as a picture that could not be written."""

    kind: Literal["problem_met"] = "problem_met"
    where: str
    error: ErrorData


class OutputWritten(_Event):
    kind: Literal["output_written"] = "output_written"
    path: str


class DocumentOpened(_Event):
    """A file of the user that was opened. `copy_path`: the file in use, `path` itself without a copy.

    `digest` and `stamp` are those of the file in use before it was opened.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["document_opened"] = "document_opened"
    path: str
    copy_path: str
    digest: str = ""
    stamp: list[int] = Field(default_factory=list)


class DocumentLeft(_Event):
    """A file of the user at the end of the session: the last window that showed it, by id and title, and whether it was
    written meanwhile, None if unknown. `digest`: SHA-256 of the open file then, empty if unknown.
    """

    v: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - of the kind, frozen
    kind: Literal["document_left"] = "document_left"
    path: str
    copy_path: str
    window: str = ""
    title: str = ""
    changed: bool | None = None
    digest: str = ""


class StepHealed(BaseModel):
    """A step of a playbook that a model was asked for. `line`: of the file; `was` and `now`: as phrases.

    `why`: the reason why it did not fit. `calls` of the model, and their cost, None if unknown. `now` is empty where
    the step was left as it was, for the reason `unwritten`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    line: int
    was: str
    now: str
    why: str
    calls: int
    cost_usd: float | None
    unwritten: str = ""


class PlaybookHealed(_Event):
    """Steps of a playbook were healed. `file`: the healed playbook; empty if none was written, for the `reason`.

    `diff`: of the two files, as lines.
    """

    kind: Literal["playbook_healed"] = "playbook_healed"
    playbook: str
    file: str = ""
    reason: str = ""
    diff: str = ""
    steps: list[StepHealed] = Field(default_factory=list[StepHealed])


class RoundFinished(_Event):
    kind: Literal["round_finished"] = "round_finished"
    round: int
    outcome: str
    reason: str
    seconds: float


class RoundEvaluated(_Event):
    """Judgement of an EvaluationAgent on a finished round. `scores`: each part of the request, judged separately."""

    kind: Literal["round_evaluated"] = "round_evaluated"
    round: int
    model: str
    complete: Literal["yes", "no", "unsure"]
    reason: str
    scores: dict[str, str] = Field(default_factory=dict)


class SessionFinished(_Event):
    kind: Literal["session_finished"] = "session_finished"
    outcome: str
    reason: str
    seconds: float
    error: ErrorData | None = None


Event: TypeAlias = (
    SessionStarted
    | RanOn
    | SessionResumed
    | TraceStarted
    | RoundStarted
    | StepStarted
    | PhaseFinished
    | ObservationTaken
    | PictureSaved
    | FilesWritten
    | JournalMigrated
    | KnowledgeRetrieved
    | ModelAsked
    | ModelAnswered
    | ReplyAccepted
    | VerdictGiven
    | ActionIntended
    | ActionFinished
    | ControlsListed
    | ActionsHeld
    | QuestionsAsked
    | QuestionsAnswered
    | EventArrived
    | ConfirmationAsked
    | ConfirmationDecided
    | DataSaved
    | ImageKept
    | StepRemembered
    | PauseBegan
    | PauseEnded
    | TakenOver
    | HandedBack
    | AnsweredFrom
    | CheckRun
    | StepFinished
    | TransitionTaken
    | WindowChosen
    | SubtaskAssigned
    | WindowFollowed
    | SubtaskArchived
    | ProblemMet
    | OutputWritten
    | DocumentOpened
    | DocumentLeft
    | PlaybookHealed
    | RoundFinished
    | RoundEvaluated
    | SessionFinished
)

EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])
