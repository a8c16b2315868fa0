"""Pictures of the screen, by shared memory where the server has it."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Self

import anyio
import mss
from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import checkpoint_if_cancelled
from PIL import Image

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture

_BROKEN: Final = (mss.ScreenShotError, OSError, AssertionError)
"""What a server that died makes of a grab: `mss` asserts that there is an answer. TimeoutError is an OSError."""


class Camera:
    """Takes pictures of one display."""

    def __init__(self, grabber: mss.MSS, deadline_s: float) -> None:
        self._grabber = grabber
        self._deadline_s = deadline_s
        self._limiter = CapacityLimiter(1)

    @classmethod
    async def open(cls, display: str, *, deadline_s: float = 5.0) -> Self:
        """Raises: CaptureFailed."""

        def connect() -> mss.MSS:
            return mss.MSS(display=display)

        try:
            with anyio.fail_after(deadline_s):
                return cls(await to_thread.run_sync(connect, abandon_on_cancel=True), deadline_s)
        except _BROKEN as error:
            raise _failed(error) from error

    async def take(self, region: Rect | None = None, hidden: Sequence[Rect] = ()) -> Picture:
        """The whole screen, or the part of `region` that is on it; the rectangles of `hidden` are blackened.

        Raises: CaptureFailed.
        """
        await checkpoint_if_cancelled()
        try:
            with anyio.fail_after(self._deadline_s, shield=True):
                return await to_thread.run_sync(
                    self._take, region, hidden, abandon_on_cancel=True, limiter=self._limiter
                )
        except _BROKEN as error:
            raise _failed(error) from error

    async def close(self) -> None:
        """Lets go of the display; where that is gone, nothing is left to let go of."""
        with suppress(*_BROKEN), anyio.move_on_after(self._deadline_s, shield=True):
            await to_thread.run_sync(self._grabber.close, abandon_on_cancel=True)

    def _take(self, region: Rect | None, hidden: Sequence[Rect]) -> Picture:
        whole = self._grabber.monitors[0]
        screen = Rect.from_extents(whole["left"], whole["top"], whole["width"], whole["height"])
        rect = screen if region is None else region.intersection(screen)
        if rect.empty:
            raise CaptureFailed(f"{region} is not on the screen {screen}.", fix="Bring the window onto the screen.")
        shot = self._grabber.grab((rect.left, rect.top, rect.right, rect.bottom))
        image = Image.frombuffer("RGB", (rect.width, rect.height), shot.bgra, "raw", "BGRX", 0, 1)
        for secret in hidden:
            seen = secret.intersection(rect).moved(-rect.left, -rect.top)
            if not seen.empty:
                image.paste((0, 0, 0), (seen.left, seen.top, seen.right, seen.bottom))
        return Picture(image.tobytes(), rect)


def _failed(error: Exception) -> CaptureFailed:
    return CaptureFailed(f"The screen could not be captured: {error or 'no answer'}.", fix="Try again.")
