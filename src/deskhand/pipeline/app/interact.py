"""LLM_INTERACTION of the AppAgent (SPEC 3.2)."""

from dataclasses import replace

from deskhand.core.observation import Observation
from deskhand.core.replies import AppAgentResponse
from deskhand.perception.photographer import PhotographerFacade
from deskhand.pipeline.actions import PlanningGround
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.looking import keep_picture
from deskhand.pipeline.model_call import ask, model_request, usable
from deskhand.pipeline.services import PipelineAgent
from deskhand.store.folder import LogFolder


def planning_ground(agent: PipelineAgent, context: AppAgentProcessorContext) -> PlanningGround:
    """What this step's reply is checked against."""
    catalogue = agent.services.dispatcher.catalogue
    return PlanningGround(
        tools=catalogue.specs(agent.kind),
        validate=catalogue.validate,
        targets=context.annotation_dict or {},
        data=agent.blackboard_data(),
        window=agent.root,
        seen=labelled(context),
    )


def labelled(context: AppAgentProcessorContext) -> Observation | None:
    """What was seen, its controls under the labels that the model is shown."""
    if context.observation is None or context.control_info is None:
        return context.observation
    return replace(context.observation, controls=context.control_info)


@depends_on(
    "clean_screenshot_path",
    "clean_screenshot_url",
    "annotated_screenshot_path",
    "annotated_screenshot_url",
    "application_window_info",
    "control_info",
    "annotation_dict",
)
@provides(
    "prompt_message",
    "response_text",
    "reply_position",
    "parsed_response",
    "llm_cost",
    "thought",
    "observation_text",
    "plan",
    "action",
    "comment",
    "save_screenshot",
    "concat_screenshot_path",
    "last_control_screenshot_path",
    "questions",
    "control_reannotate",
    "result",
)
class AppLLMInteractionStrategy(BaseProcessingStrategy):
    """Builds the prompt, asks the model until its reply can be used, and keeps what it said."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        last = agent.last_selected_picture if agent.services.settings.include_last_screenshot else None
        ground = planning_ground(agent, context)
        window, controls = context.application_window_info, context.control_info or ()
        request = model_request(agent, context, ground, window=window, controls=controls)
        request = replace(
            request,
            provisional=context.observation is not None and context.observation.provisional,
            picture=context.annotated_screenshot_path or "",
        )

        answer = await ask(agent, context.shared, request, usable(AppAgentResponse, request, ground))
        reply = answer.reply
        return ProcessingResult(
            success=True,
            data={
                **answer.fields(),
                "action": tuple(action.model_dump(mode="json") for action in reply.ordered_actions()),
                "save_screenshot": reply.save_screenshot,
                "concat_screenshot_path": await concat_picture(agent, context),
                "last_control_screenshot_path": last,
                "control_reannotate": tuple(reply.control_reannotate),
            },
        )


async def concat_picture(agent: PipelineAgent, context: AppAgentProcessorContext) -> str | None:
    """Clean and annotated side by side, where the settings ask for it; None else."""
    seen, labelled = context.observation, context.control_info
    if not agent.services.settings.concat_screenshot or seen is None or seen.picture is None or labelled is None:
        return None
    picture, facade = seen.picture, PhotographerFacade()
    path = LogFolder(context.log_path).concat(context.session_step)
    return await keep_picture(
        agent,
        context.shared,
        "concat",
        path,
        lambda: facade.concat(picture, facade.capture_with_target_list(picture, labelled)),
    )
