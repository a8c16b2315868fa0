"""Live view of a desktop: its picture as it changes, and a person's pointer and keyboard on it.

All points and rectangles are physical screen pixels.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import anyio

from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Picture
from deskhand.desktop.protocols.input import Chord, MouseButton


@dataclass(frozen=True, slots=True)
class PointerMoved:
    """`held`: modifiers that are down; they are pressed on the desktop only while a button is down there."""

    point: Point
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ButtonChanged:
    """A button goes down or up at a point."""

    point: Point
    button: MouseButton
    is_down: bool
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WheelTurned:
    """Notches at a point; positive is right and down."""

    point: Point
    across: int
    down: int
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeysPressed:
    """Chords pressed and released one after the other."""

    chords: tuple[Chord, ...]


LiveEvent: TypeAlias = PointerMoved | ButtonChanged | WheelTurned | KeysPressed


@dataclass(frozen=True, slots=True)
class WindowShown:
    """A program shows a window, a menu, or a part of one.

    `rect`: its place on the screen right after; None if it was gone by then.
    """

    rect: Rect | None = None


RecordedEvent: TypeAlias = LiveEvent | WindowShown


@dataclass(frozen=True, slots=True)
class Look:
    """The pointer and the whole screen at one moment."""

    pointer: Point
    screen: Rect


class LiveDesktop(Protocol):
    """A desktop that is shown as it changes. All its coroutines but `release` raise DesktopGone."""

    on_change: Callable[[Sequence[Rect]], None]
    """Gets the changed parts of the screen, in the event loop."""

    @property
    def name(self) -> str: ...

    @property
    def ended(self) -> anyio.Event:
        """Set when the display server is gone."""
        ...

    async def look(self) -> Look: ...

    async def picture(self, region: Rect) -> Picture:
        """Return the part of a region on the screen as it is shown there, passwords and all. Raises: CaptureFailed."""
        ...

    async def send(self, event: LiveEvent) -> None:
        """Send one event of a person. Raises: ActionRefused, ActionDeadline."""
        ...

    async def release(self) -> None:
        """Release all that is down; does nothing on a desktop that is gone."""
        ...

    def hold(self, who: str) -> AbstractAsyncContextManager[None]:
        """Have pointer and keyboard for `who` alone meanwhile. Raises: DesktopBusy."""
        ...
