"""The windows of an agent's application, as its tools report them."""

from collections.abc import Sequence

from deskhand import Command
from deskhand.agent_parts import PipelineAgent, desktop_windows, raise_if_failed
from deskhand.core.command import ToolType
from deskhand.core.errors import StateError
from deskhand.core.geometry import Point
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo


class AgentSight:
    """The `Sight` of an agent: the windows of its application, their dialogs included."""

    def __init__(self, agent: PipelineAgent) -> None:
        self._agent = agent

    @property
    def own(self) -> str:
        root = self._agent.root
        return f'"{root.name}" of {self._agent.application}' if root else "no window"

    @property
    def root(self) -> TargetInfo | None:
        return self._agent.root

    def is_own(self, window: TargetInfo) -> bool:
        root = self._agent.root
        if root is None:
            return False
        same = window.application == root.application and window.pid == root.pid
        return same or root.handle in {window.handle, window.parent}

    async def windows(self) -> Sequence[TargetInfo]:
        return await desktop_windows(self._agent)

    async def observe(self, window: TargetInfo) -> Observation:
        seen = await self._ask("observe_window", {"picture": False, "alone": True}, window)
        if not isinstance(seen, Observation):
            raise StateError("observe_window gave no observation")
        return seen

    async def pointer(self) -> Point:
        found = await self._ask("get_pointer_position", {})
        if not isinstance(found, Point):
            raise StateError("get_pointer_position gave no point")
        return found

    async def _ask(self, tool: str, arguments: JsonObject, window: TargetInfo | None = None) -> object:
        command = Command(tool, arguments, ToolType.DATA_COLLECTION, window=window or self._agent.root)
        return raise_if_failed((await self._agent.services.dispatcher.execute_commands([command]))[0]).result
