"""The ShellAgent's processor."""

from collections.abc import Mapping, Sequence

from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase
from deskhand.pipeline.middleware import ProcessorMiddleware, StepLoggingMiddleware
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.shell.strategies import (
    ShellActionExecutionStrategy,
    ShellAgentProcessorContext,
    ShellDataCollectionStrategy,
    ShellLLMInteractionStrategy,
    ShellMemoryUpdateStrategy,
)
from deskhand.pipeline.spans import step_spans


class ShellAgentProcessor(ProcessorTemplate[ShellAgentProcessorContext]):
    """The four phases over a folder and a command's output."""

    processor_context_class = ShellAgentProcessorContext

    def build_strategies(self) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: ShellDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: ShellLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: ShellActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: ShellMemoryUpdateStrategy(fail_fast=False),
        }

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return (StepLoggingMiddleware(self.context), *step_spans())

    def new_context(self, *, fresh: bool) -> ShellAgentProcessorContext:
        agent, shared = self.agent, self.context
        return ShellAgentProcessorContext(
            shared=shared,
            log_path=shared.log_path,
            session_step=shared.session_step,
            request=shared.request,
            subtask=shared.subtask,
            plan=agent.plan,
            host_message=shared.host_message,
            previous_subtasks=tuple(shared.previous_subtasks),
            fresh=fresh,
            state=agent.state_name,
        )
