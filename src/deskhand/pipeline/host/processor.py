"""The HostAgent's processor."""

from collections.abc import Mapping, Sequence

from deskhand.pipeline.context import HostAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase
from deskhand.pipeline.host.strategies import (
    DesktopDataCollectionStrategy,
    HostActionExecutionStrategy,
    HostLLMInteractionStrategy,
    HostMemoryUpdateStrategy,
)
from deskhand.pipeline.middleware import HostAgentLoggingMiddleware, ProcessorMiddleware
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.spans import step_spans


class HostAgentProcessor(ProcessorTemplate[HostAgentProcessorContext]):
    """The four phases over the desktop."""

    processor_context_class = HostAgentProcessorContext

    def build_strategies(self) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: DesktopDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: HostLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: HostActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: HostMemoryUpdateStrategy(fail_fast=False),
        }

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return (HostAgentLoggingMiddleware(self.context), *step_spans())
