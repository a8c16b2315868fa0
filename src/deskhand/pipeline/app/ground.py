"""What a picture shows beside the accessibility tree, as controls (SPEC 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from anyio import to_thread

from deskhand.core.errors import GroundingError
from deskhand.core.events import ErrorData, ProblemMet
from deskhand.core.observation import Observation, Picture
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import windows_over
from deskhand.perception.grounding import Grounding, Parsed, targets_of
from deskhand.perception.merge import merge_target_info_list
from deskhand.pipeline.context import AppAgentProcessorContext
from deskhand.pipeline.observing import desktop_windows
from deskhand.pipeline.services import PipelineAgent
from deskhand.store.png import encode_png

_HOW: Final = (
    "A control that is picture_only was found in the picture by a vision server and is not in the accessibility tree: "
    "what it is said to be is a guess, it can be clicked with click_input, and nothing else."
)
_TREE: Final = frozenset({"atspi", "uia"})


@dataclass(frozen=True, slots=True)
class Grounded:
    """The controls of a window, not labelled yet, and what the model has to know of where they come from."""

    controls: tuple[TargetInfo, ...]
    note: str = ""


async def grounded(agent: PipelineAgent, context: AppAgentProcessorContext, seen: Observation) -> Grounded:
    """The controls of an observation, with those that only its picture shows where a server is asked for them.

    The picture is the observation's own: a later one could show something else. Where the server fails, it is the
    accessibility tree alone, and that is said.
    """
    services, picture = agent.services, seen.picture
    if services.grounding is None or picture is None:
        return Grounded(seen.controls)
    try:
        parsed = await _asked(services.grounding, picture)
    except GroundingError as error:
        context.shared.events.emit(ProblemMet(where="grounding", error=ErrorData.of(error)))
        return Grounded(seen.controls, f"Only the accessibility tree was read this time: {error.message}.")
    found = await to_thread.run_sync(targets_of, parsed.boxes, picture, seen.window)
    own = _not_covered(found, await desktop_windows(agent), seen.window)
    primary = seen.controls if _TREE.intersection(services.settings.control_backend) else ()
    merged = merge_target_info_list(primary, own, services.settings.iou_threshold_for_merge)
    return Grounded(merged, _note(merged, parsed))


async def _asked(grounding: Grounding, picture: Picture) -> Parsed:
    return await grounding.parse(await to_thread.run_sync(encode_png, picture))


def _not_covered(
    found: Sequence[TargetInfo], windows: Sequence[TargetInfo], window: TargetInfo
) -> tuple[TargetInfo, ...]:
    """Those that are the window's own: what lies over it shows in its picture too."""
    over = [other.rect for other in windows_over(window, windows)]
    return tuple(target for target in found if not any(rect.contains(target.rect.center) for rect in over))


def _note(controls: Sequence[TargetInfo], parsed: Parsed) -> str:
    told = [_HOW] if any(target.sighting for target in controls) else []
    if parsed.omitted:
        told.append(f"The vision server saw {parsed.omitted} more things, which are left out.")
    return " ".join(told)
