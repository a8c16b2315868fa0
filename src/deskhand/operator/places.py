"""Points of the screen resolved to windows and controls, which an action would meet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from deskhand.core.errors import DeskhandError
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


class Sight(Protocol):
    """The windows that a loop may act in."""

    @property
    def own(self) -> str:
        """These windows in words, for the refusal of another."""
        ...

    @property
    def root(self) -> TargetInfo | None:
        """The main one of these windows; None if there is none."""
        ...

    def is_own(self, window: TargetInfo) -> bool: ...

    async def windows(self) -> Sequence[TargetInfo]:
        """All windows of the desktop, the front one first. Raises: CommandFailed."""
        ...

    async def observe(self, window: TargetInfo) -> Observation:
        """Raises: CommandFailed."""
        ...

    async def pointer(self) -> Point:
        """Raises: CommandFailed."""
        ...


class Places:
    """The places of a loop's own windows on the screen as it was shown to the model."""

    def __init__(self, sight: Sight, shown: ShownScreen) -> None:
        self._sight = sight
        self._shown = shown

    async def at(self, spot: Spot | None) -> Place:
        """Resolve a point; None: where the pointer is.

        Raises: ReplyDefect outside of the screen, NotDone where it is another window; as `Sight`.
        """
        point = await self._sight.pointer() if spot is None else self._shown.point(spot)
        windows = await self._sight.windows()
        window = window_at(point, windows)
        if window is not None and self._sight.is_own(window):
            seen = await self._sight.observe(window)
            return Place(point, seen.window, seen, control_at(point, seen))
        if (popup := await self._popup_at(point, windows)) is not None:
            return popup
        written = f"({spot.x}, {spot.y})" if spot else "the pointer's place"
        if window is None:
            raise NotDone(f"Not done: at {written} there is no window")
        raise NotDone(
            f'Not done: at {written} is another window, "{window.name}" of {window.application or "another program"}; '
            f"your task is in {self._sight.own}"
        )

    def beside(self, place: Place, spot: Spot) -> Place:
        """Another point, in the same window. Raises: ReplyDefect."""
        point = self._shown.point(spot)
        return replace(place, point=point, control=control_at(point, place.seen))

    async def listed(self, part: Rect) -> list[str]:
        """The controls of the own windows in a part of the screen, in words. Raises: as `Sight`."""
        windows = await self._sight.windows()
        found: list[TargetInfo] = []
        for window in filter(self._sight.is_own, windows):
            if not window.rect.intersection(part).empty:
                seen = controls_in(part, await self._sight.observe(window))
                found += [each for each in seen if not _is_behind(each, window, windows)]
        return described(found, self._shown)

    async def with_keyboard(self) -> Observation:
        """The own window with the keyboard, else the main one. Raises: NotDone without one; as `Sight`."""
        windows = await self._sight.windows()
        active = (each for each in windows if "active" in each.states and self._sight.is_own(each))
        window = next(active, self._sight.root)
        if window is None:
            raise NotDone("Not done: there is no window for the keyboard")
        return await self._sight.observe(window)

    async def _popup_at(self, point: Point, windows: Sequence[TargetInfo]) -> Place | None:
        """A control outside of its own window: an item of a menu that extends beyond it."""
        for window in filter(self._sight.is_own, windows):
            seen = await self._sight.observe(window)
            control = control_at(point, seen)
            if control is not None and not window.rect.contains(point):
                return Place(point, seen.window, seen, control)
        return None


def _is_behind(control: TargetInfo, window: TargetInfo, windows: Sequence[TargetInfo]) -> bool:
    """True for a control behind another window. One outside of its own is in a menu, in front of all."""
    if not window.rect.contains(control.rect.center):
        return False
    front = window_at(control.rect.center, windows)
    return front is not None and front.handle != window.handle
