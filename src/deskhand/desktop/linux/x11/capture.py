"""Pictures of the screen, by shared memory where the server has it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self, TypeVar

import mss
from Xlib.error import ConnectionClosedError, DisplayError

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import cut_display
from deskhand.desktop.linux.x11.server_connection import connect

T = TypeVar("T")

_BROKEN: Final = (mss.ScreenShotError, DisplayError, ConnectionClosedError, OSError, AssertionError)
"""Errors of a grab from a server that died: `mss` asserts that there is an answer. TimeoutError is an OSError."""


class _Lens:
    """One display's grabber. It is made for the size that the display has; screens may come and go."""

    def __init__(self, display: str) -> None:
        self._name = display
        self._display = connect(display)
        try:
            self._grabber, self._made_for = mss.MSS(display=display), self._size()
        except BaseException:
            with suppress(*_BROKEN):
                self._display.close()
            raise

    def grab(self, region: Rect | None) -> Shot:
        if (size := self._size()) != self._made_for:
            self._grabber.close()
            self._grabber, self._made_for = mss.MSS(display=self._name), size
        screen = Rect(0, 0, *size)
        rect = screen if region is None else region.intersection(screen)
        if rect.empty:
            raise CaptureFailed(f"{region} is not on the screen {screen}.", fix="Bring the window onto the screen.")
        return Shot(self._grabber.grab((rect.left, rect.top, rect.right, rect.bottom)).raw, rect)

    def close(self) -> None:
        """Lets go of the display, also of one that is gone."""
        with suppress(*_BROKEN):
            self._grabber.close()
        with suppress(*_BROKEN):
            self._display.close()

    def cut(self) -> None:
        """Ends the connection that a grab asks first: one that waits there for an answer comes back."""
        cut_display(self._display)

    def _size(self) -> tuple[int, int]:
        root = self._display.screen().root.get_geometry()
        return root.width, root.height


class XCamera:
    """Takes pictures of one display."""

    def __init__(self, display: str, deadline_s: float) -> None:
        def connect(given_up: _Lens | None) -> _Lens:  # noqa: ARG001 - nothing of it is left behind
            return _Lens(display)

        self._device = Device(connect, _Lens.close, _Lens.cut)
        self._deadline_s = deadline_s

    @classmethod
    async def open(cls, display: str, *, deadline_s: float = 5.0) -> Self:
        """Raises: CaptureFailed."""
        camera = cls(display, deadline_s)
        await camera._run(lambda _: None)
        return camera

    async def grab(self, region: Rect | None = None) -> Shot:
        """The whole screen, or the part of `region` that is on it, passwords and all.

        Raises: CaptureFailed.
        """
        return await self._run(lambda lens: lens.grab(region))

    async def close(self) -> None:
        """Lets go of the display; where that is gone, nothing is left to let go of."""
        await self._device.close()

    async def _run(self, work: Callable[[_Lens], T]) -> T:
        try:
            return await self._device.run(work, deadline_s=self._deadline_s)
        except _BROKEN as error:
            raise _failed(error) from error


def _failed(error: Exception) -> CaptureFailed:
    return CaptureFailed(f"The screen could not be captured: {str(error) or 'no answer'}.", fix="Try again.")
