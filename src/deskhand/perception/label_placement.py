"""Placement of numbered labels on a picture, so that they hide neither each other nor the controls they name.

Labels never overlap. If room is short a label gets smaller; if there is none, or a label of a control that is not
operated would hide drawn text, it is left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import inf
from typing import Final, TypeAlias

from PIL import Image, ImageChops, ImageDraw

from deskhand.core.geometry import Rect

_BUCKET: Final = 128
_SCALE: Final = 2
_INK: Final = 12  # how far neighbours must differ to count as something drawn
_DRAWN: Final = [0] * _INK + [1] * (256 - _INK)
_FOREIGN: Final = 0.15
_FOREIGN_TO_CONTAINER: Final = 1.0
_SMALLER: Final = 40  # what the smaller size costs: twenty pixels of ink
_TEXT: Final = 0.15  # fraction of a label's area: with this much ink under it there is text
_ON_INK: Final = 2.0
_FINE: Final = 16.0  # cost of a place at which the search ends: two specks
_INSET: Final = 4
_FRAME: Final = 3


Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom: a Rect takes ten times as long to make, and thousands of places are tried."""


class Weight(IntEnum):
    """Precedence in placement: controls that are operated, that are read, that only contain others."""

    ACT = 0
    READ = 1
    CONTAIN = 2


@dataclass(frozen=True, slots=True)
class Spot:
    """A control to label: its rectangle, and the possible widths and heights of its label, the best first."""

    rect: Rect
    sizes: tuple[tuple[int, int], ...]
    weight: Weight = Weight.ACT


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a label, and the index of its size."""

    rect: Rect
    size: int


@dataclass(frozen=True, slots=True)
class Ink:
    """Drawn pixels for labels of one height: at each place the sum from there down.

    Half the picture's size; `free` is without the frames of controls.
    """

    width: int
    drawn: bytes
    free: bytes

    def under(self, box: Box, *, frames: bool = True) -> int:
        """Number of pixels in a box of this height, inside the picture, that are (roughly) drawn on."""
        start = -(-box[1] // _SCALE) * self.width
        sums = self.drawn if frames else self.free
        return sum(sums[start + box[0] // _SCALE : start - -box[2] // _SCALE]) * (_SCALE * _SCALE)


class InkMap:
    """Drawn parts of a picture: text, icons, edges; at half its size.

    A control's own frame does not keep a label out of it, so there is a second map without the frames.
    """

    def __init__(self, small: Image.Image, frames: Iterable[Rect] = ()) -> None:
        """`small`: the picture in grey and at half its size (`glanced`); frames are in the picture's own pixels."""
        width, height = small.size
        across = ImageChops.difference(small, ImageChops.offset(small, 1, 0))
        across.paste(0, (0, 0, 1, height))  # an offset picture begins with its other end
        down = ImageChops.difference(small, ImageChops.offset(small, 0, 1))
        down.paste(0, (0, 0, width, 1))
        drawn = ImageChops.lighter(across, down).point(_DRAWN)  # pyright: ignore[reportUnknownMemberType] - half typed
        free = drawn.copy()
        draw = ImageDraw.Draw(free)
        for frame in frames:
            _wipe_frame(draw, frame, drawn.size)
        self._summed = {1: (drawn, free)}
        self._of_height: dict[int, Ink] = {}

    def of_height(self, height: int) -> Ink:
        """The map for labels of this height in pixels: each is computed once, and read thousands of times."""
        if height not in self._of_height:
            drawn, free = self._sums(-(-height // _SCALE))
            self._of_height[height] = Ink(drawn.width, drawn.tobytes(), free.tobytes())
        return self._of_height[height]

    def _sums(self, rows: int) -> tuple[Image.Image, Image.Image]:
        """Both maps, each pixel summed with those of the given number of rows from it down."""
        if rows not in self._summed:
            above = rows - 1 if rows % 2 else rows // 2
            first, second = self._sums(above), self._sums(rows - above)
            self._summed[rows] = _added(first[0], second[0], above), _added(first[1], second[1], above)
        return self._summed[rows]


def _added(image: Image.Image, other: Image.Image, above: int) -> Image.Image:
    """Each pixel added to that of the other image `above` rows below it; unchanged if there is none."""
    width, height = image.size
    return ImageChops.add_modulo(image, other.crop((0, above, width, height + above)))


def _wipe_frame(draw: ImageDraw.ImageDraw, frame: Rect, size: tuple[int, int]) -> None:
    left, right = max(0, frame.left // _SCALE - 1), min(size[0], frame.right // _SCALE + 1)
    top, bottom = max(0, frame.top // _SCALE - 1), min(size[1], frame.bottom // _SCALE + 1)
    if left < right and top < bottom:
        draw.rectangle((left, top, right - 1, bottom - 1), outline=0, width=_FRAME)


class _Occupied:
    """Boxes in buckets, so that overlaps are looked up only nearby."""

    def __init__(self, boxes: Iterable[Box] = ()) -> None:
        self._buckets: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        for bucket in _buckets(box):
            self._buckets.setdefault(bucket, []).append(box)

    def overlap(self, box: Box, *, but: Box | None = None) -> int:
        """The area shared with boxes here; area in two buckets may count twice."""
        area = 0
        left, top, right, bottom = box
        for bucket in _buckets(box):
            for other in self._buckets.get(bucket, ()):
                if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom and other is not but:
                    width = min(right, other[2]) - max(left, other[0])
                    area += width * (min(bottom, other[3]) - max(top, other[1]))
        return area


def _box(rect: Rect) -> Box:
    return rect.left, rect.top, rect.right, rect.bottom


def _buckets(box: Box) -> list[tuple[int, int]]:
    left, top, right, bottom = box[0] // _BUCKET, box[1] // _BUCKET, (box[2] - 1) // _BUCKET, (box[3] - 1) // _BUCKET
    if left == right and top == bottom:
        return [(left, top)]
    return [(column, row) for column in range(left, right + 1) for row in range(top, bottom + 1)]


def place_labels(spots: Sequence[Spot], frame: Rect, ink: InkMap, taken: Iterable[Rect] = ()) -> list[Place | None]:
    """One place per spot, in the spots' order and coordinates, inside the frame; None if there is no room.

    Operated controls choose first, of those the small ones, since large ones have more room. No label overlaps another
    or a `taken` rectangle; it avoids drawn pixels, then foreign controls; of equally good places the first listed one
    wins. Controls that are only read, or only contain others, get no label on text.
    """
    boxes = [_box(spot.rect) for spot in spots]
    controls = _Occupied(box for spot, box in zip(spots, boxes, strict=True) if spot.weight is not Weight.CONTAIN)
    labels = _Occupied(map(_box, taken))
    chosen: list[Place | None] = [None] * len(spots)
    for index in sorted(range(len(spots)), key=lambda index: (spots[index].weight, spots[index].rect.area)):
        best = _best(spots[index], boxes[index], frame, ink, (controls, labels))
        if best is not None:
            box, size = best
            chosen[index] = Place(Rect(*box), size)
            labels.add(box)
    return chosen


def _best(
    spot: Spot, own: Box, frame: Rect, ink: InkMap, occupied: tuple[_Occupied, _Occupied]
) -> tuple[Box, int] | None:
    """The place of least cost; evaluation of a place ends when its cost exceeds the best one's."""
    controls, labels = occupied
    contains = spot.weight is Weight.CONTAIN
    foreign = _FOREIGN_TO_CONTAINER if contains else _FOREIGN
    best: tuple[Box, int] | None = None
    least = inf
    for size, (width, height) in enumerate(spot.sizes):
        most = inf if spot.weight is Weight.ACT else width * height * _TEXT
        under = ink.of_height(height).under
        for base, (left, top) in enumerate(_corners(spot, width, height, frame), size * _SMALLER):
            if base + _FINE >= least:
                break
            place = left, top, left + width, top + height
            frames = contains or not _holds(own, place)
            drawn = under(place, frames=frames)
            cost = base + drawn * _ON_INK
            if drawn > most or cost >= least or labels.overlap(place):
                continue
            cost += controls.overlap(place, but=own) * foreign
            if cost < least:
                best, least = (place, size), cost
    return best


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _corners(spot: Spot, width: int, height: int, frame: Rect) -> Iterable[tuple[int, int]]:
    """Candidates for the upper left corner of a label inside the frame, the best first.

    A generator, since most are never tried.
    """
    last_left, last_top = frame.right - width, frame.bottom - height
    if last_left < frame.left or last_top < frame.top:
        return ()
    own, corners = spot.rect, _corners_anywhere(spot, width, height)
    if (
        own.left - width >= frame.left
        and own.top - height >= frame.top
        and own.right <= last_left
        and own.bottom <= last_top
    ):
        return corners
    return ((max(frame.left, min(x, last_left)), max(frame.top, min(y, last_top))) for x, y in corners)


def _corners_anywhere(spot: Spot, width: int, height: int) -> Iterator[tuple[int, int]]:
    """In the right end of a control with room there; touching a small one from outside; then corners and edges."""
    left, top, right, bottom = spot.rect.left, spot.rect.top, spot.rect.right - width, spot.rect.bottom - height
    above, before, below, after = top - height, left - width, bottom + height, right + width
    middle = (top + bottom) // 2
    if spot.rect.width >= 3 * width and spot.rect.height >= height + 2 and spot.weight is not Weight.CONTAIN:
        yield right - _INSET, middle
    yield from ((left, above), (before, top), (right, above), (after, middle), (before, middle))
    yield from ((left, below), (right, below))
    yield from ((right, top), (left, top), (right, bottom), (left, bottom), (right, middle), (left, middle))
    half, step = width // 2, max(width, spot.rect.width // 6)
    yield from ((after - half, top), (after - half, bottom), (left - half, top))
    yield from ((across, top) for across in range(left + width, right, step))
    yield from ((across, middle) for across in range(left, right, step))
