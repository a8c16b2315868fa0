"""The ShellAgent's processor."""

from collections.abc import Mapping

from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import MemoryUpdateStrategy
from deskhand.pipeline.shell.strategies import (
    ShellActionExecutionStrategy,
    ShellAgentProcessorContext,
    ShellDataCollectionStrategy,
    ShellLLMInteractionStrategy,
)


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
