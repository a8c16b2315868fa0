"""The strategies of an agent whose observation is a text, such as a folder or a mailbox; it has no window."""

from collections.abc import Mapping
from dataclasses import dataclass

from deskhand.core.replies import AgentReply
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, ProcessingContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase, ProcessingResult, depends_on, provides
from deskhand.pipeline.model_call import ask, model_request
from deskhand.pipeline.parsing import planning_ground, usable
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import MemoryUpdateStrategy
from deskhand.pipeline.services import PipelineAgent


@dataclass(slots=True, kw_only=True)
class TextAgentProcessorContext(ProcessingContext):
    """The fields of such an agent's step. `seen_text`: its observation."""

    seen_text: str | None = None
    parsed_response: AgentReply | None = None


@depends_on("seen_text")
@provides(*REPLY_FIELDS)
class TextLLMInteractionStrategy(BaseProcessingStrategy):
    """Asks the model for the next action."""

    async def execute(self, agent: PipelineAgent, context: TextAgentProcessorContext) -> ProcessingResult:
        ground = planning_ground(agent, {})
        request = model_request(agent, context, ground, seen_text=context.seen_text or "")

        answer = await ask(agent, context.shared, request, usable(AgentReply, request, ground))
        return ProcessingResult(success=True, data={**answer.fields(), **answer.reply.fields()})


@depends_on("parsed_response", "planned_actions", "planning_ground")
@provides(*ACTION_FIELDS)
class TextActionExecutionStrategy(BaseProcessingStrategy):
    """Runs the action under the same gate and rules as every action."""

    async def execute(self, agent: PipelineAgent, context: TextAgentProcessorContext) -> ProcessingResult:
        done = await act_on(agent, context, context.parsed_response)
        return ProcessingResult(success=True, data=done.fields())


class TextAgentProcessor(ProcessorTemplate[TextAgentProcessorContext]):
    """All phases but DATA_COLLECTION: a class that derives from it adds a strategy that provides `seen_text`."""

    processor_context_class = TextAgentProcessorContext

    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.LLM_INTERACTION: TextLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: TextActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: MemoryUpdateStrategy(fail_fast=False),
        }
