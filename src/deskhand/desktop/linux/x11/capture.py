"""Pictures of the screen, by shared memory where the server has it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Self, TypeVar

import mss

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.desktop.linux.x11.device import Device

T = TypeVar("T")

_BYTES: Final = 4
"""A pixel of a screen: blue, green, red, and one that means nothing."""

_BROKEN: Final = (mss.ScreenShotError, OSError, AssertionError)
"""What a server that died makes of a grab: `mss` asserts that there is an answer. TimeoutError is an OSError."""


class Camera:
    """Takes pictures of one display."""

    def __init__(self, display: str, deadline_s: float) -> None:
        def connect(given_up: mss.MSS | None) -> mss.MSS:  # noqa: ARG001 - nothing of it is left behind
            return mss.MSS(display=display)

        self._device = Device(connect, _close)
        self._deadline_s = deadline_s

    @classmethod
    async def open(cls, display: str, *, deadline_s: float = 5.0) -> Self:
        """Raises: CaptureFailed."""
        camera = cls(display, deadline_s)
        await camera._run(lambda _: None)
        return camera

    async def take(self, region: Rect | None = None, hidden: Sequence[Rect] = ()) -> Picture:
        """The whole screen, or the part of `region` that is on it; the rectangles of `hidden` are blackened.

        Raises: CaptureFailed.
        """
        return await self._run(lambda grabber: _take(grabber, region, hidden))

    async def close(self) -> None:
        """Lets go of the display; where that is gone, nothing is left to let go of."""
        await self._device.close()

    async def _run(self, work: Callable[[mss.MSS], T]) -> T:
        try:
            return await self._device.run(work, deadline_s=self._deadline_s)
        except _BROKEN as error:
            raise _failed(error) from error


def _take(grabber: mss.MSS, region: Rect | None, hidden: Sequence[Rect]) -> Picture:
    whole = grabber.monitors[0]
    screen = Rect.from_extents(whole["left"], whole["top"], whole["width"], whole["height"])
    rect = screen if region is None else region.intersection(screen)
    if rect.empty:
        raise CaptureFailed(f"{region} is not on the screen {screen}.", fix="Bring the window onto the screen.")
    pixels = grabber.grab((rect.left, rect.top, rect.right, rect.bottom)).raw
    for secret in hidden:
        _blacken(pixels, rect, secret)
    return Picture(memoryview(pixels).toreadonly(), rect, PixelOrder.BGRX)


def _blacken(pixels: bytearray, rect: Rect, secret: Rect) -> None:
    seen = secret.intersection(rect).moved(-rect.left, -rect.top)
    black = bytes(seen.width * _BYTES)
    for row in range(seen.top, seen.bottom):
        start = (row * rect.width + seen.left) * _BYTES
        pixels[start : start + len(black)] = black


def _close(grabber: mss.MSS) -> None:
    with suppress(*_BROKEN):
        grabber.close()


def _failed(error: Exception) -> CaptureFailed:
    return CaptureFailed(f"The screen could not be captured: {error or 'no answer'}.", fix="Try again.")
