"""LLM_INTERACTION of the AppAgent (SPEC 3.2)."""

from dataclasses import replace
from functools import partial
from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.core.observation import Observation
from deskhand.core.replies import AppAgentResponse
from deskhand.core.target import TargetInfo
from deskhand.perception.annotation import PhotographerFacade
from deskhand.pipeline.actions import PlanningGround
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.model_call import ask, fields_of, model_request
from deskhand.pipeline.observing import keep_picture
from deskhand.pipeline.parsing import usable
from deskhand.pipeline.pictures import PromptPictures, Shown, kept_pictures, part_of_window
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder


def planning_ground(agent: PipelineAgent, context: AppAgentProcessorContext) -> PlanningGround:
    """What this step's reply is checked against."""
    catalogue = agent.services.dispatcher.catalogue
    return PlanningGround(
        tools=catalogue.specs(agent.kind, agent.root.application if agent.root else ""),
        validate=catalogue.validate,
        targets=context.annotation_dict or {},
        data=agent.blackboard_data(),
        window=agent.root,
        seen=labelled(context),
        before=_numbered_before(agent, context),
    )


def _numbered_before(agent: PipelineAgent, context: AppAgentProcessorContext) -> dict[str, TargetInfo]:
    """The controls under the ids of this agent's last prompt, where its ids are not those of this one."""
    before, now = agent.last_shown, labelled(context)
    if before is None or now is None or _same_labels(before, now, context):
        return {}
    return {control.id: control for control in before.controls}


def _same_labels(before: Observation, now: Observation, context: AppAgentProcessorContext) -> bool:
    """Labels are not the same in another window, and where a step numbers them afresh."""
    return before.window.handle == now.window.handle and not context.fresh


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
    "annotated_picture",
    "clean_picture",
    "application_window_info",
    "control_info",
    "annotation_dict",
    "grounding_note",
    "followed",
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
            warnings=tuple(filter(None, (context.followed, context.grounding_note))),
            reservations=context.observation.reservations if context.observation else (),
            picture=context.annotated_screenshot_path or "",
            seen_before=seen_before(agent, context),
        )
        concat = concatenated(agent, context)
        path = LogFolder(context.log_path).concat(context.session_step)
        concat_path = await keep_picture(agent, context.shared, "concat", path, concat) if concat else None
        pictures = PromptPictures(shown_pictures(agent, context, concat))

        parse = usable(AppAgentResponse, request, ground, partial(check_sequence, agent))
        answer = await ask(agent, context.shared, request, parse, pictures)
        reply = answer.reply
        return ProcessingResult(
            success=True,
            data={
                **fields_of(answer),
                "action": tuple(action.model_dump(mode="json") for action in reply.ordered_actions()),
                "save_screenshot": reply.save_screenshot,
                "concat_screenshot_path": concat_path,
                "last_control_screenshot_path": last,
                "control_reannotate": tuple(reply.control_reannotate),
            },
        )


_OF_AN_ACTION: Final = ("function", "args")


def seen_before(agent: PipelineAgent, context: AppAgentProcessorContext) -> tuple[TargetInfo, ...]:
    """The controls of this agent's last prompt, where the labels are still the same; keeps those of this one."""
    before, now = agent.last_shown, labelled(context)
    agent.last_shown = now
    if before is None or now is None or not _same_labels(before, now, context):
        return ()
    return before.controls


def shown_pictures(
    agent: PipelineAgent, context: AppAgentProcessorContext, concat: StepPicture | None
) -> tuple[Shown, ...]:
    """What a model with eyes is shown: what was kept, the last step with its control, the window as it is now."""
    seen, annotated, last = context.observation, context.annotated_picture, agent.last_selected
    shown = kept_pictures(agent)
    if last is not None and agent.services.settings.include_last_screenshot:
        shown.append(Shown("the window as it was in your last step, what you acted on framed in red", last))
    if seen is None or seen.picture is None:
        return tuple(shown)
    part = part_of_window(seen)
    labelled_too = "with each control framed and labelled by its id"
    if concat is not None:
        shown.append(Shown(f"the window as it is now{part}, on the left clean, on the right {labelled_too}", concat))
        return tuple(shown)
    if context.clean_picture is not None:
        shown.append(Shown(f"the window as it is now{part}", context.clean_picture))
    if annotated is not None:
        shown.append(Shown(f"the same {labelled_too}", annotated))
    return tuple(shown)


def concatenated(agent: PipelineAgent, context: AppAgentProcessorContext) -> StepPicture | None:
    """Clean and annotated side by side, where the settings ask for it; None else."""
    seen, annotated = context.observation, context.annotated_picture
    if not agent.services.settings.concat_screenshot or seen is None or seen.picture is None or annotated is None:
        return None
    picture = seen.picture
    return StepPicture(lambda: PhotographerFacade().concat(picture, annotated()))


def check_sequence(agent: PipelineAgent, reply: AppAgentResponse) -> None:
    """Raises: ReplyDefect where a reply has several actions and the settings let it have one, or calls a tool beside
    `actions`: nobody would do it.
    """
    beside = [name for name in _OF_AN_ACTION if getattr(reply, name)] if reply.actions else []
    if beside:
        raise ReplyDefect(f"{', '.join(beside)} beside actions: say it in the action that it belongs to")
    if len(reply.actions) > 1 and not agent.services.settings.action_sequence:
        raise ReplyDefect(f"{len(reply.actions)} actions in one reply; give the first alone (action_sequence is off)")
