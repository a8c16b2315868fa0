"""The ShellAgent's processor; its observation is a folder and the output of the last command."""

from collections.abc import Mapping

from deskhand.core.command import Command, ToolType
from deskhand.pipeline.actions import raise_if_failed
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase, ProcessingResult, provides
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.text.strategies import TextAgentProcessor, TextAgentProcessorContext


@provides("seen_text")
class ShellDataCollectionStrategy(BaseProcessingStrategy):
    """Reads the folder's files and the output of the last command."""

    async def execute(self, agent: PipelineAgent, context: TextAgentProcessorContext) -> ProcessingResult:  # noqa: ARG002
        command = Command("look_at_shell", {}, ToolType.DATA_COLLECTION)
        looked = raise_if_failed((await agent.services.dispatcher.execute_commands([command]))[0])
        return ProcessingResult(success=True, data={"seen_text": str(looked.result)})


class ShellAgentProcessor(TextAgentProcessor):
    """The four phases over a folder and a command's output."""

    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {**super().build_strategies(), ProcessingPhase.DATA_COLLECTION: ShellDataCollectionStrategy()}
