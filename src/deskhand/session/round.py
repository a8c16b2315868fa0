"""One request, from its first state to its outcome (contract 2.3)."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

import anyio
from anyio.lowlevel import checkpoint

from deskhand.agents import BasicAgent, HostAgent
from deskhand.agents.evaluation import Desktop, EvaluationAgent
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import ErrorInfo, PersonStays, StateError
from deskhand.core.events import ErrorData, ProblemMet, RoundFinished, RoundStarted, TransitionTaken
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import AgentStatus, Cause
from deskhand.pipeline.closed_window import is_gone
from deskhand.pipeline.observing import desktop_picture, desktop_windows, keep_final_picture
from deskhand.session.budgets import Budgets
from deskhand.states import AgentState, Move, archive, redirect
from deskhand.store.log_folder import LogFolder

T = TypeVar("T")

STOPPED: Final = "stopped from outside"
"""The reason of a cancellation whose origin is unknown: the user, or a failure of a parallel task."""
MOST_TURNS: Final = 50
"""Transitions in a row without a step. The packaged machines need three (PENDING, FAIL, hand-over). No budget counts
transitions without a step, so that states of a plug-in that lead to each other would never end.
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a round or a session. `error_code`: the exit code of the deciding error (contract 6)."""

    outcome: Outcome
    reason: str
    error_code: int | None = None

    @property
    def exit_code(self) -> int:
        return self.outcome.exit_code if self.error_code is None else self.error_code


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The place in a round at which another process was interrupted. The agents and the context are as they were then.

    `agent`: the one whose state is to be handled; `is_handled`: that work is done, and its edge comes next.
    `seconds`: the time of the round until then. `ending`: the round cannot go on, and ends so. `ended_by`: agent and
    state of its last edge, which ended the round.
    """

    agent: BasicAgent
    is_handled: bool = False
    seconds: float = 0.0
    subtasks_before: int = 0
    came_from_app: bool = False
    ending: Ending | None = None
    ended_by: tuple[BasicAgent, AgentState] | None = None


class Round:
    """Runs the machines for one request. `agent` is the host, or an AppAgent without one."""

    def __init__(
        self,
        number: int,
        request: str,
        agent: BasicAgent,
        context: Context,
        budgets: Budgets,
        evaluator: EvaluationAgent | None = None,
    ) -> None:
        self._number = number
        self._request = request
        self._agent = agent
        self._context = context
        self._budgets = budgets
        self._evaluator = evaluator
        self._folder = LogFolder(context.log_path)
        self._subtasks_before = len(context.previous_subtasks)
        self._subtask_ends = 0
        self._came_from_app = False
        self._ending: Ending | None = None
        self._acting = agent
        self._is_handled = False

    async def run(self, point: ResumePoint | None = None) -> Ending:
        """Run the round, from `point` if given. When it is cancelled, the open subtask is archived as cancelled and the
        cancellation is passed on.
        """
        context = self._context
        started = context.clock.monotonic() - (point.seconds if point else 0.0)
        if point is None:
            self._begin()
        else:
            self._take_up(point)
        try:
            await self._loop()
            await self._final_picture()
            await self._evaluate()
        except anyio.get_cancelled_exc_class():
            self._ending = Ending(Outcome.CANCELLED, STOPPED)
            raise
        finally:
            ending = self._ending or Ending(Outcome.ERROR, "the round stopped without an ending")
            self._archive_open_subtask(ending)
            seconds = context.clock.monotonic() - started
            context.events.emit(
                RoundFinished(round=self._number, outcome=ending.outcome.value, reason=ending.reason, seconds=seconds)
            )
        return ending

    def _begin(self) -> None:
        context, agent = self._context, self._agent
        context.request = self._request
        context.current_round_id, context.current_round_step = self._number, 0
        context.fails_of_round = 0
        context.rejected_actions.clear()
        context.round_reason = ""
        context.subtask = "" if isinstance(agent, HostAgent) else self._request
        agent.blackboard.requests.append(self._request)
        if isinstance(agent, HostAgent):
            agent.begin_round()
        else:
            agent.forget_subtask()
        context.events.emit(RoundStarted(round=self._number, request=self._request))
        agent.set_state(agent.state_manager.get_state(AgentStatus.CONTINUE))

    def _take_up(self, point: ResumePoint) -> None:
        self._acting, self._is_handled = point.agent, point.is_handled
        self._subtasks_before, self._came_from_app = point.subtasks_before, point.came_from_app
        self._subtask_ends = len(self._archived)
        self._ending = point.ending
        if point.ended_by is not None:
            self._ending = self._judge(*point.ended_by)

    async def _loop(self) -> None:
        agent, step, turns = self._acting, self._context.session_step, 0
        while self._ending is None:
            await checkpoint()  # a state may never wait, and a cancellation must still be delivered
            state = agent.state
            step, turns = self._context.session_step, turns + 1 if self._context.session_step == step else 0
            if turns in {MOST_TURNS, 2 * MOST_TURNS}:
                agent = self._circled(agent, state, turns)
                continue
            is_handled, self._is_handled = self._is_handled, False
            acts = state.acts and not is_handled
            if acts and not await self._free():
                return
            if acts and (spent := self._budgets.spent(self._context)):
                self._ending = Ending(spent.outcome, spent.reason)
                return
            try:
                if not is_handled:
                    await self._handle(agent, state)
                said = _said_by(state, agent)
            except Exception as error:  # noqa: BLE001 - contract 7: whatever a state raises becomes ERROR
                agent = self._raised(agent, state, error)
                continue
            if said.ends_subtask:
                await self._subtask_picture(agent)
            agent = self._advance(agent, state, said)

    def _circled(self, agent: BasicAgent, state: AgentState, turns: int) -> BasicAgent:
        """Return ERROR of the same agent after too many transitions without a step; the end where they continue."""
        reason = f"{turns} turns in a row without a step, the last in {state.name()} of {agent.name}: they have no end"
        if turns > MOST_TURNS:
            self._ending = Ending(Outcome.ERROR, reason)
            return agent
        return self._fail(agent, state, reason)

    async def _free(self) -> bool:
        """Wait until the user does not use the desktop; False, and the round ends, after the timeout."""
        try:
            await self._context.presence.free()
        except PersonStays as error:
            self._ending = Ending(Outcome.TIMEOUT, error.message)
            return False
        return True

    async def _handle(self, agent: BasicAgent, state: AgentState) -> None:
        """Let a state work; a state that works without the pipeline counts as a step too. Raises: the errors of the
        state.
        """
        before, self._context.acting = self._context.session_step, agent
        try:
            await state.handle(agent, self._context)
        finally:
            if state.acts and self._context.session_step == before:
                agent.count_step(self._context)

    def _raised(self, agent: BasicAgent, state: AgentState, error: Exception) -> BasicAgent:
        """Return the edge for an exception of a state: ERROR of the same agent; the end for a terminal state (contract
        7).
        """
        info = ErrorInfo.of(error)
        if state.terminal:
            self._tell_problem(f"state {state.name()} of {agent.name}", error)
        return self._fail(agent, state, f"{info.type}: {info.message}")

    def _advance(self, agent: BasicAgent, state: AgentState, said: "_Said") -> BasicAgent:
        """Take the edge of the state and return the next agent. Sets the ending where the round ends."""
        successor, taker = said.successor, said.taker
        if successor is None:
            self._ending = self._judge(agent, state)
            return agent
        move = _edge_to(successor, agent, taker, said.move)
        manager = agent.state_manager
        row = manager.table.row(manager.machine, state.name(), move.to, move.cause, move.trigger)
        if row is None or not successor.name():
            reason = f"{manager.machine} may not go from {state.name()} to {_told(move)}"
            return self._fail(agent, state, reason, ends_round=said.ends_round)
        ending = self._judge(agent, state) if said.ends_round else None
        self._take(agent, state, move if move.trigger else replace(move, trigger=row.trigger), taker, successor)
        self._ending = ending
        return taker

    def _fail(self, agent: BasicAgent, state: AgentState, reason: str, *, ends_round: bool = False) -> BasicAgent:
        """Return ERROR of the same agent; the end from a terminal state or a machine without ERROR (contract 2.2)."""
        error = _error_state(agent)
        if state.terminal or error is None:
            self._ending = Ending(Outcome.ERROR, reason)
            return agent
        redirect(agent, AgentStatus.ERROR, Cause.SYSTEM, reason, trigger="raised")
        ending = self._judge(agent, state) if ends_round else None
        self._take(agent, state, Move(error.name(), Cause.SYSTEM, "raised", reason), agent, error)
        self._ending = ending
        return agent

    def _take(self, agent: BasicAgent, state: AgentState, move: Move, taker: BasicAgent, successor: AgentState) -> None:
        status = successor.name()
        machine = agent.state_manager.machine
        to = status if taker is agent else f"{taker.state_manager.machine}:{status}"
        self._context.events.emit(
            TransitionTaken(
                agent=agent.name,
                machine=machine,
                source=state.name(),
                to=to,
                cause=move.cause.value,
                trigger=move.trigger,
                reason=move.reason,
                step=self._context.session_step,
            )
        )
        self._came_from_app = taker is agent.host
        taker.set_state(successor, move)

    @property
    def _archived(self) -> list[SubtaskRecord]:
        return self._context.previous_subtasks[self._subtasks_before :]

    def _judge(self, agent: BasicAgent, state: AgentState) -> Ending:
        """Return the round's ending for its last state (contract 2.3)."""
        archived = self._archived
        last = archived[-1] if archived else None
        if state.name() == AgentStatus.ERROR or state.name() == "":
            return Ending(Outcome.ERROR, agent.arrival.reason if agent.arrival else "an error without a reason")
        is_the_subtasks = not isinstance(agent, HostAgent) or self._context.mode is RunMode.FOLLOWER
        if is_the_subtasks and last is not None:
            return _ending_of(last)
        if state.name() == AgentStatus.FAIL:
            return self._failed(agent, last)
        if is_the_subtasks:
            return Ending(Outcome.FAILED, _reason(agent, "no subtask was carried out"))
        return self._finished(last)

    def _failed(self, host: BasicAgent, last: SubtaskRecord | None) -> Ending:
        reason = _reason(host, "the host gave up")
        cause = host.arrival.cause if host.arrival else Cause.SYSTEM
        if cause is Cause.USER:
            return Ending(Outcome.REJECTED, reason)
        led_here = last if self._came_from_app else None
        if cause is Cause.TIMEOUT or (led_here is not None and led_here.outcome is Outcome.TIMEOUT):
            return Ending(Outcome.TIMEOUT, reason)
        return Ending(Outcome.FAILED, reason)

    def _finished(self, last: SubtaskRecord | None) -> Ending:
        if last is not None and last.outcome is not Outcome.SUCCESS:
            return _ending_of(last)
        if (lost := _never_made_good(self._archived)) is not None:
            return Ending(Outcome.REJECTED, f"{lost.subtask!r} was rejected and not made good")
        return Ending(Outcome.SUCCESS, self._context.round_reason)

    def _archive_open_subtask(self, ending: Ending) -> None:
        """Archive the subtask of a cancelled round with the reason (contract 2.3)."""
        agent = self._agent.get_active_appagent() if isinstance(self._agent, HostAgent) else self._agent
        acting = self._context.acting
        if isinstance(acting, BasicAgent) and acting.host is self._agent:  # also one that a state created
            agent = acting
        if not self._context.subtask or agent is None:
            return
        archive(self._context, agent.close_subtask(self._context, agent.status, ending.outcome, ending.reason))

    async def _subtask_picture(self, agent: BasicAgent) -> None:
        self._subtask_ends += 1
        if agent.root is None:
            return
        path = self._folder.subtask_final(self._number, self._subtask_ends)
        await self._picture(agent, path, "capture_window_screenshot")

    async def _final_picture(self) -> None:
        await self._picture(self._agent, self._folder.round_final(self._number), "capture_desktop_screenshot")

    async def _evaluate(self) -> None:
        """Have the round judged where there is an evaluator; its verdict changes no outcome (contract 2.3)."""
        if self._evaluator is None or self._ending is None:
            return
        try:
            windows = tuple(await desktop_windows(self._agent))
            left = Desktop(windows, await desktop_picture(self._agent, self._context))
            told = f"{self._ending.outcome}, {self._ending.reason}"
            judged = await self._evaluator.evaluate(self._context, told, self._archived, left)
        except Exception as error:  # noqa: BLE001 - whatever looking and asking raise
            self._tell_problem("evaluation", error)
        else:
            self._context.events.emit(judged)

    async def _picture(self, agent: BasicAgent, path: Path, tool: str) -> None:
        """Save a last picture; a failure changes no outcome and is reported."""
        try:
            await keep_final_picture(agent, self._context, path, tool)
        except Exception as error:  # noqa: BLE001 - whatever a look raises
            if not (agent.window_note and is_gone(ErrorInfo.of(error))):  # the window closed, which is reported already
                self._tell_problem("final picture", error)

    def _tell_problem(self, where: str, error: Exception) -> None:
        self._context.events.emit(ProblemMet(where=where, error=ErrorData.of(error)))


@dataclass(frozen=True, slots=True)
class _Said:
    """The transition after a state's work: the next agent and state, the edge, and the ends it causes."""

    successor: AgentState | None
    taker: BasicAgent
    move: Move | None
    ends_subtask: bool
    ends_round: bool


def _said_by(state: AgentState, agent: BasicAgent) -> _Said:
    """Read it from a state. Raises: StateError where the edge is not usable, and the errors of the state."""
    follows = state.next_state(agent)
    taker = _of_kind(state.next_agent(agent), BasicAgent, f"{state.name()} hands over to", "an agent")
    successor = None if follows is None else _of_kind(follows, AgentState, f"{state.name()} is followed by", "a state")
    ends_subtask, ends_round = state.is_subtask_end(), state.is_round_end()
    if successor is None and not (state.terminal or ends_subtask or ends_round):
        raise StateError(f"{state.name()} names no state that follows it, and ends nothing", fix="return a state")
    move = None if successor is None else state.leads_to(agent)
    return _Said(successor, taker, move, ends_subtask, ends_round)


def _of_kind(value: object, kind: type[T], what: str, wanted: str) -> T:
    """Check the return value of a state, which may come from a plug-in. Raises: StateError."""
    if isinstance(value, kind):
        return value
    raise StateError(f"{what} {value!r}, which is not {wanted}", fix=f"return {wanted}")


def _error_state(agent: BasicAgent) -> AgentState | None:
    """Return the state for errors; None in a machine without one."""
    try:
        error = agent.state_manager.get_state(AgentStatus.ERROR)
    except StateError:
        return None
    return error if error.name() else None


def _edge_to(successor: AgentState, agent: BasicAgent, taker: BasicAgent, told: Move | None) -> Move:
    """Return the edge in full; a state may name its successor alone.

    In a row, `app` is the sub-agent that takes over, `host` the host of the agent (contract 2.2). No row fits where the
    edge and the next agent disagree.
    """
    status = successor.name()
    if not status:
        return told or Move(status, Cause.SYSTEM, "", "")
    to = status if taker is agent else f"host:{status}" if taker is agent.host else f"app:{status}"
    if told is None or told.status != status:
        return Move(to, Cause.SYSTEM, "", "")
    return told if told.to == to else replace(told, to=f"{told.to} of {taker.name}")


def _told(move: Move) -> str:
    """The destination, the cause and, where given, the trigger."""
    return f"{move.to} ({move.cause}, {move.trigger})" if move.trigger else f"{move.to} ({move.cause})"


def _reason(agent: BasicAgent, otherwise: str) -> str:
    return (agent.arrival.reason if agent.arrival else "") or otherwise


def _ending_of(record: SubtaskRecord) -> Ending:
    return Ending(record.outcome, record.error or record.result)


def _never_made_good(records: list[SubtaskRecord]) -> SubtaskRecord | None:
    """Return a rejected subtask without a later success of the same AppAgent."""
    for index, record in enumerate(records):
        later = records[index + 1 :]
        if record.outcome is Outcome.REJECTED and not any(
            (other.agent, other.window) == (record.agent, record.window) and other.outcome is Outcome.SUCCESS
            for other in later
        ):
            return record
    return None
