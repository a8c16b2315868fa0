"""ACTION_EXECUTION of the AppAgent (SPEC 3.2)."""

from dataclasses import replace

from deskhand.perception.canvas import highlighted
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.actions import ActionInfo
from deskhand.pipeline.context import ACTION_FIELDS, AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.observing import keep_picture
from deskhand.pipeline.pictures import limits_of
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder


@depends_on(
    "parsed_response",
    "planned_actions",
    "planning_ground",
    "annotation_dict",
    "application_window_info",
    "clean_screenshot_path",
    "log_path",
    "session_step",
    "observation",
    "clean_picture",
)
@provides(*ACTION_FIELDS, "selected_control_screenshot_path")
class AppActionExecutionStrategy(BaseProcessingStrategy):
    """Judges, runs, holds or skips the reply's actions, and corrects the claimed status."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        reply = context.parsed_response
        done = await act_on(agent, context, reply)
        selected = await picture_of_selection(agent, context, done.actions)
        again = reply is not None and bool(reply.control_reannotate)
        return ProcessingResult(
            success=True,
            data={
                **done.fields(),
                "verdict": replace(done.verdict, reannotate=again),
                "selected_control_screenshot_path": selected,
            },
        )


async def picture_of_selection(
    agent: PipelineAgent, context: AppAgentProcessorContext, actions: ActionInfo
) -> str | None:
    """The picture of this step with the controls it acted on marked; None where it acted on none."""
    targets = [action.target for action in actions if action.target is not None]
    agent.last_selected_picture = agent.last_selected = None
    seen, clean = context.observation, context.clean_picture
    if not targets or seen is None or seen.picture is None or clean is None:
        return None
    path = LogFolder(context.log_path).selected_controls(context.session_step)
    drawn = StepPicture(highlighted(clean.drawing, seen.picture.rect, targets[-1]))
    limits = limits_of(agent) if agent.services.settings.include_last_screenshot else None
    agent.last_selected = drawn
    agent.last_selected_picture = await keep_picture(agent, context.shared, "selected", path, drawn.ahead_for(limits))
    return agent.last_selected_picture
