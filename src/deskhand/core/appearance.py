"""Coarse appearance of a place on the screen, so that it can be recognised again."""

from itertools import pairwise
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder

_CELLS: Final = 8
_ROWS: Final = 4


def look_of(picture: Picture, place: Rect) -> bytes:
    """The brightness of 8 x 8 parts of a place on the screen, independent of the picture's byte order.

    At most four rows of each part are read. Empty if the picture does not cover all of the place.
    """
    if place.empty or place.intersection(picture.rect) != place:
        return b""
    bytes_a_pixel = 3 if picture.order is PixelOrder.RGB else 4
    pixels, stride = memoryview(picture.pixels), picture.rect.width * bytes_a_pixel
    columns = [place.left - picture.rect.left + place.width * n // _CELLS for n in range(_CELLS + 1)]
    rows = [place.top - picture.rect.top + place.height * n // _CELLS for n in range(_CELLS + 1)]
    look = bytearray()
    for top, below in pairwise(rows):
        bottom = max(below, top + 1)
        for left, after in pairwise(columns):
            right = max(after, left + 1)
            total = count = 0
            for row in range(top, bottom, max(1, (bottom - top) // _ROWS)):
                part = bytes(pixels[row * stride + left * bytes_a_pixel : row * stride + right * bytes_a_pixel])
                total += sum(part) - (sum(part[3::4]) if bytes_a_pixel == 4 else 0)
                count += right - left
            look.append(total // (3 * count))
    return bytes(look)


def difference(one: bytes, other: bytes) -> float:
    """Distance of two appearances: 0 equal, 255 black and white; 255 if one is missing."""
    if len(one) != len(other) or not one:
        return 255.0
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)
