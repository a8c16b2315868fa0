"""What a model is given and what it gives back (SPEC 4.7)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from deskhand.core.command import Effect, ResultStatus, ToolSpec
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.target import TargetInfo
from deskhand.core.usage import Usage


class AgentKind(StrEnum):
    """The kinds the rest of the program knows by name; an agent that plugs in brings a word of its own."""

    HOST = "host"
    APP = "app"
    EVALUATION = "evaluation"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a prompt. `untrusted` marks what came from a screen, a document or a tool."""

    text: str
    untrusted: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class ImagePart:
    """A picture of a prompt, encoded."""

    data: bytes
    media_type: str = "image/png"
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What pictures a model takes, in pixels; a larger one is scaled down before it is sent."""

    max_side: int
    max_pixels: int


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    parts: tuple[TextPart | ImagePart, ...]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """What one action of an earlier step did; `ran` is False where it was refused or skipped.

    `target` describes the control in words; `target_role` and `target_name` are empty where there was none. `output`
    is what a tool that only looks gave, as JSON. `message`: what went wrong with it; `evidence`: what shows its effect;
    `advice`: what to do about it; `unmet`: what was expected of it and does not hold, though it was done.
    """

    function: str
    arguments: JsonObject
    target: str
    status: ResultStatus
    effect: Effect | None
    ran: bool
    message: str = ""
    target_role: str = ""
    target_name: str = ""
    output: str = ""
    evidence: str = ""
    advice: str = ""
    unmet: str = ""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One earlier step of this agent since it was last assigned (host: since the round began).

    `problem` is what went wrong in it, `warning` what the program has to say of it although nothing did. `position` is
    where a model that follows a script stood when it answered (`ModelReply.position`).
    """

    step: int
    status: str
    actions: tuple[ActionRecord, ...] = ()
    problem: str = ""
    reply_status: str = ""
    warning: str = ""
    position: int | None = None


@dataclass(frozen=True, slots=True)
class SubtaskRecord:
    """An ended subtask, as `previous_subtasks` and the blackboard keep it (SPEC 2.2).

    `window`: the handle of the window it was about, as agents of one application have one name. `note`: what became
    of that window, where it closed meanwhile, and the last expectation of the subtask, where it did not hold.
    """

    subtask: str
    status: str
    outcome: Outcome
    application: str = ""
    agent: str = ""
    result: str = ""
    actions: tuple[str, ...] = ()
    error: str = ""
    window: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the user: its path, the file that is open in its place, and the window that shows it.

    `copy` is `path` where the file itself is worked on; `window` is None where no window is known to show it.
    """

    path: str
    copy: str
    window: TargetInfo | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Something retrieved that may help: its text, and where it comes from, for the log and the prompt.

    `kind`: "experience", "demonstration", "document" or "web". `score`: higher fits better, comparable within a kind.
    """

    kind: str
    title: str
    text: str
    source: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: rendered `messages`, and the typed values they were rendered from.

    `agent` is the kind of agent that asks (`AgentKind`, or the word of one that plugs in). `controls` are the
    labelled windows (host) or controls (app) in reading order, `seen_text` what an agent without controls sees;
    `reservations`: in what way they may not be all there is, or not final; `plan` is what this agent said last that
    it would do next, `references` what was retrieved for this step;
    `seen_before` are the controls under the same labels as this agent was last shown them, empty where it was not;
    `answers` are a person's, by question, `warnings` the program's own words, `status_meanings` what statuses are for,
    `applications` the names of what can be launched, `more_applications` how many more there are, `documents` the
    user's files, `folder` where new files go;
    `blackboard` maps the names of saved data to their values; `problem` says what was wrong with this model's
    previous reply, if it is asked again.
    """

    agent: str
    agent_name: str
    messages: tuple[Message, ...]
    request: str
    subtask: str
    host_message: tuple[str, ...]
    steps_done: tuple[StepRecord, ...]
    previous_subtasks: tuple[SubtaskRecord, ...]
    window: TargetInfo | None
    controls: tuple[TargetInfo, ...]
    blackboard: Mapping[str, JsonValue]
    tools: tuple[ToolSpec, ...]
    allowed_statuses: tuple[str, ...]
    problem: str = ""
    seen_text: str = ""
    reservations: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    references: tuple[Passage, ...] = ()
    picture: str = ""
    warnings: tuple[str, ...] = ()
    reply_schema: JsonObject = field(default_factory=dict[str, JsonValue])
    seen_before: tuple[TargetInfo, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    status_meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    applications: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    folder: str = ""
    more_applications: int = 0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: the JSON object it wrote (validated by the pipeline) and what it cost.

    `position` is where a model that follows a script stands in it; None for a model that makes up its mind. `note`
    says what about the asking a reader of the log should know.
    """

    content: JsonObject
    text: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    position: int | None = None
    note: str = ""
