"""MEMORY_UPDATE, the same for every agent: it runs even where a phase before it failed (contract 3.1, 3.2)."""

from dataclasses import replace
from typing import Final

from deskhand.core.context import Context
from deskhand.core.events import StepRemembered, VerdictData
from deskhand.core.json import JsonObject
from deskhand.core.model import StepRecord
from deskhand.core.replies import AgentReply
from deskhand.core.statuses import StepVerdict
from deskhand.memory import MemoryItem, record_data
from deskhand.pipeline.actions import ActionInfo
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.services import PipelineAgent

_APPROVED: Final = "The user approved the action of your last step, and it was carried out."


def remember(agent: PipelineAgent, local: ProcessingContext, reply: AgentReply | None) -> dict[str, object]:
    """Add the step to the agent's memory and the blackboard. Returns the fields of a memory strategy."""
    additional = _additional(agent, local)
    item = MemoryItem()
    item.add_values_from_dict(reply.model_dump(mode="json") if reply else {})
    item.add_values_from_dict(additional)
    agent.memory.add(item)
    record = replace(step_record(local, reply), numbering=agent.labeller.numbering)
    agent.steps.append(record)
    keep(agent, local.shared, local.session_step, item, record, local.verdict)
    return {"additional_memory": additional, "memory_item": item, "updated_blackboard": True}


def keep(
    agent: PipelineAgent,
    context: Context,
    step: int,
    item: MemoryItem,
    record: StepRecord,
    verdict: StepVerdict | None = None,
) -> None:
    """Put a step on the blackboard and into the journal, in place of an earlier record of it."""
    agent.services.blackboard.add_trajectories(item.to_dict())
    context.events.emit(
        StepRemembered(
            step=step,
            agent=agent.name,
            item=item.to_dict(),
            record=record_data(record),
            verdict=verdict_data(verdict) if verdict else None,
        )
    )


def verdict_data(verdict: StepVerdict) -> VerdictData:
    """Return a verdict in the form of the journal."""
    return VerdictData(
        status=verdict.status,
        cause=verdict.cause.value,
        trigger=verdict.trigger,
        reason=verdict.reason,
        reannotate=verdict.reannotate,
    )


def _additional(agent: PipelineAgent, local: ProcessingContext) -> JsonObject:
    return {
        **action_fields(local.action_info or ActionInfo()),
        "session_step": local.session_step,
        "round_step": local.shared.current_round_step,
        "round_num": local.shared.current_round_id,
        "agent_step": agent.step,
        "subtask": local.subtask,
        "request": local.request,
        "app_root": local.app_root.name if local.app_root else "",
        "cost": local.llm_cost,
        "status": local.verdict.status if local.verdict else "",
    }


def action_fields(actions: ActionInfo) -> JsonObject:
    """Return the fields of a memory item about the actions that ran and their results."""
    return {
        "function_call": list(actions.get_function_calls()),
        "action": list(actions.to_list_of_dicts()),
        "action_success": list(actions.to_list_of_dicts(success_only=True)),
        "action_type": [action.result.namespace for action in actions],
        "action_representation": list(actions.to_representation()),
        "results": [action.result.evidence for action in actions],
    }


def step_record(local: ProcessingContext, reply: AgentReply | None) -> StepRecord:
    """Return the step's record for later prompts."""
    actions = local.action_info or ActionInfo()
    verdict = local.verdict
    corrected = verdict is not None and verdict.trigger in {"corrected", "spent", "gone", "raised"}
    return StepRecord(
        step=local.session_step,
        status=verdict.status if verdict else "",
        actions=tuple(action.to_record() for action in actions),
        problem=verdict.reason if verdict and corrected else "",
        reply_status=reply.status if reply else "",
        warning=local.warning or "",
        position=local.reply_position,
        healing=local.reply_healing,
    )


def resumed_record(record: StepRecord, done: ActionInfo) -> StepRecord:
    """Return a held step's record after its actions ran, or were refused, following the approval.

    Without a problem its status is the claimed one: the confirmation that it waited for was given.
    """
    actions = tuple(action.to_record() for action in done)
    if problem := "; ".join(action.problem() for action in done if not action.done):
        return replace(record, actions=actions, problem=problem)
    warning = "\n".join(filter(None, [record.warning, _APPROVED]))
    return replace(record, actions=actions, problem="", status=record.reply_status or record.status, warning=warning)


@depends_on("session_step", "parsed_response", "action_info", "execution_result", "status", "llm_cost")
@provides("additional_memory", "memory_item", "updated_blackboard")
class MemoryUpdateStrategy(BaseProcessingStrategy):
    """Records the step of any agent whose context has a `parsed_response`."""

    async def execute(self, agent: PipelineAgent, context: ProcessingContext) -> ProcessingResult:
        reply = context.get_local("parsed_response")
        return ProcessingResult(
            success=True, data=remember(agent, context, reply if isinstance(reply, AgentReply) else None)
        )
