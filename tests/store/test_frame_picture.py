"""Frames of a view: exact for windows, small for films."""

import random
from io import BytesIO

from PIL import Image

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.store.frame_picture import encode_frame

PLACE = Rect.from_extents(10, 20, 400, 300)


def test_a_picture_of_few_colours_is_exact() -> None:
    pixels = b"".join(bytes((x % 20, x % 7, x % 3, 0)) for x in range(PLACE.area))
    shown = read(Picture(pixels, PLACE, PixelOrder.BGRX))
    assert shown.format == "PNG"
    assert shown.convert("RGB").tobytes() == Picture(pixels, PLACE, PixelOrder.BGRX).rgb


def test_a_film_is_compressed_with_losses_that_are_not_seen() -> None:
    noise = random.Random(7).randbytes(16 * 8 * 4)  # noqa: S311 - pixels
    small = Image.frombytes("RGBX", (16, 8), noise).resize((PLACE.width, PLACE.height), Image.Resampling.BICUBIC)
    shown = read(Picture(small.tobytes(), PLACE, PixelOrder.BGRX))
    assert shown.format == "JPEG"
    blue, _, red, _ = small.split()
    got = shown.convert("RGB").split()
    for wanted, channel in ((red, got[0]), (blue, got[2])):
        pairs = zip(wanted.tobytes(), channel.tobytes(), strict=True)
        assert sum(abs(one - other) for one, other in pairs) / PLACE.area < 12


def test_a_small_part_is_exact_whatever_it_shows() -> None:
    place = Rect.from_extents(0, 0, 100, 100)
    pixels = random.Random(7).randbytes(place.area * 4)  # noqa: S311 - pixels
    assert read(Picture(pixels, place, PixelOrder.BGRX)).format == "PNG"


def read(picture: Picture) -> Image.Image:
    image = Image.open(BytesIO(encode_frame(picture)))
    assert image.size == (picture.rect.width, picture.rect.height)
    return image
