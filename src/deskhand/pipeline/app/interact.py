"""LLM_INTERACTION of the AppAgent (SPEC 3.2)."""

from dataclasses import replace
from functools import partial
from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.core.observation import Observation
from deskhand.core.replies import AppAgentResponse
from deskhand.perception.annotation import PhotographerFacade
from deskhand.pipeline.context import REPLY_FIELDS, AppAgentProcessorContext
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingResult, depends_on, provides
from deskhand.pipeline.model_call import ask, model_request
from deskhand.pipeline.observing import keep_picture
from deskhand.pipeline.parsing import planning_ground, usable
from deskhand.pipeline.pictures import PromptPictures, Shown, kept_pictures, part_of_window
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder


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
    *REPLY_FIELDS,
    "action",
    "save_screenshot",
    "concat_screenshot_path",
    "last_control_screenshot_path",
    "control_reannotate",
)
class AppLLMInteractionStrategy(BaseProcessingStrategy):
    """Builds the prompt, asks the model until its reply can be used, and keeps what it said."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        last = agent.last_selected_picture if agent.services.settings.include_last_screenshot else None
        now, before = labelled(context), agent.last_shown
        agent.last_shown = now
        unchanged = before is not None and now is not None and _same_labels(before, now, context)
        renumbered = None if unchanged or now is None else before
        ground = planning_ground(agent, context.annotation_dict or {}, now, renumbered)
        window, controls = context.application_window_info, context.control_info or ()
        request = model_request(agent, context, ground, window=window, controls=controls)
        request = replace(
            request,
            warnings=tuple(filter(None, (context.followed, context.grounding_note))),
            reservations=context.observation.reservations if context.observation else (),
            picture=context.annotated_screenshot_path or "",
            seen_before=before.controls if before is not None and unchanged else (),
        )
        concat = concatenated(agent, context)
        path = LogFolder(context.log_path).concat(context.session_step)
        concat_path = await keep_picture(agent, context.shared, "concat", path, concat) if concat else None
        pictures = PromptPictures(shown_pictures(agent, context, concat))

        parse = usable(AppAgentResponse, request, ground, partial(check_sequence, agent))
        answer = await ask(agent, context.shared, request, parse, pictures)
        reply = answer.reply.reply
        return ProcessingResult(
            success=True,
            data={
                **answer.fields(),
                **answer.reply.fields(),
                "action": tuple(action.model_dump(mode="json") for action in reply.ordered_actions()),
                "save_screenshot": reply.save_screenshot,
                "concat_screenshot_path": concat_path,
                "last_control_screenshot_path": last,
                "control_reannotate": tuple(reply.control_reannotate),
            },
        )


_OF_AN_ACTION: Final = ("function", "args")


def _same_labels(before: Observation, now: Observation, context: AppAgentProcessorContext) -> bool:
    """Return False in another window, and in a step that numbers its controls anew."""
    return before.window.handle == now.window.handle and not context.fresh


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
