"""The ShellAgent's strategies and its processor; its observation is a folder and the output of the last command."""

from collections.abc import Mapping
from dataclasses import dataclass

from deskhand.core.command import Command, ToolType
from deskhand.core.replies import AgentReply
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.actions import raise_if_failed
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, ProcessingContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase, ProcessingResult, depends_on, provides
from deskhand.pipeline.model_call import ask, model_request
from deskhand.pipeline.parsing import planning_ground, usable
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import MemoryUpdateStrategy
from deskhand.pipeline.services import PipelineAgent


@dataclass(slots=True, kw_only=True)
class ShellAgentProcessorContext(ProcessingContext):
    """The fields of a ShellAgent's step."""

    shell_view: str | None = None
    parsed_response: AgentReply | None = None


@provides("shell_view")
class ShellDataCollectionStrategy(BaseProcessingStrategy):
    """Reads the folder's files and the output of the last command."""

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


class ShellAgentProcessor(ProcessorTemplate[ShellAgentProcessorContext]):
    """The four phases over a folder and a command's output."""

    processor_context_class = ShellAgentProcessorContext

    def build_strategies(self) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: ShellDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: ShellLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: ShellActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: MemoryUpdateStrategy(fail_fast=False),
        }
