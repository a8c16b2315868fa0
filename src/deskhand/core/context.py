"""Values and ports shared by the agents of one session."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from deskhand.core.errors import StateError
from deskhand.core.events import ActionEvent
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Allowance, Clock, EventSink, Interactor, Nobody, Presence, Unlimited


class RunMode(StrEnum):
    NORMAL = "normal"
    FOLLOWER = "follower"
    BATCH = "batch"


class ContextKey(StrEnum):
    """Public names of context values; each is an attribute of `Context`."""

    REQUEST = "request"
    SUBTASK = "subtask"
    PREVIOUS_SUBTASKS = "previous_subtasks"
    HOST_MESSAGE = "host_message"
    SESSION_STEP = "session_step"
    CURRENT_ROUND_STEP = "current_round_step"
    CURRENT_ROUND_ID = "current_round_id"
    LOG_PATH = "log_path"
    APPLICATION_ROOT = "application_root"
    APPLICATION_PROCESS = "application_process"
    APPLICATION_WINDOW = "application_window"


class ClosesSubtask(Protocol):
    """An agent, as far as its state archives its subtask. `result`: that of its last reply, in words."""

    result: str

    def close_subtask(self, context: "Context", status: str, outcome: Outcome, error: str) -> SubtaskRecord: ...


_PUBLIC: Final = frozenset(ContextKey)


@dataclass(slots=True)
class Context:
    """Shared values of one session. Two sessions never share one.

    `session_step` counts the steps of all agents; `asked` are the actions that the user was asked to approve last;
    `rejected_actions` are the digests of actions the user rejected in this round, `fails_of_round` the AppAgent FAILs
    and vanished windows of this round. `step_cost_usd` is the cost of the model calls of the current step, None as soon
    as one price is unknown; `cost_usd` the sum of the known prices, `has_unpriced_answer` True if a model answered at
    an unknown price. `secret_actions`: those that typed, or were to type, a text into a password field. `allowance`:
    the remaining budgets. `last_round`: no other round can follow this one. `acting`: the agent whose state is handled.
    """

    session_id: str
    log_path: Path
    events: EventSink
    clock: Clock
    interactor: Interactor
    mode: RunMode = RunMode.NORMAL
    request: str = ""
    subtask: str = ""
    previous_subtasks: list[SubtaskRecord] = field(default_factory=list[SubtaskRecord])
    host_message: tuple[str, ...] = ()
    session_step: int = 0
    current_round_step: int = 0
    current_round_id: int = 0
    application_root: str = ""
    application_process: str = ""
    application_window: str = ""
    waited_for_person_s: float = 0.0
    asked: str = ""
    rejected_actions: set[str] = field(default_factory=set[str])
    secret_actions: list[ActionEvent] = field(default_factory=list[ActionEvent])
    fails_of_round: int = 0
    round_reason: str = ""
    last_round: bool = True
    tokens: int = 0
    cost_usd: float = 0.0
    step_cost_usd: float | None = 0.0
    has_unpriced_answer: bool = False
    allowance: Allowance = field(default_factory=Unlimited)
    presence: Presence = field(default_factory=Nobody)
    hand_backs: int = 0
    hand_backs_before_step: int = 0
    hand_back_step: int = 0
    hand_back_told: str = ""
    acting: ClosesSubtask | None = None
    _own: dict[str, object] = field(default_factory=dict[str, object], init=False)

    def handed_back(self, told: str) -> None:
        """A user who had taken the desktop over has handed it back; `told`: what models learn of it."""
        self.hand_backs += 1
        self.hand_back_step, self.hand_back_told = self.session_step, told

    @property
    def was_taken_over(self) -> bool:
        """True if the desktop was handed back since the present step began: what was observed is out of date."""
        return self.hand_backs != self.hand_backs_before_step

    @property
    def user_told(self) -> tuple[str, ...]:
        """Words about the last hand-back for the prompts of the step after it."""
        return (self.hand_back_told,) if self.hand_back_told and self.session_step <= self.hand_back_step + 1 else ()

    def get(self, key: str, default: object = None) -> object:
        """Return the value of a public name or of a key that a plug-in set; the default without one."""
        return getattr(self, key) if key in _PUBLIC else self._own.get(key, default)

    def set(self, key: str, value: object) -> None:
        """Keep a value of a plug-in's own for the rest of the session. Raises: StateError for a public name."""
        if key in _PUBLIC:
            raise StateError(f"the context sets {key!r} itself", fix="choose another key, such as the plug-in's name")
        self._own[key] = value
