"""ACTION_EXECUTION, the same for every agent: run the permitted actions, correct the claim by their results (contract
3.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import anyio

from deskhand.commands.tools.replacement_window import Succession
from deskhand.core.command import Effect, ResultStatus
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import DeskhandError, ErrorInfo, PipelineError, PluginError
from deskhand.core.events import ActionsHeld, CheckRun
from deskhand.core.json import JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.ports import Checker, CheckResult
from deskhand.core.replies import AgentReply
from deskhand.core.statuses import AgentStatus, Cause, HostAgentStatus, StepVerdict
from deskhand.core.type_checks import items_of
from deskhand.pipeline.actions import ActionCommandInfo, ActionInfo, PlannedAction, PlanningGround, short, unmet_of
from deskhand.pipeline.closed_window import closed_by_it, crash_since, died, is_gone, note_closed
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.dispatching import TAKEN_OVER, ActionExecutor, Gate, Judgement
from deskhand.pipeline.events import tell_reply
from deskhand.pipeline.repetition import Repetition
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_status import after_failure, after_repeats
from deskhand.pipeline.unsettled import unsettled
from deskhand.prompts.step_history import called

CHECKER_S: Final = 60.0
"""Timeout for a checker of the caller's."""
_NO_CHECKER: Final = "correct it, or run without it"
_LONGEST_DEFECT: Final = 300
_MOST_DEFECTS: Final = 3
_SKIPS = (AgentStatus.FAIL, AgentStatus.ERROR, AgentStatus.PENDING)
"""The statuses whose actions do not run; those of all others do, also of states that plug in."""
_STOPS = (*_SKIPS, AgentStatus.FINISH, HostAgentStatus.ASSIGN)
"""The statuses after which the agent does not continue with its own next step."""
_CLAIMS = (AgentStatus.FINISH, HostAgentStatus.ASSIGN)
"""The statuses that claim a result; an expectation that fails withdraws the claim."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The results of the actions, the verdict on the step, and a warning for the model, if there is one."""

    actions: ActionInfo
    verdict: StepVerdict
    warning: str = ""

    def fields(self) -> dict[str, object]:
        """Return the fields of the processing context that every agent's actions fill."""
        return {
            "action_info": self.actions,
            "execution_result": tuple(action.result for action in self.actions),
            "control_log": tuple(self.actions.to_list_of_dicts()),
            "verdict": self.verdict,
            "status": self.verdict.status,
            "warning": self.warning,
        }


async def act_on(agent: PipelineAgent, local: ProcessingContext, reply: AgentReply | None) -> Conclusion:
    """Write the reply to the journal, copy to the agent what it needs of it, and carry out the planned actions.

    Raises: PipelineError where there is no reply.
    """
    planned, ground = local.planned_actions, local.planning_ground
    if reply is None or planned is None or ground is None:
        raise PipelineError("there is no reply to act on")
    raw = local.response_text or ""
    tell_reply(agent, local.shared, reply, raw, local.reply_position, local.reply_healing)
    agent.plan, agent.result, agent.questions = tuple(reply.plan), reply.result, tuple(reply.questions)
    done = await _carried_out(agent, local, reply, planned, ground)
    for action in done.actions:
        if action.done:
            _take(agent, action, ground)
    return replace(done, warning="\n".join(filter(None, [_told_left_out(reply), done.warning])))


def _take(agent: PipelineAgent, action: ActionCommandInfo, ground: PlanningGround) -> None:
    """Leave to the agent what an action is for that does nothing to an application."""
    labels = items_of(action.arguments.get("control_labels"), str)
    if action.function == "annotation":
        agent.only_annotated = frozenset(ground.targets[label].handle for label in labels if label in ground.targets)
    if action.function == "summary":
        agent.summary = str(action.arguments.get("text", ""))


def _told_left_out(reply: AgentReply) -> str:
    """Name the rejected parts of a reply for the model that wrote it; empty where all of it was accepted."""
    if not reply.left_out:
        return ""
    told = "; ".join(short(why, _LONGEST_DEFECT) for why in list(reply.left_out.values())[:_MOST_DEFECTS])
    return f"These parts of your last reply were wrong and were ignored: {told}"


async def _carried_out(
    agent: PipelineAgent,
    local: ProcessingContext,
    reply: AgentReply,
    planned: Sequence[PlannedAction],
    ground: PlanningGround,
) -> Conclusion:
    """Carry out the actions, or stop an agent that repeats the same step."""
    executor = ActionExecutor(agent, local.shared, local.session_step)
    executor.follows_script = local.reply_position is not None
    allowed = agent.services.settings.max_repeats
    if not allowed:
        return await conclude(agent, local.shared, executor, reply, planned)
    row = agent.repetition.with_step(planned, ground, local.reply_position)
    if planned and row.times > allowed and reply.status not in _STOPS:
        verdict = after_repeats(allowed, ", ".join(action.action.function for action in planned))
        return Conclusion(executor.skip_all(planned, "skipped: the same step was repeated too often"), verdict)
    done = await conclude(agent, local.shared, executor, reply, planned)
    return _counted(agent, done, row if planned else None)


def _counted(agent: PipelineAgent, done: Conclusion, row: Repetition | None) -> Conclusion:
    """Count the repetitions in a row, and warn the agent at the last permitted one.

    A failed step has its own limit, and a step without an action does nothing: neither is counted, and neither ends a
    row. A held action counts when it is held: if the user rejects it, the subtask ends.
    """
    if done.verdict.status in _STOPS:
        agent.repetition = Repetition()
        return done
    if row is None or done.verdict.trigger == "corrected":
        return done
    agent.repetition = row = row.ending_in(done.actions, agent.repetition)
    if row.times != agent.services.settings.max_repeats:
        return done
    warning = (
        f"You repeated the same step {row.times} times and nothing changed. "
        "Do something else: one more repetition fails the subtask."
    )
    return replace(done, warning=warning)


async def conclude(
    agent: PipelineAgent,
    context: Context,
    executor: ActionExecutor,
    reply: AgentReply,
    planned: Sequence[PlannedAction],
) -> Conclusion:
    """Run, hold or skip the reply's actions and return the step's verdict. Sets `agent.held` where it holds them."""
    if reply.status in _SKIPS:
        skipped = executor.skip_all(planned, f"skipped: the reply's status is {reply.status}")
        return Conclusion(skipped, _claimed(reply))
    judgement = executor.judge(planned)
    if judgement.gate in {Gate.DENIED, Gate.REJECTED}:
        done = executor.refuse_all(planned, judgement)
        return Conclusion(done, failed_step(agent, done))
    if judgement.gate is Gate.HELD:
        return Conclusion(ActionInfo(), hold(agent, context, executor, planned, judgement))
    if reply.status == AgentStatus.CONFIRM:
        asked = reply.comment or "the model asked for a confirmation"
        return Conclusion(ActionInfo(), hold(agent, context, executor, planned, judgement, asked_by_model=asked))
    done = await executor.run(planned)
    if executor.is_out_of_date and not (executor.follows_script and all(action.ran for action in done)):
        return Conclusion(done, StepVerdict(AgentStatus.CONTINUE, Cause.SYSTEM, "corrected", TAKEN_OVER))
    return Conclusion(done, await _after_running(agent, context, executor, reply, done))


def hold(
    agent: PipelineAgent,
    context: Context,
    executor: ActionExecutor,
    planned: Sequence[PlannedAction],
    judgement: Judgement,
    *,
    asked_by_model: str = "",
) -> StepVerdict:
    """Hold actions for the user's approval, in `agent.held`, and return the verdict that leads to it.

    `asked_by_model`: its reason, where the model asks and no rule.
    """
    agent.held = executor.hold(planned, judgement)
    reason = asked_by_model or judgement.reason
    ids = [item.planned.command.call_id for item in agent.held]
    context.events.emit(ActionsHeld(step=context.session_step, agent=agent.name, call_ids=ids, reason=reason))
    cause, trigger = (Cause.LLM, "reply") if asked_by_model else (Cause.SYSTEM, "policy")
    return StepVerdict(AgentStatus.CONFIRM, cause, trigger, reason)


def _claimed(reply: AgentReply) -> StepVerdict:
    reason = reply.comment or reply.result or reply.thought
    if not reason and reply.status in {AgentStatus.FAIL, AgentStatus.ERROR}:
        reason = f"the model claimed {reply.status} without a reason"
    return StepVerdict(reply.status, Cause.LLM, "reply", reason)


async def _after_running(
    agent: PipelineAgent, context: Context, executor: ActionExecutor, reply: AgentReply, done: ActionInfo
) -> StepVerdict:
    closed = await _closed(agent, reply, done)
    if closed is not None and agent.root is not None and (dead := died(agent.root, closed)) is not None:
        return _count_failure(agent, dead)
    surprise = _first_unexpected(done, closed=closed is not None)
    if surprise is not None and not surprise.done:
        return failed_step(agent, done)
    if reply.status in _CLAIMS and (doubt := _doubt(surprise, reply)):
        return _count_failure(agent, ErrorInfo("ExpectationFailed", doubt, recoverable=True))
    if closed is not None:
        note_closed(agent, closed, called(done.actions[-1].to_record()))
    elif unproven := _unproven(agent, reply, done):
        return _count_failure(agent, ErrorInfo("ClaimCorrected", unproven, recoverable=True))
    if reply.status == AgentStatus.FINISH and (broken := await _broken(agent, context, executor, reply, done)):
        return _count_failure(agent, broken)
    agent.failed_steps = 0
    return _claimed(reply)


async def _broken(
    agent: PipelineAgent, context: Context, executor: ActionExecutor, reply: AgentReply, done: ActionInfo
) -> ErrorInfo | None:
    """Return why a FINISH does not hold: a check failed, or, for the host, a program crashed after its subtask.

    A further finished subtask settles the crashes that the host knows of.
    """
    if unmet := unmet_of(await _final_checks(agent, context, executor, reply, done)):
        return ErrorInfo("CheckFailed", f"the claim does not hold: {unmet}", recoverable=True)
    if agent.kind == AgentKind.HOST:
        return await crash_since(agent)
    agent.services.closed.settle()
    return None


def _first_unexpected(done: ActionInfo, *, closed: bool) -> ActionCommandInfo | None:
    """Return the first action with an unexpected result. `closed`: a window that is gone is expected."""
    unexpected = (action for action in done if not action.good)
    return next((action for action in unexpected if not (closed and _lost_its_window(action))), None)


def _unproven(agent: PipelineAgent, reply: AgentReply, done: ActionInfo) -> str:
    """Return why a FINISH may not rely on its actions, or without any on those before; empty where it may."""
    if reply.status != AgentStatus.FINISH:
        return ""
    unproven = next((action for action in done if not action.proven), None)
    if unproven is None:
        return _left_open(agent) if not done.actions else ""
    effect = unproven.result.effect or unproven.result.status
    return f"{unproven.function} was not confirmed ({effect}): check its effect before you claim FINISH"


def _left_open(agent: PipelineAgent) -> str:
    """Return the failed action of an application's agent that contradicts its FINISH; empty with a script."""
    follows_script = bool(agent.steps) and agent.steps[-1].position is not None
    return unsettled(agent.steps) if agent.kind == AgentKind.APP and not follows_script else ""


def _doubt(surprise: ActionCommandInfo | None, reply: AgentReply) -> str:
    """Return why a claim is rejected although every action was done; empty where it is not."""
    if surprise is not None:
        return f"{surprise.function} was done, but its expectation does not hold: {surprise.unmet}"
    unread = [why for name, why in reply.left_out.items() if name.rpartition(".")[2].lower() == "expect"]
    return f"the expectation could not be read and was not checked: {unread[0]}" if unread else ""


async def _closed(agent: PipelineAgent, reply: AgentReply, done: ActionInfo) -> Succession | None:
    """Return what replaced the agent's window where the actions of a FINISH closed it; None where it is still open."""
    ran = any(action.result.delivered for action in done)
    return await closed_by_it(agent) if reply.status == AgentStatus.FINISH and ran else None


def _lost_its_window(action: ActionCommandInfo) -> bool:
    """Return whether the only problem of an action is that its window was gone when its effect was checked."""
    return action.result.delivered and is_gone(action.result.error) and not action.unmet


async def _final_checks(
    agent: PipelineAgent, context: Context, executor: ActionExecutor, reply: AgentReply, done: ActionInfo
) -> list[CheckResult]:
    """Run the checks of a FINISH claim: those of the reply, then those of the caller (contract 2.3)."""
    checks = [] if done.actions else list(await executor.check(reply.expect, None, None))
    if not _answers_request(agent, context) or any(not check.ok for check in checks):
        return checks
    if context.mode is RunMode.FOLLOWER and agent.services.at_the_end is not None:
        checks += await executor.check(agent.services.at_the_end(agent.services.blackboard.values()), None, None)
    for checker in agent.services.checkers:
        for check in await _checked(checker, agent.services.blackboard.values()):
            checks.append(check)
            context.events.emit(
                CheckRun(step=context.session_step, agent=agent.name, name=check.name, ok=check.ok, detail=check.detail)
            )
    return checks


async def _checked(checker: Checker, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
    """Return the results of a checker of the caller's. Raises: PluginError, with its name, if it raises or hangs."""
    name = getattr(checker, "name", type(checker).__name__)
    with anyio.move_on_after(CHECKER_S):
        try:
            return await checker.check(data)
        except DeskhandError:
            raise
        except Exception as error:  # the code of the caller
            problem = f"the checker {name} raised {type(error).__name__}: {error}"
            raise PluginError(problem, fix=_NO_CHECKER) from error
    raise PluginError(f"the checker {name} did not finish within {CHECKER_S:g} s", fix=_NO_CHECKER)


def _answers_request(agent: PipelineAgent, context: Context) -> bool:
    """Return whether this FINISH answers the caller's request. A plan is one request, and its last step answers it."""
    return context.last_round if context.mode is RunMode.FOLLOWER else agent.answers_request


def failed_step(agent: PipelineAgent, done: ActionInfo) -> StepVerdict:
    """Return the verdict of a step with an action that failed or was refused."""
    bad = [action for action in done if not action.done]
    first = next((action for action in bad if action.result.status is not ResultStatus.SKIPPED), bad[0])
    known = first.result.error
    if known is None or first.result.effect is Effect.REFUSED:
        problem = first.problem() or f"{first.function} failed"
        known = known or ErrorInfo("ActionFailed", problem, recoverable=True)
        known = replace(known, message=problem, recoverable=True)
    if is_gone(known):  # the next observation continues in another window, or fails
        known = replace(known, host_only=False)
    return _count_failure(agent, known)


def _count_failure(agent: PipelineAgent, error: ErrorInfo) -> StepVerdict:
    agent.failed_steps += 1
    return after_failure(error, agent.kind, agent.failed_steps, agent.services.settings.max_failed_steps)
