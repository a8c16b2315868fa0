"""The last picture of a subtask or a round (SPEC 2.3)."""

from pathlib import Path

from deskhand.core.command import Command, ToolType
from deskhand.core.context import Context
from deskhand.core.errors import CaptureFailed
from deskhand.core.observation import Picture
from deskhand.pipeline.actions import raise_if_failed
from deskhand.pipeline.looking import keep_picture
from deskhand.pipeline.services import PipelineAgent


async def keep_final_picture(agent: PipelineAgent, context: Context, path: Path, tool: str) -> None:
    """Takes a picture with `tool` and keeps it. Raises: CommandFailed, CaptureFailed."""
    command = Command(tool, {}, ToolType.DATA_COLLECTION, window=agent.root)
    picture = raise_if_failed((await agent.services.dispatcher.execute_commands([command]))[0]).result
    if not isinstance(picture, Picture):
        raise CaptureFailed(f"{tool} gave no picture")
    await keep_picture(agent, context, "final", path, lambda: picture)
