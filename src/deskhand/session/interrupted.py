"""An interrupted session, as its journal records it (ADR 0119)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.events import (
    ActionEvent,
    ActionFinished,
    ActionIntended,
    CheckRun,
    DocumentOpened,
    ReplyAccepted,
    RoundFinished,
    SessionStarted,
    TraceStarted,
    VerdictData,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import StepRecord, SubtaskRecord
from deskhand.core.statuses import AgentStatus
from deskhand.core.target import TargetInfo
from deskhand.memory import Blackboard, Memory
from deskhand.states import Move

HOST: Final = 0
"""The number of the agent that the session began with; the sub-agents count from 1 in the order of their creation."""


@dataclass(frozen=True, slots=True)
class BrokenStep:
    """A step that has no complete record. `reply` None: the model had not answered, and nothing was sent.

    `planned` are the ids of its calls, `finished` those with a result, `unfinished` the one whose result was
    never written: it may have happened. `checks` are those of each finished action. `saved`: names of its saved data.
    `has_chosen`: the window that the host chose in it is known. `item` and `record`: of actions that were held for the
    user, as of then.
    """

    step: int
    agent: int
    reply: ReplyAccepted | None = None
    planned: tuple[str, ...] = ()
    finished: tuple[ActionFinished, ...] = ()
    unfinished: ActionIntended | None = None
    checks: tuple[tuple[CheckRun, ...], ...] = ()
    saved: frozenset[str] = frozenset()
    has_chosen: bool = False
    item: JsonObject = field(default_factory=dict[str, JsonValue])
    record: StepRecord | None = None


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """One agent. `window` None: the host. `memory` and `steps` are as of `memory.recall`.

    `files`: the stamps of the documents at its last assignment. `was_asked`: the user was asked about an action of that
    subtask. `lost_until`: the last step whose unsaved work was lost with an earlier desktop; then the subtask began
    again.
    """

    name: str
    window: TargetInfo | None
    memory: Memory
    steps: tuple[StepRecord, ...]
    step: int = 0
    plan: tuple[str, ...] = ()
    result: str = ""
    summary: str = ""
    questions: tuple[str, ...] = ()
    fails: int = 0
    failed_steps: int = 0
    files: dict[str, list[int] | None] = field(default_factory=dict[str, list[int] | None])
    was_asked: bool = False
    lost_until: int = 0


@dataclass(frozen=True, slots=True)
class PreviousState:
    """The agent and state that an edge left, and the edge that had led there."""

    agent: int
    state: str
    arrival: Move | None


@dataclass(frozen=True, slots=True)
class Place:
    """The state that the session was in.

    `verdict`: the step of this state is complete, and the edge that follows was not taken. `is_handled`: all of the
    state's work is complete. `previous`: the state before the last edge, which may have ended the round. `decided`:
    the user's decision on the held actions, `asked` the text of them.
    """

    agent: int = HOST
    state: str = AgentStatus.CONTINUE
    arrival: Move | None = None
    verdict: VerdictData | None = None
    is_handled: bool = False
    previous: PreviousState | None = None
    decided: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """The host's next subtask, and the window it is for."""

    window: TargetInfo | None = None
    subtask: str = ""
    message: tuple[str, ...] = ()
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class OpenRound:
    """The round that was interrupted; without one the session was between two rounds.

    `began_s` and `first_step`: the session's seconds of work and its steps when the round began.
    """

    number: int
    request: str
    began_s: float
    first_step: int
    subtasks_before: int
    fails: int = 0
    rejected: frozenset[str] = frozenset()
    subtask: str = ""
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spending:
    """The used part of the budgets. `seconds` is the time of work, with that of waiting for the user."""

    seconds: float = 0.0
    waited_s: float = 0.0
    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    has_unpriced_answer: bool = False


@dataclass(frozen=True, slots=True)
class Interrupted:
    """All that the journal records of a session at its last event.

    `agents`: the host (or the agent without one) first. `active` is the number of the agent with the last subtask.
    `secrets` typed a password. `ran_on`: the last recorded facts of machine and desktop. `traces`: those that
    recorded it. `lost`: sentences on that which no event records.
    """

    started: SessionStarted
    agents: tuple[AgentRecord, ...]
    blackboard: Blackboard
    place: Place
    active: int | None
    assignment: Assignment
    round: OpenRound | None
    finished_rounds: tuple[RoundFinished, ...]
    previous_subtasks: tuple[SubtaskRecord, ...]
    broken: BrokenStep | None
    documents: tuple[DocumentOpened, ...]
    spending: Spending
    secrets: tuple[ActionEvent, ...]
    ran_on: Mapping[str, str]
    traces: tuple[TraceStarted, ...]
    is_finished: bool
    resumptions: int
    lost: tuple[str, ...]
