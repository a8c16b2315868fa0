"""Where the numbered labels of a picture go, so that they hide neither each other nor what they name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageFilter

from deskhand.core.geometry import Rect

_BUCKET: Final = 64
_SCALE: Final = 2
_INK: Final = 24  # how strong an edge must be to count as something drawn
_LABEL_OVERLAP: Final = 50.0
_FOREIGN: Final = 0.15
_FOREIGN_TO_CONTAINER: Final = 1.0
_ON_INK: Final = 2.0
_INSET: Final = 4
_FRAME: Final = 3


@dataclass(frozen=True, slots=True)
class Spot:
    """A control to be labelled: its rectangle, the size of its label, and whether it only contains others."""

    rect: Rect
    width: int
    height: int
    container: bool


class InkMap:
    """Where a picture shows something drawn: text, icons, edges; at half its size.

    A control's own frame is no reason to keep a label out of it, so there is a second map without the frames.
    """

    def __init__(self, image: Image.Image, frames: Iterable[Rect] = ()) -> None:
        small = image.convert("L").reduce(_SCALE)
        edges = small.filter(ImageFilter.FIND_EDGES)
        self._width, self._height = edges.size
        self._marks = edges.tobytes().translate(bytes(_INK) + b"\x01" * (256 - _INK))
        self._unframed = bytearray(self._marks)
        for frame in frames:
            self._wipe_frame(frame)

    def _wipe_frame(self, frame: Rect) -> None:
        left, right = max(0, frame.left // _SCALE - 1), min(self._width, frame.right // _SCALE + 1)
        top, bottom = max(0, frame.top // _SCALE - 1), min(self._height, frame.bottom // _SCALE + 1)
        thick = range(_FRAME)
        for row in {*(top + n for n in thick), *(bottom - 1 - n for n in thick)} & set(range(top, bottom)):
            self._unframed[row * self._width + left : row * self._width + right] = bytes(max(0, right - left))
        for column in {*(left + n for n in thick), *(right - 1 - n for n in thick)} & set(range(left, right)):
            first = top * self._width + column
            cells = range(first, bottom * self._width, self._width)
            self._unframed[first : bottom * self._width : self._width] = bytes(len(cells))

    def under(self, rect: Rect, *, frames: bool = True) -> int:
        """How many pixels of the rectangle (roughly) are drawn on, with or without the frames of controls."""
        marks = self._marks if frames else self._unframed
        left, right = max(0, rect.left // _SCALE), min(self._width, -(-rect.right // _SCALE))
        top, bottom = max(0, rect.top // _SCALE), min(self._height, -(-rect.bottom // _SCALE))
        rows = range(top * self._width, bottom * self._width, self._width)
        return sum(sum(marks[row + left : row + right]) for row in rows) * _SCALE * _SCALE


class _Occupied:
    """Rectangles in buckets, so that overlaps are looked up only nearby."""

    def __init__(self, rects: Iterable[Rect] = ()) -> None:
        self._buckets: dict[tuple[int, int], list[Rect]] = {}
        for rect in rects:
            self.add(rect)

    def add(self, rect: Rect) -> None:
        for bucket in _buckets(rect):
            self._buckets.setdefault(bucket, []).append(rect)

    def overlap(self, rect: Rect, *, but: Rect | None = None) -> int:
        """The area shared with rectangles here; what lies in two buckets may count twice."""
        area = 0
        for bucket in _buckets(rect):
            for other in self._buckets.get(bucket, ()):
                width = min(rect.right, other.right) - max(rect.left, other.left)
                height = min(rect.bottom, other.bottom) - max(rect.top, other.top)
                if width > 0 and height > 0 and other is not but:
                    area += width * height
        return area


def _buckets(rect: Rect) -> Iterator[tuple[int, int]]:
    for column in range(rect.left // _BUCKET, (rect.right - 1) // _BUCKET + 1):
        for row in range(rect.top // _BUCKET, (rect.bottom - 1) // _BUCKET + 1):
            yield column, row


def place_labels(spots: Sequence[Spot], frame: Rect, ink: InkMap, taken: Iterable[Rect] = ()) -> list[Rect]:
    """One label rectangle per spot, in the spots' order and coordinates, inside the frame wherever it fits.

    Small controls choose first, since large ones have more room. A label avoids other labels above all, then drawn
    pixels, then foreign controls; of equally good places the one listed first wins. `taken` counts as labels.
    """
    controls = _Occupied(spot.rect for spot in spots if not spot.container)
    labels = _Occupied(taken)
    chosen: dict[int, Rect] = {}
    for index in sorted(range(len(spots)), key=lambda index: (spots[index].container, spots[index].rect.area)):
        spot = spots[index]
        best, least = None, float("inf")
        for preference, place in enumerate(_places(spot, frame)):
            cost = preference + _cost(place, spot, controls, labels, ink)
            if cost < least:
                best, least = place, cost
            if cost <= preference:
                break
        assert best is not None, "there is always a place"  # noqa: S101 - _places yields at least one
        chosen[index] = best
        labels.add(best)
    return [chosen[index] for index in range(len(spots))]


def _cost(place: Rect, spot: Spot, controls: _Occupied, labels: _Occupied, ink: InkMap) -> float:
    return (
        labels.overlap(place) * _LABEL_OVERLAP
        + ink.under(place, frames=spot.container or place.intersection(spot.rect) != place) * _ON_INK
        + controls.overlap(place, but=spot.rect) * (_FOREIGN_TO_CONTAINER if spot.container else _FOREIGN)
    )


def _places(spot: Spot, frame: Rect) -> Iterator[Rect]:
    """Places worth trying, best first.

    In the right end of a control that has room there; touching a small one from outside; then corners and edges.
    """
    rect, width, height = spot.rect, spot.width, spot.height
    middle = (rect.top + rect.bottom - height) // 2
    outside = [
        (rect.left, rect.top - height),
        (rect.left - width, rect.top),
        (rect.right - width, rect.top - height),
        (rect.right, middle),
        (rect.left - width, middle),
        (rect.left, rect.bottom),
        (rect.right - width, rect.bottom),
    ]
    inside = [
        (rect.right - width, rect.top),
        (rect.left, rect.top),
        (rect.right - width, rect.bottom - height),
        (rect.left, rect.bottom - height),
        (rect.right - width, middle),
        (rect.left, middle),
    ]
    roomy = rect.width >= 3 * width and rect.height >= height + 2
    right_end = [(rect.right - width - _INSET, middle)] if roomy and not spot.container else []
    along = [(left, rect.top) for left in range(rect.left + width, rect.right - width, max(width, rect.width // 6))]
    along += [(left, middle) for left in range(rect.left, rect.right - width, max(width, rect.width // 6))]
    order = [*outside, *inside, *along] if spot.container else [*right_end, *outside, *inside, *along]
    tried: set[tuple[int, int]] = set()
    for left, top in order:
        corner = (
            max(frame.left, min(left, frame.right - width)),
            max(frame.top, min(top, frame.bottom - height)),
        )
        if corner not in tried:
            tried.add(corner)
            yield Rect.from_extents(*corner, width, height)
