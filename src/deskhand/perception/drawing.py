"""Pictures that are drawn once, and made small enough for whoever takes them."""

from collections.abc import Callable
from math import sqrt
from threading import Lock, Thread
from typing import Final

from PIL import Image

from deskhand.core.model import PictureLimits
from deskhand.core.observation import Picture
from deskhand.perception.photographer import image_of

LABEL_SIZE: Final = 12
"""Pixels of a label's digits that a model still reads."""
_LEAST_BAND: Final = 64


class Drawing:
    """A picture that is drawn when it is first asked for, by whichever thread asks, and kept.

    The same one goes to a file and to a model.
    """

    def __init__(self, make: Callable[[], Picture | Image.Image]) -> None:
        self._make = make
        self._drawn: Picture | Image.Image | None = None
        self._lock = Lock()

    @property
    def drawn(self) -> bool:
        """Whether anybody has asked for it."""
        return self._drawn is not None

    def __call__(self) -> Picture | Image.Image:
        with self._lock:
            if self._drawn is None:
                self._drawn = self._make()
            return self._drawn


def size_of(picture: Picture | Image.Image) -> tuple[int, int]:
    """Width and height in pixels."""
    return (picture.rect.width, picture.rect.height) if isinstance(picture, Picture) else picture.size


def scale_for(size: tuple[int, int], limits: PictureLimits | None) -> float:
    """What a picture is multiplied with to be as large as the limits allow, 1 at the most."""
    width, height = max(1, size[0]), max(1, size[1])
    if limits is None:
        return 1.0
    return min(1.0, limits.max_side / max(width, height), sqrt(limits.max_pixels / (width * height)))


def label_size(size: tuple[int, int], limits: PictureLimits | None) -> int:
    """How high labels are drawn so that they are `LABEL_SIZE` pixels high once the picture is within the limits."""
    return round(LABEL_SIZE / scale_for(size, limits))


def within(picture: Picture | Image.Image, limits: PictureLimits) -> Picture | Image.Image:
    """The picture itself where it is small enough, else a smaller one of the same proportions.

    Two threads scale a half each: they need no interpreter for it, and it is most of what a picture costs.
    """
    size = size_of(picture)
    scale = scale_for(size, limits)
    if scale >= 1.0:
        return picture
    smaller = (max(1, int(size[0] * scale)), max(1, int(size[1] * scale)))
    image = picture if isinstance(picture, Image.Image) else image_of(picture)
    middle = smaller[1] // 2
    if middle < _LEAST_BAND:
        return _band(image, smaller, 0, smaller[1])
    upper: list[Image.Image] = []
    helper = Thread(target=lambda: upper.append(_band(image, smaller, 0, middle)), daemon=True)
    helper.start()
    lower = _band(image, smaller, middle, smaller[1])
    helper.join()
    whole = Image.new("RGB", smaller)
    whole.paste(upper[0], (0, 0))
    whole.paste(lower, (0, middle))
    return whole


def _band(image: Image.Image, size: tuple[int, int], top: int, bottom: int) -> Image.Image:
    """The rows from top to bottom of what an image is at another size."""
    rows = image.height / size[1]
    return image.resize(  # pyright: ignore[reportUnknownMemberType] - numpy's types
        (size[0], bottom - top), Image.Resampling.HAMMING, box=(0, top * rows, image.width, bottom * rows)
    )
