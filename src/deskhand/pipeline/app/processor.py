"""The AppAgent's processor."""

from collections.abc import Mapping, Sequence

from deskhand.pipeline.app.act import AppActionExecutionStrategy
from deskhand.pipeline.app.collect import AppDataCollectionStrategy
from deskhand.pipeline.app.interact import AppLLMInteractionStrategy
from deskhand.pipeline.app.remember import AppMemoryUpdateStrategy
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase
from deskhand.pipeline.middleware import AppAgentLoggingMiddleware, ProcessorMiddleware
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.spans import step_spans


class AppAgentProcessor(ProcessorTemplate[AppAgentProcessorContext]):
    """The four phases over one application's window."""

    processor_context_class = AppAgentProcessorContext

    def build_strategies(self) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: AppDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: AppLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: AppActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: AppMemoryUpdateStrategy(fail_fast=False),
        }

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return (AppAgentLoggingMiddleware(self.context), *step_spans())
