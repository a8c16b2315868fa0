"""ACTION_EXECUTION of the AppAgent (SPEC 3.2)."""

from dataclasses import replace

from deskhand.core.context import Context
from deskhand.core.errors import PipelineError
from deskhand.core.observation import Observation
from deskhand.perception.photographer import PhotographerFacade
from deskhand.pipeline.actions import ActionInfo, plan
from deskhand.pipeline.app.interact import planning_ground
from deskhand.pipeline.conclusion import conclude
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.execution import ActionExecutor
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.looking import keep_picture
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.telling import tell_reply
from deskhand.store.folder import LogFolder


@depends_on(
    "parsed_response",
    "annotation_dict",
    "application_window_info",
    "clean_screenshot_path",
    "log_path",
    "session_step",
    "observation",
)
@provides("action_info", "execution_result", "control_log", "verdict", "status", "selected_control_screenshot_path")
class AppActionExecutionStrategy(BaseProcessingStrategy):
    """Judges, runs, holds or skips the reply's actions, and corrects the claimed status."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        reply = context.parsed_response
        if reply is None:
            raise PipelineError("there is no reply to act on")
        tell_reply(agent, context.shared, reply, context.response_text or "")
        agent.plan, agent.result, agent.questions = tuple(reply.plan), reply.result, tuple(reply.questions)
        planned = plan(reply.ordered_actions(), planning_ground(agent, context))
        executor = ActionExecutor(agent, context.shared, context.session_step)
        done = await conclude(agent, context.shared, executor, reply, planned)
        selected = await picture_of_selection(agent, context.shared, context.observation, done.actions)
        reannotate = bool(reply.control_reannotate)
        return ProcessingResult(
            success=True,
            data={
                "action_info": done.actions,
                "execution_result": tuple(action.result for action in done.actions),
                "control_log": tuple(done.actions.to_list_of_dicts()),
                "verdict": replace(done.verdict, reannotate=reannotate),
                "status": done.verdict.status,
                "selected_control_screenshot_path": selected,
            },
        )


async def picture_of_selection(
    agent: PipelineAgent, context: Context, seen: Observation | None, actions: ActionInfo
) -> str | None:
    """The picture of this step with the controls it acted on marked; None where it acted on none."""
    targets = [action.target for action in actions if action.target is not None]
    agent.last_selected_picture = None
    if not targets or seen is None or seen.picture is None:
        return None
    picture = seen.picture
    path = LogFolder(context.log_path).selected_controls(context.session_step)
    agent.last_selected_picture = await keep_picture(
        agent, context, "selected", path, lambda: PhotographerFacade().highlight(picture, targets[-1])
    )
    return agent.last_selected_picture
