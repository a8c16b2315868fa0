"""The AppAgent's machine (contract 2.2)."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Final

from deskhand.core.context import Context, RunMode
from deskhand.core.errors import StateError
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import AppAgentStatus, Cause, HostAgentStatus, StepVerdict
from deskhand.states.base import AgentState, AgentStateManager, StateAgent, archive, redirect
from deskhand.states.moves import Move
from deskhand.states.waiting import confirm_and_resume, redirect_after_asking

_OUTCOMES: Final[Mapping[str, Outcome]] = {AppAgentStatus.FAIL: Outcome.FAILED, AppAgentStatus.ERROR: Outcome.ERROR}


class AppAgentStateManager(AgentStateManager):
    """The registry of the AppAgent's states."""

    machine = "app"


class AppAgentState(AgentState):
    """A state of the AppAgent."""

    async def archive_subtask(self, context: Context, result: SubtaskRecord | str | None = None) -> None:
        """Append the ended subtask to `previous_subtasks` and write it to the journal (contract 2.2).

        `result`: the record of `agent.close_subtask`; or the result in words, None for that of the last reply: then the
        subtask of the agent whose state is handled is closed with the outcome of this state. Raises: StateError.
        """
        if result is not None and not isinstance(result, str):
            archive(context, result)
            return
        agent = context.acting
        if agent is None:
            raise StateError("no agent has a subtask to archive", fix="call it in the handle of a state")
        agent.result = agent.result if result is None else result
        outcome = _OUTCOMES.get(self.name(), Outcome.SUCCESS)
        error = "" if outcome is Outcome.SUCCESS else agent.result or self.name()
        archive(context, agent.close_subtask(context, self.name(), outcome, error))


@AppAgentStateManager.register
class ContinueAppAgentState(AppAgentState, status=AppAgentStatus.CONTINUE):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        verdict = await agent.process(context)
        redirect(agent, verdict.status, verdict.cause, verdict.reason, trigger=verdict.trigger)


@AppAgentStateManager.register
class ScreenshotAppAgentState(ContinueAppAgentState, status=AppAgentStatus.SCREENSHOT):
    """The same four phases, with a fresh observation."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        verdict = after_fresh_look(await agent.process(context, fresh=True))
        redirect(agent, verdict.status, verdict.cause, verdict.reason, trigger=verdict.trigger)


def after_fresh_look(verdict: StepVerdict) -> StepVerdict:
    """Return the verdict of a SCREENSHOT step: another fresh observation only where ids are to be assigned anew
    (contract 2.2).
    """
    if verdict.cause is not Cause.LLM:
        return verdict
    if verdict.status == AppAgentStatus.SCREENSHOT and not verdict.reannotate:
        return StepVerdict(AppAgentStatus.CONTINUE, Cause.SYSTEM, "fresh", "the fresh observation was taken")
    if verdict.status == AppAgentStatus.CONTINUE and verdict.reannotate:
        reason = "controls are to be labelled anew"
        return StepVerdict(AppAgentStatus.SCREENSHOT, Cause.SYSTEM, "reannotate", reason, reannotate=True)
    return verdict


@AppAgentStateManager.register
class PendingAppAgentState(AppAgentState, status=AppAgentStatus.PENDING):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        redirect_after_asking(agent, await agent.process_asker(context))


@AppAgentStateManager.register
class ConfirmAppAgentState(AppAgentState, status=AppAgentStatus.CONFIRM):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        await confirm_and_resume(agent, context, rejected=AppAgentStatus.FINISH)


class EndingAppAgentState(AppAgentState):
    """A terminal state: archives the subtask, then hands over to the host, or ends the round where there is none."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        arrival = agent.arrival
        outcome = self.outcome(arrival.cause if arrival else Cause.SYSTEM)
        error = arrival.reason if arrival and outcome is not Outcome.SUCCESS else ""
        await self.archive_subtask(context, agent.close_subtask(context, self.name(), outcome, error))

    @abstractmethod
    def outcome(self, cause: Cause) -> Outcome:
        """Return the outcome of the subtask for the cause that led here (contract 2.3)."""

    @abstractmethod
    def hand_over(self, agent: StateAgent) -> Move:
        """Return the edge to the host."""

    def leads_to(self, agent: StateAgent) -> Move | None:
        return None if agent.host is None else self.hand_over(agent)

    def next_agent(self, agent: StateAgent) -> StateAgent:
        return agent.host or agent


def _to_host(status: HostAgentStatus, trigger: str, reason: str) -> Move:
    return Move(f"host:{status}", Cause.SYSTEM, trigger, reason)


@AppAgentStateManager.register
class FinishAppAgentState(EndingAppAgentState, status=AppAgentStatus.FINISH, subtask_end=True, terminal=True):
    def outcome(self, cause: Cause) -> Outcome:
        return Outcome.REJECTED if cause is Cause.USER else Outcome.SUCCESS

    def hand_over(self, agent: StateAgent) -> Move:
        if agent.mode is RunMode.FOLLOWER:
            return _to_host(HostAgentStatus.FINISH, "follower", "the plan's step has ended")
        return _to_host(HostAgentStatus.CONTINUE, "archived", "the subtask has ended")


@AppAgentStateManager.register
class FailAppAgentState(EndingAppAgentState, status=AppAgentStatus.FAIL, subtask_end=True, terminal=True):
    def outcome(self, cause: Cause) -> Outcome:
        return Outcome.TIMEOUT if cause is Cause.TIMEOUT else Outcome.FAILED

    def hand_over(self, agent: StateAgent) -> Move:
        reason = agent.arrival.reason if agent.arrival else "the subtask failed"
        if agent.mode is RunMode.FOLLOWER:
            return _to_host(HostAgentStatus.FAIL, "follower", reason)
        if agent.fails_spent():
            return _to_host(HostAgentStatus.FAIL, "spent", reason)
        return _to_host(HostAgentStatus.CONTINUE, "archived", reason)


@AppAgentStateManager.register
class ErrorAppAgentState(
    EndingAppAgentState, status=AppAgentStatus.ERROR, subtask_end=True, round_end=True, terminal=True
):
    def outcome(self, cause: Cause) -> Outcome:  # noqa: ARG002 - an error is an error whoever caused it
        return Outcome.ERROR

    def hand_over(self, agent: StateAgent) -> Move:
        reason = agent.arrival.reason if agent.arrival else "an error"
        return _to_host(HostAgentStatus.FINISH, "archived", reason)


@AppAgentStateManager.register
class NoneAppAgentState(AppAgentState, status="", subtask_end=True, round_end=True):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        """Never entered: the guard turns an unknown status into ERROR."""
