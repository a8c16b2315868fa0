"""Points of the screen resolved to windows and controls, which an action would meet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deskhand import Command
from deskhand.agent_parts import PipelineAgent, desktop_windows, raise_if_failed
from deskhand.core.command import ToolType
from deskhand.core.errors import DeskhandError, StateError
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.operator.actions import Spot
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.hit import control_at, controls_in, described, window_at


class NotDone(DeskhandError):
    """An action is refused before a tool is called; the text is the reason, for the model."""

    recoverable = True


@dataclass(frozen=True, slots=True)
class Place:
    """A point of the screen, with the window and the control there."""

    point: Point
    window: TargetInfo
    seen: Observation
    control: TargetInfo | None

    @property
    def share(self) -> JsonObject:
        """The point as 0..1 of its window, in the middle of its pixel."""
        rect = self.window.rect
        return {
            "x": (self.point.x - rect.left + 0.5) / rect.width,
            "y": (self.point.y - rect.top + 0.5) / rect.height,
        }

    @property
    def is_in_window(self) -> bool:
        """False for a menu that extends beyond its window."""
        return self.window.rect.contains(self.point)

    def says(self, verb: str) -> str:
        return f"{verb} {self.control.describe}" if self.control else f"{verb} a place without a control"


class Places:
    """The places of one agent's application on the screen as it was shown to the model."""

    def __init__(self, agent: PipelineAgent, shown: ShownScreen) -> None:
        self._agent = agent
        self._shown = shown

    async def at(self, spot: Spot | None) -> Place:
        """Resolve a point; None: where the pointer is.

        Raises: ReplyDefect outside of the screen, NotDone where it is no window of the agent's application,
        CommandFailed.
        """
        point = await self.pointer() if spot is None else self._shown.point(spot)
        windows = await desktop_windows(self._agent)
        window = window_at(point, windows)
        if window is not None and self._is_own(window):
            seen = await self._observed(window)
            return Place(point, seen.window, seen, control_at(point, seen))
        if (popup := await self._popup_at(point, windows)) is not None:
            return popup
        written = f"({spot.x}, {spot.y})" if spot else "the pointer's place"
        if window is None:
            raise NotDone(f"Not done: at {written} there is no window")
        own = f'"{self._agent.root.name}"' if self._agent.root else "no window"
        raise NotDone(
            f'Not done: at {written} is another window, "{window.name}" of {window.application or "another program"}; '
            f"your task is in {own} of {self._agent.application}"
        )

    def beside(self, place: Place, spot: Spot) -> Place:
        """Another point, in the same window. Raises: ReplyDefect."""
        point = self._shown.point(spot)
        return replace(place, point=point, control=control_at(point, place.seen))

    async def listed(self, part: Rect) -> list[str]:
        """The controls of the agent's application in a part of the screen, in words. Raises: CommandFailed."""
        windows = await desktop_windows(self._agent)
        found: list[TargetInfo] = []
        for window in filter(self._is_own, windows):
            if not window.rect.intersection(part).empty:
                seen = controls_in(part, await self._observed(window))
                found += [each for each in seen if not _is_behind(each, window, windows)]
        return described(found, self._shown)

    async def with_keyboard(self) -> Observation:
        """The window of the application with the keyboard, else the agent's own. Raises: NotDone, CommandFailed."""
        windows = await desktop_windows(self._agent)
        active = (each for each in windows if "active" in each.states and self._is_own(each))
        window = next(active, self._agent.root)
        if window is None:
            raise NotDone("Not done: there is no window for the keyboard")
        return await self._observed(window)

    async def pointer(self) -> Point:
        """Raises: CommandFailed."""
        found = await self._ask("get_pointer_position", {})
        if not isinstance(found, Point):
            raise StateError("get_pointer_position gave no point")
        return found

    async def _popup_at(self, point: Point, windows: Sequence[TargetInfo]) -> Place | None:
        """A control outside of its own window: an item of a menu that extends beyond it."""
        for window in filter(self._is_own, windows):
            seen = await self._observed(window)
            control = control_at(point, seen)
            if control is not None and not window.rect.contains(point):
                return Place(point, seen.window, seen, control)
        return None

    async def _observed(self, window: TargetInfo) -> Observation:
        seen = await self._ask("observe_window", {"picture": False, "alone": True}, window)
        if not isinstance(seen, Observation):
            raise StateError("observe_window gave no observation")
        return seen

    async def _ask(self, tool: str, arguments: JsonObject, window: TargetInfo | None = None) -> object:
        command = Command(tool, arguments, ToolType.DATA_COLLECTION, window=window or self._agent.root)
        return raise_if_failed((await self._agent.services.dispatcher.execute_commands([command]))[0]).result

    def _is_own(self, window: TargetInfo) -> bool:
        """True for the windows of the agent's application, its dialogs included."""
        root = self._agent.root
        if root is None:
            return False
        same = window.application == root.application and window.pid == root.pid
        return same or root.handle in {window.handle, window.parent}


def _is_behind(control: TargetInfo, window: TargetInfo, windows: Sequence[TargetInfo]) -> bool:
    """True for a control behind another window. One outside of its own is in a menu, in front of all."""
    if not window.rect.contains(control.rect.center):
        return False
    front = window_at(control.rect.center, windows)
    return front is not None and front.handle != window.handle
