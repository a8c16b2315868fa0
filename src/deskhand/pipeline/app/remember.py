"""MEMORY_UPDATE of the AppAgent (SPEC 3.2)."""

from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.remembering import remember
from deskhand.pipeline.services import PipelineAgent


@depends_on(
    "session_step",
    "parsed_response",
    "action_info",
    "execution_result",
    "status",
    "llm_cost",
    "save_screenshot",
    "clean_screenshot_path",
)
@provides("additional_memory", "memory_item", "updated_blackboard")
class AppMemoryUpdateStrategy(BaseProcessingStrategy):
    """Keeps the step, and the picture the model asked to keep."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        data = remember(agent, context, context.parsed_response)
        wanted = context.save_screenshot
        if wanted is not None and wanted.save and context.clean_screenshot_path:
            metadata = {"reason": wanted.reason, "application": agent.application, "step": str(context.session_step)}
            agent.services.blackboard.add_image(context.clean_screenshot_path, metadata)
        return ProcessingResult(success=True, data=data)
