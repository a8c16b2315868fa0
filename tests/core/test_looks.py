"""What a place looks like is the same for the same pixels and another for others."""

from PIL import Image

from deskhand.core.appearance import difference, look_of
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder

SHOWN = Rect(10, 20, 110, 70)


def _picture(image: Image.Image, order: PixelOrder = PixelOrder.RGB) -> Picture:
    return Picture(image.tobytes("raw", order.value), SHOWN, order)


def test_a_look_does_not_depend_on_the_order_of_bytes_nor_on_where_the_picture_was_cut() -> None:
    noise = Image.effect_noise((100, 50), 80).convert("RGB")
    place = Rect(30, 30, 60, 47)
    look = look_of(_picture(noise), place)
    assert len(look) == 64
    assert look_of(_picture(noise, PixelOrder.BGRX), place) == look
    cut = noise.crop((20, 10, 50, 27))
    assert look_of(Picture(cut.tobytes(), place), place) == look


def test_looks_are_as_far_apart_as_what_they_show() -> None:
    white, grey = (Image.new("RGB", (100, 50), colour) for colour in ("white", (245, 245, 245)))
    black = Image.new("RGB", (100, 50), "black")
    place = Rect(30, 30, 60, 47)
    looks = [look_of(_picture(image), place) for image in (white, grey, black)]
    assert difference(looks[0], looks[0]) == 0
    assert difference(looks[0], looks[1]) == 10
    assert difference(looks[0], looks[2]) == 255


def test_what_the_picture_does_not_show_is_like_nothing() -> None:
    picture = _picture(Image.new("RGB", (100, 50)))
    assert look_of(picture, Rect(0, 20, 20, 40)) == b""
    assert look_of(picture, Rect(30, 30, 30, 40)) == b""
    assert difference(b"", b"") == 255
    assert len(look_of(picture, Rect(30, 30, 31, 31))) == 64
