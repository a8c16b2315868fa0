"""Pixels of the screen, before passwords are hidden."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from PIL import Image, ImageChops

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder

_BYTES: Final = 4
"""Bytes of a pixel: blue, green, red, and one without meaning."""

_CARET: Final = 3
"""Largest width in pixels of a change that is no text: a caret is narrower than a letter."""


@dataclass(frozen=True, slots=True, repr=False)
class Shot:
    """Pixels of a part of the screen, row-major, BGRX; not to be shown before `picture` has hidden secrets."""

    pixels: bytearray
    rect: Rect

    def shows_same(self, other: "Shot") -> bool:
        """True if no readable content differs: a blinking caret is narrower than a letter."""
        if self.rect != other.rect:
            return False
        if self.pixels == other.pixels:
            return True
        rows = self._changed_rows(other)
        changed = self._changed_in(range(rows[0], rows[-1] + 1), other)
        return min(changed.width, changed.height) <= _CARET

    def shows_same_in(self, other: "Shot", part: Rect) -> bool:
        """True if every pixel of a part of the screen is the same in both; False unless all of it is in both."""
        if part.empty or part.intersection(self.rect) != part or part.intersection(other.rect) != part:
            return False
        return all(mine == others for mine, others in zip(_rows(self, part), _rows(other, part), strict=True))

    def changed_parts(self, other: "Shot") -> tuple[Rect, ...] | None:
        """Return the parts of the screen that differ, each as wide as the changes in adjacent rows of pixels; None if
        the pictures are of different places.
        """
        if self.rect != other.rect:
            return None
        if self.pixels == other.pixels:
            return ()
        rows = self._changed_rows(other)
        ends = [0, *(number for number in range(1, len(rows)) if rows[number] != rows[number - 1] + 1), len(rows)]
        bands = (range(rows[start], rows[end - 1] + 1) for start, end in pairwise(ends))
        return tuple(self._changed_in(band, other).moved(self.rect.left, self.rect.top) for band in bands)

    def _changed_rows(self, other: "Shot") -> list[int]:
        """Return the numbers of the rows of pixels that differ, in pictures of one place."""
        stride = self.rect.width * _BYTES
        starts = range(0, len(self.pixels), stride)
        return [y for y, at in enumerate(starts) if self.pixels[at : at + stride] != other.pixels[at : at + stride]]

    def _changed_in(self, band: range, other: "Shot") -> Rect:
        """Return the part of some rows of pixels that differs, from the corner of the picture."""
        stride = self.rect.width * _BYTES
        part, size = slice(band.start * stride, band.stop * stride), (self.rect.width, len(band))
        one, two = (Image.frombytes("RGB", size, bytes(shot.pixels[part]), "raw", "BGRX") for shot in (self, other))
        left, top, right, bottom = ImageChops.difference(one, two).getbbox() or (0, 0, 0, 0)
        return Rect(left, band.start + top, right, band.start + bottom)

    def is_blank_in(self, part: Rect) -> bool:
        """True if a part of the screen is of one color in it."""
        seen = part.intersection(self.rect)
        if seen.empty:
            return False
        first = next(_rows(self, seen))[:_BYTES] * seen.width
        return all(row == first for row in _rows(self, seen))

    def picture(self, hidden: Iterable[Rect], unchecked: Iterable[str] = ()) -> Picture:
        """Return the pixels as a picture, with the rectangles of `hidden` black."""
        for secret in hidden:
            _blacken(self.pixels, self.rect, secret)
        return Picture(memoryview(self.pixels).toreadonly(), self.rect, PixelOrder.BGRX, tuple(unchecked))


def _rows(shot: Shot, part: Rect) -> Iterator[bytearray]:
    """The pixels of a part of the screen, row by row."""
    stride, width = shot.rect.width * _BYTES, part.width * _BYTES
    start = (part.top - shot.rect.top) * stride + (part.left - shot.rect.left) * _BYTES
    return (shot.pixels[at : at + width] for at in range(start, start + part.height * stride, stride))


def _blacken(pixels: bytearray, rect: Rect, secret: Rect) -> None:
    seen = secret.intersection(rect).moved(-rect.left, -rect.top)
    black = bytes(seen.width * _BYTES)
    for row in range(seen.top, seen.bottom):
        start = (row * rect.width + seen.left) * _BYTES
        pixels[start : start + len(black)] = black
