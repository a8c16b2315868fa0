"""Requests to models and their replies."""

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
    """Kinds of agents with a fixed meaning in the program; an agent plug-in adds a word of its own."""

    HOST = "host"
    APP = "app"
    EVALUATION = "evaluation"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a prompt. `untrusted` marks text from a screen, a document or a tool."""

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
    """Limits of the pictures a model accepts, in pixels; a larger one is scaled down before it is sent."""

    max_side: int
    max_pixels: int


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    parts: tuple[TextPart | ImagePart, ...]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """Result of one action of an earlier step; `ran` is False if it was refused or skipped.

    `target` describes the control in words; `target_role` and `target_name` are empty without one. `output` is the data
    of a tool that only reads, as JSON. `message`: the problem; `evidence`: the proof of its effect; `advice`: the next
    step; `unmet`: expected effects that are missing although the action ran; `saved_as`: the name of its saved data;
    `part_of`: the compound tool that it was a part of, empty for none; `denied`: why a rule or the
    user did not allow it.
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
    saved_as: str = ""
    part_of: str = ""
    denied: str = ""


@dataclass(frozen=True, slots=True)
class Healing:
    """Mark of a reply that stands for a step of a playbook which no longer fits; its place is the reply's position.

    `section` and `step`, from 1, name the step in the file. `is_done`: with the reply's action the step is done;
    otherwise it is one on the way. `why`: the reason why the step does not fit. `model`: the model that was asked;
    empty for an action that an earlier row of a loop had. `written`: the action as a step of a playbook, without the
    parts that the step keeps; empty where it cannot be written, for the reason `unwritten`.
    """

    section: str
    step: int
    is_done: bool
    why: str = ""
    model: str = ""
    written: JsonObject = field(default_factory=dict[str, JsonValue])
    unwritten: str = ""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One earlier step of this agent since it was last assigned (host: since the round began).

    `problem` is the step's error, `warning` a remark of the program without an error. `position` is the position in its
    script of a model that follows one (`ModelReply.position`). `numbering` counts how often the ids of this agent
    began at 1, up to this step; 0 where it is not known. `healing`: as of `ModelReply`.
    """

    step: int
    status: str
    actions: tuple[ActionRecord, ...] = ()
    problem: str = ""
    reply_status: str = ""
    warning: str = ""
    position: int | None = None
    numbering: int = 0
    healing: Healing | None = None


@dataclass(frozen=True, slots=True)
class SubtaskRecord:
    """An ended subtask, as `previous_subtasks` and the blackboard hold it.

    `window`: handle of its window, as agents of one application share a name. `note`: fate of that window if it closed
    meanwhile, and the last expectation of the subtask if it was not met.
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

    `copy` equals `path` if the file itself is in use; `window` is None if no window is found that shows it.
    """

    path: str
    copy: str
    window: TargetInfo | None = None

    @property
    def is_copied(self) -> bool:
        return self.copy != self.path


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved text that may help, with its source for the log and the prompt.

    `kind`: "experience", "demonstration", "document" or "web". `score`: higher is better, comparable within a kind.
    """

    kind: str
    title: str
    text: str
    source: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: rendered `messages`, and the typed values they were rendered from.

    `agent` is the kind of agent that asks (`AgentKind`, or the word of a plug-in). `controls` are the labelled windows
    (host) or controls (app) in reading order, `seen_text` the observation of an agent without controls;
    `reservations`: ways in which these may be incomplete or provisional; `plan` are the next steps from this agent's
    last reply, `references` the passages retrieved for this step;
    `seen_before` are the controls under the same labels as last shown to this agent, None where there are none;
    `renumbered` is the reason why the labels count from 1 again, empty where they do not; `numbering` is that of the
    labels, as in the records of steps;
    `answers` are the user's, by question, `warnings` the program's own words, `status_meanings` the uses of the
    statuses, `applications` the names of launchable applications, `more_applications` the number of further ones,
    `documents` the user's files, `folder` the folder for new files; `other_windows` are the titles of the other windows
    of the desktop, front first, `more_windows` the number of further ones;
    `blackboard` maps the names of saved data to their values; `problem` is the defect of this model's previous reply,
    if it is asked again.
    `was_taken_over`: a user had the desktop since the last step.
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
    seen_before: tuple[TargetInfo, ...] | None = None
    renumbered: str = ""
    numbering: int = 0
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    status_meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    applications: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    folder: str = ""
    more_applications: int = 0
    other_windows: tuple[str, ...] = ()
    more_windows: int = 0
    was_taken_over: bool = False


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: the JSON object it wrote (validated by the pipeline) and its usage.

    `position` is the position in its script of a model that follows one; None for any other. `healing`: a mark of a
    reply that stands for the step there. `note` is a remark for readers of the log.
    """

    content: JsonObject
    text: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    position: int | None = None
    note: str = ""
    healing: Healing | None = None
