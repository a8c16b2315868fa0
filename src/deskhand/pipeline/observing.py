"""Data collection through the dispatcher: the commands that every agent observes with."""

from collections.abc import Sequence
from pathlib import Path

from deskhand.core.command import Command, ToolType
from deskhand.core.context import Context
from deskhand.core.errors import CaptureFailed
from deskhand.core.events import ErrorData, ObservationTaken, PictureSaved, ProblemMet
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import FollowsRecord
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of
from deskhand.perception.annotation import PhotographerFacade
from deskhand.pipeline.actions import raise_if_failed
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.services import PipelineAgent
from deskhand.store.image_writer import MakePicture
from deskhand.store.log_folder import LogFolder


async def _look(agent: PipelineAgent, tool: str, parameters: JsonObject | None = None) -> object:
    command = Command(tool, parameters or {}, ToolType.DATA_COLLECTION, window=agent.root)
    return raise_if_failed((await agent.services.dispatcher.execute_commands([command]))[0]).result


async def observe_window(agent: PipelineAgent, context: Context, *, fresh: bool) -> Observation:
    """Observe the front window of the agent's application: picture and controls of one moment.

    For a model that reads a prompt, once states and values are final, as far as that takes a bounded time.
    Raises: CommandFailed with the desktop's error; CaptureFailed. An observation is never invented.
    """
    seen = await _look(agent, "observe_window", {"fresh": fresh, "final": reads_prompts(agent)})
    if not isinstance(seen, Observation):
        raise CaptureFailed(f"the window of {agent.name} gave no observation")
    context.events.emit(
        ObservationTaken(
            step=context.session_step,
            agent=agent.name,
            window=seen.window.name,
            controls=len(seen.controls),
            seconds=sum(seconds for _, seconds in seen.timing_s),
            truncated=seen.truncated.reason if seen.truncated else "",
            provisional=seen.provisional,
            unsettled=seen.unsettled,
        )
    )
    _tell_unchecked(seen.picture, context)
    return seen


def reads_prompts(agent: PipelineAgent) -> bool:
    """Return whether any of an agent's models reads a prompt, instead of a record."""
    return not all(isinstance(model, FollowsRecord) for model in agent.models)


async def desktop_windows(agent: PipelineAgent) -> tuple[TargetInfo, ...]:
    """Return the windows of the desktop, front first. Raises: CommandFailed."""
    windows = await _look(agent, "get_desktop_app_target_info")
    return items_of(windows, TargetInfo)


async def desktop_picture(agent: PipelineAgent, context: Context) -> Picture:
    """Return a picture of the whole desktop. Raises: CommandFailed, CaptureFailed."""
    return await _picture(agent, context, "capture_desktop_screenshot")


async def _picture(agent: PipelineAgent, context: Context, tool: str) -> Picture:
    picture = await _look(agent, tool)
    if not isinstance(picture, Picture):
        raise CaptureFailed(f"{tool} gave no picture")
    _tell_unchecked(picture, context)
    return picture


def _tell_unchecked(picture: Picture | None, context: Context) -> None:
    for told in picture.reservations if picture else ():
        context.events.emit(ProblemMet(where="a picture", error=ErrorData(type="PasswordsUnchecked", message=told)))


async def keep_final_picture(agent: PipelineAgent, context: Context, path: Path, tool: str) -> None:
    """Save the last picture of a subtask or a round, taken with `tool` (contract 2.3). Raises: CommandFailed,
    CaptureFailed.
    """
    picture = await _picture(agent, context, tool)
    await keep_picture(agent, context, "final", path, lambda: picture)


async def keep_picture(agent: PipelineAgent, context: Context, what: str, path: Path, make: MakePicture) -> str:
    """Submit a picture to be written and record its path in the journal. Returns the path as text."""
    await agent.services.images.submit(path, make)
    name = path.relative_to(context.log_path).as_posix()
    event = PictureSaved.model_validate({"step": context.session_step, "agent": agent.name, "what": what, "path": name})
    context.events.emit(event)
    return str(path)


async def keep_confirm_picture(
    agent: PipelineAgent, local: ProcessingContext, picture: Picture, present: Sequence[TargetInfo]
) -> None:
    """Save the picture for the user's decision: the present window with the targets of the held actions marked."""
    where = {target.handle: target for target in present}
    marked = [where.get(target.handle, target) for target in local.confirming or ()]
    path = LogFolder(local.log_path).confirm(local.session_step)

    local.confirm_screenshot_path = await keep_picture(
        agent, local.shared, "confirm", path, lambda: PhotographerFacade().highlight(picture, *marked)
    )
