"""DATA_COLLECTION of the AppAgent (SPEC 3.2)."""

import json

from deskhand.core.errors import CaptureFailed, CommandFailed
from deskhand.core.model import PictureLimits
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.perception.canvas import Annotated
from deskhand.pipeline.app.ground import grounded
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.framework import (
    BaseProcessingStrategy,
    ComposedStrategy,
    ProcessingResult,
    depends_on,
    provides,
)
from deskhand.pipeline.observing import desktop_picture, keep_confirm_picture, keep_picture, observe_window
from deskhand.pipeline.pictures import limits_of
from deskhand.pipeline.replacement_window import follow
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder


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
    """Takes one observation and hands its picture over to be written."""

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
        """The window in front, and what is to be said where that took the place of the agent's own.

        What a person is asked about is looked for in its own window alone.
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
)
class AppControlInfoStrategy(BaseProcessingStrategy):
    """Adds what only the picture shows, and labels the controls.

    A control keeps its id while it lives, a fresh look numbers anew (SPEC 4.4).
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
        if picture is not None and context.clean_picture is not None:
            drawing = StepPicture(Annotated(context.clean_picture.drawing, picture, labelled, limits_of(agent)))
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
                "annotated_screenshot_url": path.resolve().as_uri() if annotated else None,
            },
        )


class AppDataCollectionStrategy(ComposedStrategy):
    """The two of them, in order."""

    def __init__(self) -> None:
        super().__init__((AppScreenshotCaptureStrategy(), AppControlInfoStrategy()), type(self).__name__)


def _sent_to(agent: PipelineAgent) -> PictureLimits | None:
    """The limits within which a picture will be sent as it is; None where it will not."""
    return None if agent.services.settings.concat_screenshot else limits_of(agent)


def _present(seen: Observation | None) -> Observation:
    if seen is None:
        raise CaptureFailed("there is no observation to label")
    return seen


def tree_of(seen: Observation) -> dict[str, object]:
    """An observation as the nested JSON of a ui tree file."""
    children: dict[str, list[dict[str, object]]] = {control.handle: [] for control in seen.controls}
    roots: list[dict[str, object]] = []
    for control in seen.controls:
        node = {**node_of(control), "children": children[control.handle]}
        children.get(control.parent, roots).append(node)
    truncated = {"reason": seen.truncated.reason, "omitted": seen.truncated.omitted} if seen.truncated else None
    return {"window": node_of(seen.window), "children": roots, "truncated": truncated}


def node_of(target: TargetInfo) -> dict[str, object]:
    return {
        "role": target.type.value,
        "raw_role": target.raw_role,
        "name": target.name,
        "value": target.value,
        "states": sorted(target.states),
        "rect": target.rect.to_list(),
        "actions": list(target.actions),
    }
