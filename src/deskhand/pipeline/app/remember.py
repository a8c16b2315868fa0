"""MEMORY_UPDATE of the AppAgent (SPEC 3.2)."""

from pathlib import Path

from deskhand.core.events import ImageKept
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.recording import remember
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture


@depends_on(
    "session_step",
    "parsed_response",
    "action_info",
    "execution_result",
    "status",
    "llm_cost",
    "save_screenshot",
    "clean_screenshot_path",
    "observation",
    "application_window_info",
)
@provides("additional_memory", "memory_item", "updated_blackboard")
class AppMemoryUpdateStrategy(BaseProcessingStrategy):
    """Keeps the step, and the picture the model asked to keep."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        data = remember(agent, context, context.parsed_response)
        wanted = context.save_screenshot
        if wanted is not None and wanted.save and context.clean_screenshot_path:
            window = context.application_window_info
            metadata = {
                "step": str(context.session_step),
                "application": agent.application,
                "window": window.name if window else "",
                "reason": wanted.reason,
            }
            agent.services.blackboard.add_image(context.clean_screenshot_path, metadata)
            if context.observation is not None and (picture := context.observation.picture) is not None:
                agent.services.shelf.put(context.clean_screenshot_path, StepPicture(lambda: picture))
            path = Path(context.clean_screenshot_path).relative_to(context.log_path).as_posix()
            context.shared.events.emit(
                ImageKept(step=context.session_step, agent=agent.name, path=path, metadata=metadata)
            )
        return ProcessingResult(success=True, data=data)
