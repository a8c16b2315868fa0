"""An agent without pipeline or desktop: it answers a state what a test wrote down."""

from dataclasses import dataclass, field

from deskhand.core.context import Context, RunMode
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Decided
from deskhand.core.statuses import Cause, StepVerdict
from deskhand.states import AgentState, AgentStateManager, AppAgentStateManager, HostAgentStateManager, Move
from deskhand.states.moves import Asked, Assigned


@dataclass
class PlainAgent:
    """Implements `StateAgent`. `did` is what its states asked of it."""

    state_manager: AgentStateManager
    name: str = "agent"
    mode: RunMode = RunMode.NORMAL
    verdict: StepVerdict = field(default_factory=lambda: StepVerdict("CONTINUE", Cause.LLM, "reply"))
    asked: Asked = Asked.ANSWERED
    decided: Decided | None = Decided.APPROVED
    assigned: Assigned = Assigned.ASSIGNED
    spent: bool = False
    host: "PlainAgent | None" = None
    active: "PlainAgent | None" = None
    redirection: Move | None = None
    arrival: Move | None = None
    did: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.state: AgentState = self.state_manager.get_state("CONTINUE")

    @property
    def status(self) -> str:
        return self.redirection.status if self.redirection else self.state.name()

    def accept_redirection(self, redirection: Move) -> None:
        self.redirection = redirection

    def set_state(self, state: AgentState, arrival: Move | None = None) -> None:
        self.state, self.arrival, self.redirection = state, arrival, None

    def fails_spent(self) -> bool:
        return self.spent

    def get_active_appagent(self) -> "PlainAgent | None":
        return self.active

    def record_result(self, context: Context) -> None:
        self.did.append("record_result")

    def record_failure(self, context: Context, reason: str) -> None:
        self.did.append(f"record_failure {reason}")

    def close_subtask(self, context: Context, status: str, outcome: Outcome, error: str) -> SubtaskRecord:
        self.did.append("close_subtask")
        return SubtaskRecord("subtask", status, outcome, error=error)

    async def process(self, context: Context, *, fresh: bool = False) -> StepVerdict:
        self.did.append("process fresh" if fresh else "process")
        return self.verdict

    async def process_asker(self, context: Context) -> Asked:
        self.did.append("process_asker")
        return self.asked

    async def process_confirmation(self, context: Context) -> Decided | None:
        self.did.append("process_confirmation")
        return self.decided

    async def process_resume(self, context: Context) -> None:
        self.did.append("process_resume")

    async def create_subagent(self, context: Context) -> Assigned:
        self.did.append("create_subagent")
        return self.assigned


def plain_host() -> PlainAgent:
    host = PlainAgent(HostAgentStateManager())
    host.active = PlainAgent(AppAgentStateManager(), "app", host=host)
    return host


def plain_app(*, host: bool = True) -> PlainAgent:
    return PlainAgent(AppAgentStateManager(), "app", host=PlainAgent(HostAgentStateManager()) if host else None)
