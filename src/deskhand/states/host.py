"""The HostAgent's machine (contract 2.2)."""

from deskhand.core.context import Context
from deskhand.core.statuses import Cause, HostAgentStatus
from deskhand.states.base import AgentState, AgentStateManager, StateAgent, redirect
from deskhand.states.moves import Assigned, Move
from deskhand.states.waiting import confirm_and_resume, redirect_after_asking


class HostAgentStateManager(AgentStateManager):
    """The registry of the HostAgent's states."""

    machine = "host"


class HostAgentState(AgentState):
    """A state of the HostAgent."""


@HostAgentStateManager.register
class ContinueHostAgentState(HostAgentState, status=HostAgentStatus.CONTINUE):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        verdict = await agent.process(context)
        redirect(agent, verdict.status, verdict.cause, verdict.reason, trigger=verdict.trigger)


@HostAgentStateManager.register
class AssignHostAgentState(HostAgentState, status=HostAgentStatus.ASSIGN):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        match await agent.create_subagent(context):
            case Assigned.ASSIGNED:
                return
            case Assigned.VANISHED:
                reason = "the window vanished before the hand-over"
                redirect(agent, HostAgentStatus.CONTINUE, Cause.SYSTEM, reason, trigger="vanished")
            case Assigned.SPENT:
                reason = "the window vanished and the round's failures are spent"
                redirect(agent, HostAgentStatus.FAIL, Cause.SYSTEM, reason, trigger="spent")

    def leads_to(self, agent: StateAgent) -> Move | None:
        taker = agent.get_active_appagent()
        if agent.redirection is None and taker is not None:
            return Move(f"app:{HostAgentStatus.CONTINUE}", Cause.SYSTEM, "assigned", f"handed to {taker.name}")
        return super().leads_to(agent)

    def next_agent(self, agent: StateAgent) -> StateAgent:
        taker = agent.get_active_appagent()
        return taker if agent.redirection is None and taker is not None else agent


@HostAgentStateManager.register
class PendingHostAgentState(HostAgentState, status=HostAgentStatus.PENDING):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        asked = await agent.process_asker(context)
        redirect_after_asking(agent, asked)


@HostAgentStateManager.register
class ConfirmHostAgentState(HostAgentState, status=HostAgentStatus.CONFIRM):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        await confirm_and_resume(agent, context, rejected=HostAgentStatus.FAIL)


@HostAgentStateManager.register
class FinishHostAgentState(HostAgentState, status=HostAgentStatus.FINISH, round_end=True, terminal=True):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        agent.record_result(context)

    def leads_to(self, agent: StateAgent) -> Move | None:  # noqa: ARG002 - the last state of every machine
        return None


class _EndingHostAgentState(HostAgentState):
    """FAIL and ERROR: records the reason, then FINISH without running it (contract 2.2)."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        agent.record_failure(context, agent.arrival.reason if agent.arrival else "")

    def leads_to(self, agent: StateAgent) -> Move | None:
        reason = agent.arrival.reason if agent.arrival else ""
        return Move(HostAgentStatus.FINISH, Cause.SYSTEM, "cleanup", reason)


@HostAgentStateManager.register
class FailHostAgentState(_EndingHostAgentState, status=HostAgentStatus.FAIL, round_end=True, terminal=True):
    pass


@HostAgentStateManager.register
class ErrorHostAgentState(_EndingHostAgentState, status=HostAgentStatus.ERROR, round_end=True, terminal=True):
    pass


@HostAgentStateManager.register
class NoneHostAgentState(HostAgentState, status="", round_end=True):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        """Never entered: the guard turns an unknown status into ERROR."""
