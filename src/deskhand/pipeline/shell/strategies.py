"""The strategies of the ShellAgent; it remembers as every agent does."""

from dataclasses import dataclass

from deskhand.core.command import Command, ToolType
from deskhand.core.replies import AgentReply
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.actions import raise_if_failed
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, ProcessingContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.model_call import ask, model_request
from deskhand.pipeline.parsing import planning_ground, usable
from deskhand.pipeline.services import PipelineAgent


@dataclass(slots=True, kw_only=True)
class ShellAgentProcessorContext(ProcessingContext):
    """The fields of a ShellAgent's step."""

    shell_view: str | None = None
    parsed_response: AgentReply | None = None


@provides("shell_view")
class ShellDataCollectionStrategy(BaseProcessingStrategy):
    """The folder's files, and what the last command printed."""

    async def execute(self, agent: PipelineAgent, context: ShellAgentProcessorContext) -> ProcessingResult:  # noqa: ARG002
        command = Command("look_at_shell", {}, ToolType.DATA_COLLECTION)
        looked = raise_if_failed((await agent.services.dispatcher.execute_commands([command]))[0])
        return ProcessingResult(success=True, data={"shell_view": str(looked.result)})


@depends_on("shell_view")
@provides(*REPLY_FIELDS)
class ShellLLMInteractionStrategy(BaseProcessingStrategy):
    """Asks the model for the next command."""

    async def execute(self, agent: PipelineAgent, context: ShellAgentProcessorContext) -> ProcessingResult:
        ground = planning_ground(agent, {})
        request = model_request(agent, context, ground, seen_text=context.shell_view or "")

        answer = await ask(agent, context.shared, request, usable(AgentReply, request, ground))
        return ProcessingResult(success=True, data={**answer.fields(), **answer.reply.fields()})


@depends_on("parsed_response", "planned_actions", "planning_ground")
@provides(*ACTION_FIELDS)
class ShellActionExecutionStrategy(BaseProcessingStrategy):
    """Runs the command under the same gate and rules as every action."""

    async def execute(self, agent: PipelineAgent, context: ShellAgentProcessorContext) -> ProcessingResult:
        done = await act_on(agent, context, context.parsed_response)
        return ProcessingResult(success=True, data=done.fields())
