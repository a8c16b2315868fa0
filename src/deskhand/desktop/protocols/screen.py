"""Screens, pictures of them, and the hit test."""

from dataclasses import dataclass
from typing import Protocol

from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo


@dataclass(frozen=True, slots=True)
class ScreenInfo:
    """One screen of a desktop. `scale` is how many physical pixels its setting makes of one, None where none is set."""

    name: str
    rect: Rect
    primary: bool = False
    scale: float | None = None


@dataclass(frozen=True, slots=True)
class Aim:
    """Point at which a click reaches its target, found by a hit test.

    `window` is the window at that time and `taken_by` the object that takes a click there, the backend's own reference.
    Both are checked again as part of the press: where they no longer hold, nothing is pressed.
    """

    point: Point
    window: TargetInfo
    taken_by: str = ""


def point_of(at: Point | Aim) -> Point:
    """Return the point on the screen."""
    return at.point if isinstance(at, Aim) else at


class Screen(Protocol):
    """Pixels and points of the desktop."""

    async def screenshot(self, region: Rect | None = None) -> Picture:
        """Return a picture of the whole desktop, or of a part. Raises: CaptureFailed, DesktopGone."""
        ...

    async def screens(self) -> tuple[ScreenInfo, ...]:
        """Return the screens of the desktop, the primary one first. Raises: DesktopGone."""
        ...

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        """Hit test: find the point of a place at which a click reaches it, its middle where that is visible.

        `control` is the control at that place: its application is asked, too, where it reports hits, and controls that
        cover it inside its own window count as well.

        `window.rect` has to be from before `place` was read: a window that moved since is refused.
        Raises: TargetCovered, TargetMoving, ActionRefused (off the screen), ElementStale, ApplicationGone,
        ApplicationUnresponsive (what is there is not known), DesktopGone.
        """
        ...

    async def paint_mark(self, window: TargetInfo | None = None) -> float:
        """Return a mark for `painted_since`; only the latest mark is valid.

        A new window is reported before it is painted: that first paint is waited for, for 2 s, if `window` is blank.
        """
        ...

    async def painted_since(self, mark: float, window: TargetInfo, *places: Rect) -> bool | None:
        """True if a place of a window, or of a menu of its program, was repainted differently since the mark.

        `window` as it was at the mark. None where it is not known of any: the window has moved, the place is occluded,
        or its visible part is the same and another part is occluded. All are compared at one moment. Raises:
        DesktopGone.
        """
        ...
