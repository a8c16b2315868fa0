"""Pictures of the screen, by shared memory where the server has it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self, TypeVar

import mss
from PIL import Image, ImageChops
from Xlib.error import ConnectionClosedError, DisplayError

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import cut_display
from deskhand.desktop.linux.x11.server import connect

T = TypeVar("T")

_BYTES: Final = 4
"""A pixel of a screen: blue, green, red, and one that means nothing."""

_CARET: Final = 3
"""Pixels of a stroke: what changed is no text."""

_BROKEN: Final = (mss.ScreenShotError, DisplayError, ConnectionClosedError, OSError, AssertionError)
"""What a server that died makes of a grab: `mss` asserts that there is an answer. TimeoutError is an OSError."""


@dataclass(frozen=True, slots=True, repr=False)
class Shot:
    """Pixels as the screen has them, row-major, BGRX; nobody's to see before `picture` has hidden what is secret."""

    pixels: bytearray
    rect: Rect

    def shows_same(self, other: "Shot") -> bool:
        """Whether nothing that could be read differs: a caret that blinks is narrower than a letter."""
        if self.rect != other.rect:
            return False
        if self.pixels == other.pixels:
            return True
        stride = self.rect.width * _BYTES
        starts = range(0, len(self.pixels), stride)
        rows = [y for y, at in enumerate(starts) if self.pixels[at : at + stride] != other.pixels[at : at + stride]]
        band = slice(rows[0] * stride, (rows[-1] + 1) * stride)
        size = (self.rect.width, rows[-1] + 1 - rows[0])
        one, two = (Image.frombytes("RGB", size, bytes(shot.pixels[band]), "raw", "BGRX") for shot in (self, other))
        left, top, right, bottom = ImageChops.difference(one, two).getbbox() or (0, 0, 0, 0)
        return min(right - left, bottom - top) <= _CARET

    def shows_same_in(self, other: "Shot", part: Rect) -> bool:
        """Whether every pixel of a part of the screen is the same in both; no part that is not all in them is."""
        if part.empty or part.intersection(self.rect) != part or part.intersection(other.rect) != part:
            return False
        return all(mine == others for mine, others in zip(_rows(self, part), _rows(other, part), strict=True))

    def picture(self, hidden: Iterable[Rect], unchecked: Iterable[str] = ()) -> Picture:
        """What may be seen of it: the rectangles of `hidden` are black."""
        for secret in hidden:
            _blacken(self.pixels, self.rect, secret)
        return Picture(memoryview(self.pixels).toreadonly(), self.rect, PixelOrder.BGRX, tuple(unchecked))


def _rows(shot: Shot, part: Rect) -> Iterator[bytearray]:
    """The pixels of a part of the screen, row by row."""
    stride, width = shot.rect.width * _BYTES, part.width * _BYTES
    start = (part.top - shot.rect.top) * stride + (part.left - shot.rect.left) * _BYTES
    return (shot.pixels[at : at + width] for at in range(start, start + part.height * stride, stride))


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


class Camera:
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


def _blacken(pixels: bytearray, rect: Rect, secret: Rect) -> None:
    seen = secret.intersection(rect).moved(-rect.left, -rect.top)
    black = bytes(seen.width * _BYTES)
    for row in range(seen.top, seen.bottom):
        start = (row * rect.width + seen.left) * _BYTES
        pixels[start : start + len(black)] = black


def _failed(error: Exception) -> CaptureFailed:
    return CaptureFailed(f"The screen could not be captured: {error or 'no answer'}.", fix="Try again.")
