"""The AppAgent's strategies and its processor (contract 3.2)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from anyio import to_thread

from deskhand.core.errors import CaptureFailed, CommandFailed, GroundingError, ReplyDefect
from deskhand.core.events import ErrorData, ImageKept, ProblemMet
from deskhand.core.model import PictureLimits
from deskhand.core.observation import Observation, Picture
from deskhand.core.replies import AppAgentResponse
from deskhand.core.target import TargetInfo, Trait, same_window
from deskhand.desktop.protocols.windows import windows_over
from deskhand.perception.annotation import PhotographerFacade
from deskhand.perception.canvas import Annotated, highlighted
from deskhand.perception.grounding import Grounding, Parsed, targets_of
from deskhand.perception.merge import merge_target_info_list
from deskhand.perception.ui_tree import tree_of
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.actions import ActionInfo
from deskhand.pipeline.closed_window import follow
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, AppAgentProcessorContext
from deskhand.pipeline.framework import (
    BaseProcessingStrategy,
    ComposedStrategy,
    ProcessingPhase,
    ProcessingResult,
    Strategies,
    depends_on,
    provides,
)
from deskhand.pipeline.model_call import ask, model_request
from deskhand.pipeline.observing import (
    desktop_picture,
    desktop_windows,
    keep_confirm_picture,
    keep_picture,
    observe_window,
    reads_prompts,
)
from deskhand.pipeline.parsing import planning_ground, usable
from deskhand.pipeline.pictures import PromptPictures, Shown, kept_pictures, limits_of, part_of_window
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import remember
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder
from deskhand.store.png import encode_png

_HOW: Final = (
    "A picture_only control was found in the picture by a vision server and is not in the accessibility tree: "
    "its role and name are guesses, and only click_input works on it."
)
_READ: Final = (
    "A picture_only text was read from the picture: only click_input works on it, also where it is a button's label."
)
_TREE: Final = frozenset({"atspi", "win32", "uia"})


@dataclass(frozen=True, slots=True)
class Grounded:
    """The controls of a window before they are labelled, and a note for the model on their origin."""

    controls: tuple[TargetInfo, ...]
    note: str = ""


async def grounded(agent: PipelineAgent, context: AppAgentProcessorContext, seen: Observation) -> Grounded:
    """Return the controls of an observation, merged with those found in its picture where grounding is configured.

    The picture is the observation's own; a later one could differ. Texts that were read from it come last. Where the
    grounding server fails, the controls of the accessibility tree and these are returned, and the note names the
    failure.
    """
    services, picture = agent.services, seen.picture
    if services.grounding is None or picture is None:
        return Grounded(seen.controls, _note(seen.controls))
    try:
        parsed = await _asked(services.grounding, picture)
    except GroundingError as error:
        context.shared.events.emit(ProblemMet(where="grounding", error=ErrorData.of(error)))
        failure = f"Only the accessibility tree was read this time: {error.message}."
        return Grounded(seen.controls, " ".join(filter(None, (failure, _note(seen.controls)))))
    found = await to_thread.run_sync(targets_of, parsed.boxes, picture, seen.window)
    own = _not_covered(found, await desktop_windows(agent), seen.window)
    texts = [control for control in seen.controls if _is_read(control)]
    has_tree = bool(_TREE.intersection(services.settings.control_backend))
    tree = [control for control in seen.controls if has_tree and not _is_read(control)]
    threshold = services.settings.iou_threshold_for_merge
    merged = merge_target_info_list(merge_target_info_list(tree, own, threshold), texts, threshold)
    return Grounded(merged, _note(merged, parsed))


def _is_read(control: TargetInfo) -> bool:
    return Trait.READ_FROM_PICTURE in control.traits


async def _asked(grounding: Grounding, picture: Picture) -> Parsed:
    return await grounding.parse(await to_thread.run_sync(encode_png, picture))


def _not_covered(
    found: Sequence[TargetInfo], windows: Sequence[TargetInfo], window: TargetInfo
) -> tuple[TargetInfo, ...]:
    """Return the controls that belong to the window: its picture also shows the windows that cover it."""
    over = [other.rect for other in windows_over(window, windows)]
    return tuple(target for target in found if not any(rect.contains(target.rect.center) for rect in over))


def _note(controls: Sequence[TargetInfo], parsed: Parsed | None = None) -> str:
    seen = {_is_read(target) for target in controls if target.sighting}
    told = [note for is_read, note in ((False, _HOW), (True, _READ)) if is_read in seen]
    if parsed and parsed.omitted:
        told.append(f"The vision server found {parsed.omitted} more elements, which are left out.")
    return " ".join(told)


@depends_on("app_root", "log_path", "session_step")
@provides(
    "observation",
    "clean_screenshot_path",
    "clean_screenshot_url",
    "clean_picture",
    "desktop_screenshot_path",
    "desktop_screenshot_url",
    "ui_tree_path",
    "application_window_info",
    "screenshot_saved_time",
    "app_root",
    "followed",
)
class AppScreenshotCaptureStrategy(BaseProcessingStrategy):
    """Takes one observation and submits its picture to be written."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        started = context.shared.clock.monotonic()
        folder = LogFolder(context.log_path)
        seen, followed = await self._observed(agent, context)
        picture = seen.picture
        if picture is None:
            raise CaptureFailed(f"no picture of {seen.window.describe}")
        if context.confirming is not None:
            await keep_confirm_picture(agent, context, picture, seen.controls)
            return ProcessingResult(success=True, data=self.unchanged(context))
        step = context.session_step
        drawing = StepPicture(lambda: picture)
        clean = await keep_picture(
            agent, context.shared, "clean", folder.clean(step), drawing.ahead_for(_sent_to(agent))
        )
        desktop: str | None = None
        if agent.services.settings.save_full_screen:
            whole = await desktop_picture(agent, context.shared)
            desktop = await keep_picture(agent, context.shared, "desktop", folder.desktop(step), lambda: whole)
        tree: str | None = None
        if agent.services.settings.save_ui_tree:
            path = folder.ui_tree(step)
            await agent.services.images.submit(path, lambda: json.dumps(tree_of(seen), ensure_ascii=False).encode())
            tree = str(path)
        return ProcessingResult(
            success=True,
            data={
                "observation": seen,
                "clean_screenshot_path": clean,
                "clean_screenshot_url": folder.clean(step).resolve().as_uri(),
                "clean_picture": drawing,
                "desktop_screenshot_path": desktop,
                "desktop_screenshot_url": folder.desktop(step).resolve().as_uri() if desktop else None,
                "ui_tree_path": tree,
                "application_window_info": seen.window,
                "screenshot_saved_time": context.shared.clock.monotonic() - started,
                "app_root": agent.root,
                "followed": followed,
            },
        )

    @staticmethod
    async def _observed(agent: PipelineAgent, context: AppAgentProcessorContext) -> tuple[Observation, str]:
        """Observe the front window; also return a note where another window replaced the agent's own.

        While the user confirms, only the window of the held actions is observed.
        """
        try:
            return await observe_window(agent, context.shared, fresh=context.fresh), ""
        except CommandFailed as error:
            if context.confirming is not None:
                raise
            followed = await follow(agent, context.shared, error)
            return await observe_window(agent, context.shared, fresh=context.fresh), followed


@depends_on("observation", "clean_screenshot_path", "clean_picture", "application_window_info")
@provides(
    "control_info",
    "annotation_dict",
    "control_recorder",
    "control_filter_time",
    "grounding_note",
    "annotated_screenshot_path",
    "annotated_screenshot_url",
    "annotated_picture",
    "framed",
)
class AppControlInfoStrategy(BaseProcessingStrategy):
    """Adds the controls found only in the picture, and labels all of them.

    A control keeps its id while it exists; a fresh observation assigns new ids (contract 4.4).
    """

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        if context.confirming is not None:
            return ProcessingResult(success=True, data=self.unchanged(context))
        started = context.shared.clock.monotonic()
        seen = _present(context.observation)
        found = await grounded(agent, context, seen)
        labelled = agent.labeller.label_targets(seen.window, found.controls, fresh=context.fresh)
        seen_only = sum(1 for target in labelled if target.sighting)
        picture = seen.picture
        annotated: str | None = None
        drawing: StepPicture | None = None
        path = LogFolder(context.log_path).annotated(context.session_step)
        framed = _framed(agent, labelled)
        if picture is not None and context.clean_picture is not None:
            drawing = StepPicture(Annotated(context.clean_picture.drawing, picture, framed, limits_of(agent)))
            make = drawing.ahead_for(_sent_to(agent))
            annotated = await keep_picture(agent, context.shared, "annotated", path, make)
        return ProcessingResult(
            success=True,
            data={
                "control_info": labelled,
                "annotation_dict": {target.id: target for target in labelled},
                "control_recorder": {"window": seen.window.name, "controls": len(labelled), "picture_only": seen_only},
                "grounding_note": found.note or None,
                "control_filter_time": context.shared.clock.monotonic() - started,
                "annotated_screenshot_path": annotated,
                "annotated_picture": drawing,
                "framed": framed,
                "annotated_screenshot_url": path.resolve().as_uri() if annotated else None,
            },
        )


class AppDataCollectionStrategy(ComposedStrategy):
    """Runs both, in order."""

    def __init__(self) -> None:
        super().__init__((AppScreenshotCaptureStrategy(), AppControlInfoStrategy()), type(self).__name__)


def _framed(agent: PipelineAgent, labelled: tuple[TargetInfo, ...]) -> tuple[TargetInfo, ...]:
    """Return the controls that this step's picture labels: those that the model asked for in its last step, or all."""
    wanted, agent.only_annotated = agent.only_annotated, frozenset[str]()
    return tuple(control for control in labelled if control.handle in wanted) or labelled


def _sent_to(agent: PipelineAgent) -> PictureLimits | None:
    """Return the limits of a picture that is sent unchanged; None where it is not sent."""
    return None if agent.services.settings.concat_screenshot else limits_of(agent)


def _present(seen: Observation | None) -> Observation:
    if seen is None:
        raise CaptureFailed("there is no observation to label")
    return seen


def labelled(context: AppAgentProcessorContext) -> Observation | None:
    """Return the observation with the labels that the model is shown."""
    if context.observation is None or context.control_info is None:
        return context.observation
    return replace(context.observation, controls=context.control_info)


@depends_on(
    "clean_screenshot_path",
    "clean_screenshot_url",
    "annotated_screenshot_path",
    "annotated_screenshot_url",
    "annotated_picture",
    "framed",
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
    """Builds the prompt and asks the model until its reply can be used."""

    async def execute(self, agent: PipelineAgent, context: AppAgentProcessorContext) -> ProcessingResult:
        last = agent.last_selected_picture if agent.services.settings.include_last_screenshot else None
        now, before = labelled(context), agent.last_shown
        agent.last_shown = now
        unchanged, renumbered = compared(before, now, fresh=context.fresh)
        ground = planning_ground(agent, context.annotation_dict or {}, now, renumbered)
        window, controls = context.application_window_info, context.control_info or ()
        request = model_request(agent, context, ground, window=window, controls=controls)
        others = await _other_titles(agent, window)
        request = replace(
            request,
            other_windows=others[:_MOST_TITLES],
            more_windows=len(others[_MOST_TITLES:]),
            warnings=tuple(filter(None, (context.followed, context.grounding_note))),
            reservations=context.observation.reservations if context.observation else (),
            picture=context.annotated_screenshot_path or "",
            seen_before=unchanged.controls if unchanged else None,
            renumbered=_why_renumbered(renumbered, now),
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


_MOST_TITLES: Final = 8
_OTHER_WINDOW: Final = "another window is in front; its ids count from 1"
_ON_REQUEST: Final = "the ids count from 1 again, as you asked"
_OF_AN_ACTION: Final = ("function", "args")


def compared(
    before: Observation | None, now: Observation | None, *, fresh: bool
) -> tuple[Observation | None, Observation | None]:
    """Return the last prompt's observation first where its ids are still valid, second where they are not.

    Ids are new in another window, and in a step that takes a fresh observation.
    """
    if before is None or now is None:
        return None, None
    same = before.window.handle == now.window.handle and not fresh
    return (before, None) if same else (None, before)


async def _other_titles(agent: PipelineAgent, window: TargetInfo | None) -> tuple[str, ...]:
    """Return the titles of the other windows for a model that reads a prompt."""
    if window is None or not reads_prompts(agent):
        return ()
    windows = await desktop_windows(agent)
    return tuple(other.name for other in windows if other.name and not same_window(other, window))


def _why_renumbered(before: Observation | None, now: Observation | None) -> str:
    """Return why the ids count from 1 again; empty where they do not."""
    if before is None or now is None:
        return ""
    return _ON_REQUEST if before.window.handle == now.window.handle else _OTHER_WINDOW


def shown_pictures(
    agent: PipelineAgent, context: AppAgentProcessorContext, concat: StepPicture | None
) -> tuple[Shown, ...]:
    """Return the pictures of the prompt: saved ones, the last step with its control, the window now."""
    seen, annotated, last = context.observation, context.annotated_picture, agent.last_selected
    shown = kept_pictures(agent)
    if last is not None and agent.services.settings.include_last_screenshot:
        shown.append(Shown("your last step, its target framed in red", last))
    if seen is None or seen.picture is None:
        return tuple(shown)
    part = part_of_window(seen)
    which = "each control" if context.framed == context.control_info else "only the controls that you named"
    labelled_too = f"with {which} framed and labelled by its id"
    if concat is not None:
        shown.append(Shown(f"the window now{part}, on the left clean, on the right {labelled_too}", concat))
        return tuple(shown)
    if context.clean_picture is not None:
        shown.append(Shown(f"the window now{part}", context.clean_picture))
    if annotated is not None and context.control_info:
        shown.append(Shown(f"the same {labelled_too}", annotated))
    return tuple(shown)


def concatenated(agent: PipelineAgent, context: AppAgentProcessorContext) -> StepPicture | None:
    """Return the clean and the annotated picture side by side; None unless the settings ask for it, and a control is
    framed.
    """
    seen, annotated = context.observation, context.annotated_picture
    wanted = agent.services.settings.concat_screenshot and bool(context.control_info)
    if not wanted or seen is None or seen.picture is None or annotated is None:
        return None
    picture = seen.picture
    return StepPicture(lambda: PhotographerFacade().concat(picture, annotated()))


def check_sequence(agent: PipelineAgent, reply: AppAgentResponse) -> None:
    """Reject several actions where the settings allow one, and a tool call beside `actions`, which would be ignored.

    Raises: ReplyDefect.
    """
    beside = [name for name in _OF_AN_ACTION if getattr(reply, name)] if reply.actions else []
    if beside:
        raise ReplyDefect(f"{', '.join(beside)} beside actions: put it into the action it belongs to")
    if len(reply.actions) > 1 and not agent.services.settings.action_sequence:
        raise ReplyDefect(f"{len(reply.actions)} actions in one reply; give the first alone (action_sequence is off)")


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
    """Return the path of this step's picture with the target of its actions marked; None where there is no target."""
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
    """Records the step, and saves the picture that the model asked for."""

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


class AppAgentProcessor(ProcessorTemplate[AppAgentProcessorContext]):
    """The four phases over one application's window."""

    processor_context_class = AppAgentProcessorContext

    @classmethod
    def build_strategies(cls) -> Strategies:
        return {
            ProcessingPhase.DATA_COLLECTION: AppDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: AppLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: AppActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: AppMemoryUpdateStrategy(fail_fast=False),
        }
