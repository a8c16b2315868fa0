"""Pictures that are drawn once, and scaled to the limits of their consumers."""

from collections.abc import Callable, Sequence
from math import ceil, floor, sqrt
from threading import Lock
from typing import Final, TypeAlias

from PIL import Image

from deskhand.core.geometry import Rect
from deskhand.core.model import PictureLimits
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo
from deskhand.perception.annotation import LABEL_SIZE, Arrangement, PhotographerFacade, framed, image_of, rows_of

_BAND: Final = 64

Drawn: TypeAlias = Picture | Image.Image
Paint: TypeAlias = Callable[[Image.Image, float], Image.Image]
"""Draws on an RGB image, scaled by a factor relative to the picture it shows, and returns it."""


class Drawing:
    """A picture that is drawn at its first use, in the thread of that use, and cached.

    The same one goes to a file and to a model.
    """

    def __init__(self, make: Callable[[], Drawn]) -> None:
        self._make = make
        self._whole: Drawn | None = None
        self._small: dict[PictureLimits, Drawn] = {}
        self._lock = Lock()
        self._scaling = Lock()

    @property
    def drawn(self) -> bool:
        """True if it was drawn at full size."""
        return self._whole is not None

    @property
    def note(self) -> str:
        """Note for the reader of the picture, in a few words, after it was drawn."""
        return ""

    def __call__(self) -> Drawn:
        with self._lock:
            if self._whole is None:
                self._whole = self._make()
            return self._whole

    def scaled(self, limits: PictureLimits) -> tuple[Drawn, float]:
        """The picture within the limits, and its scale; itself if it is small enough."""
        with self._scaling:
            if limits not in self._small:
                self._small[limits] = self._scale(limits)
            small = self._small[limits]
            return small, self._factor(small)

    def _scale(self, limits: PictureLimits) -> Drawn:
        return within(self(), limits)

    def _factor(self, small: Drawn) -> float:
        return size_of(small)[0] / max(1, size_of(self())[0])


class Painting(Drawing):
    """Marks drawn on another picture. The scaled ground is shared, and drawn on anew, so that the marks are sharp."""

    def __init__(self, ground: Drawing, paint: Paint) -> None:
        super().__init__(lambda: paint(image_of(ground()), 1.0))
        self._ground = ground
        self._paint = paint

    def _scale(self, limits: PictureLimits) -> Drawn:
        small, scale = self._ground.scaled(limits)
        return self() if scale == 1.0 else self._paint(image_of(small), scale)

    def _factor(self, small: Drawn) -> float:
        return size_of(small)[0] / max(1, size_of(self._ground())[0])


class Annotated(Painting):
    """A picture with its controls outlined and labelled, with the number of labels without room in its note."""

    def __init__(
        self, ground: Drawing, picture: Picture, targets: Sequence[TargetInfo], limits: PictureLimits | None
    ) -> None:
        """`ground` is the picture as taken, `limits` those it will be scaled to, for the size of labels."""
        super().__init__(ground, self._annotate)
        self._picture = picture
        self._targets = targets
        self._facade = PhotographerFacade(font_size=label_size(size_of(picture), limits))
        self._arrangement: Arrangement | None = None
        self._arranging = Lock()

    @property
    def note(self) -> str:
        return self._arrangement.note if self._arrangement else ""

    def _annotate(self, image: Image.Image, scale: float) -> Image.Image:
        with self._arranging:
            if self._arrangement is None:
                self._arrangement = self._facade.arranged(self._picture, self._targets)
        return self._facade.drawn(image, self._arrangement, scale)


def highlighted(ground: Drawing, place: Rect, *targets: TargetInfo) -> Painting:
    """A picture of a place on the screen with these targets framed in red."""
    return Painting(ground, lambda image, scale: framed(image, place, targets, scale))


def size_of(picture: Picture | Image.Image) -> tuple[int, int]:
    """Width and height in pixels."""
    return (picture.rect.width, picture.rect.height) if isinstance(picture, Picture) else picture.size


def scale_for(size: tuple[int, int], limits: PictureLimits | None) -> float:
    """Factor that brings a picture within the limits, at most 1."""
    width, height = max(1, size[0]), max(1, size[1])
    if limits is None:
        return 1.0
    return min(1.0, limits.max_side / max(width, height), sqrt(limits.max_pixels / (width * height)))


def label_size(size: tuple[int, int], limits: PictureLimits | None) -> int:
    """Font height of labels that are `LABEL_SIZE` pixels high once the picture is within the limits."""
    return round(LABEL_SIZE / scale_for(size, limits))


def within(picture: Drawn, limits: PictureLimits) -> Drawn:
    """The picture itself if it is small enough, else a smaller one of the same proportions.

    Each pixel is the mean of those whose centre it covers: the fastest way that loses no thin line of a letter. A few
    rows are scaled at a time, since newly allocated memory costs more time than the scaling itself.
    """
    size = size_of(picture)
    scale = scale_for(size, limits)
    if scale >= 1.0:
        return picture
    smaller = (max(1, int(size[0] * scale)), max(1, int(size[1] * scale)))
    whole = Image.new("RGB", smaller)
    for top in range(0, smaller[1], _BAND):
        whole.paste(_scaled_rows(picture, smaller, top, min(top + _BAND, smaller[1])), (0, top))
    return whole


def cut(picture: Drawn, part: Rect, size: tuple[int, int]) -> Image.Image:
    """A part of a picture, in its own pixels, smaller or larger."""
    image = image_of(picture).crop((part.left, part.top, part.right, part.bottom))
    if image.size == size:
        return image
    smaller = size[0] < image.width
    how = Image.Resampling.BOX if smaller else Image.Resampling.BICUBIC
    return image.resize(size, how)  # pyright: ignore[reportUnknownMemberType] - numpy's types


def _scaled_rows(picture: Drawn, smaller: tuple[int, int], top: int, bottom: int) -> Image.Image:
    """The rows from top to bottom of the scaled picture."""
    width, height = size_of(picture)
    rows = height / smaller[1]
    first, last = max(0, floor(top * rows) - 1), min(height, ceil(bottom * rows) + 1)
    part = rows_of(picture, first, last)
    return part.resize(  # pyright: ignore[reportUnknownMemberType] - numpy's types
        (smaller[0], bottom - top),
        Image.Resampling.BOX,
        box=(0, top * rows - first, width, min(bottom * rows - first, part.height)),
    )
