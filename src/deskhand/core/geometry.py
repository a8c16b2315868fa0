"""Geometry with an explicit coordinate space: physical screen pixels, or 0..1 of a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Point:
    """A point in physical screen pixels."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Rect:
    """A half-open rectangle in physical screen pixels: `right` and `bottom` lie outside."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def from_extents(cls, x: int, y: int, width: int, height: int) -> Self:
        """A rectangle from its corner and size; negative sizes become empty."""
        return cls(x, y, x + max(0, width), y + max(0, height))

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    @property
    def empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def center(self) -> Point:
        return Point((self.left + self.right) // 2, (self.top + self.bottom) // 2)

    def contains(self, point: Point) -> bool:
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom

    def is_inside(self, other: "Rect") -> bool:
        """True if no part of it is outside the other; its sizes are not negative."""
        within = other.left <= self.left <= self.right <= other.right
        return within and other.top <= self.top <= self.bottom <= other.bottom

    def intersection(self, other: "Rect") -> "Rect":
        """The common part; empty (zero area) if there is none."""
        if self.is_inside(other):
            return self
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Rect(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))

    def minus(self, other: "Rect") -> "tuple[Rect, ...]":
        """The part outside the other, as rectangles that do not overlap: itself, up to four, or none."""
        common = self.intersection(other)
        if common.empty:
            return (self,)
        sides = (
            Rect(self.left, self.top, self.right, common.top),
            Rect(self.left, common.bottom, self.right, self.bottom),
            Rect(self.left, common.top, common.left, common.bottom),
            Rect(common.right, common.top, self.right, common.bottom),
        )
        return tuple(side for side in sides if not side.empty)

    def iou(self, other: "Rect") -> float:
        """Intersection over union, 0..1; 0 if either is empty."""
        common = self.intersection(other).area
        union = self.area + other.area - common
        return common / union if union else 0.0

    def moved(self, dx: int, dy: int) -> "Rect":
        if not dx and not dy:
            return self
        return Rect(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def grown(self, margin: int) -> "Rect":
        """The rectangle with `margin` added on each side."""
        return Rect(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def to_list(self) -> list[int]:
        """`[left, top, right, bottom]`, the form of every JSON output."""
        return [self.left, self.top, self.right, self.bottom]


NOWHERE = Rect(0, 0, 0, 0)
EVERYWHERE = Rect(-(2**15), -(2**15), 2**15, 2**15)
"""The full range of X11 coordinates."""


def around(rects: Sequence[Rect]) -> Rect:
    """The smallest rectangle that contains all of these; `NOWHERE` for none."""
    if not rects:
        return NOWHERE
    return Rect(
        min(rect.left for rect in rects),
        min(rect.top for rect in rects),
        max(rect.right for rect in rects),
        max(rect.bottom for rect in rects),
    )


@dataclass(frozen=True, slots=True)
class WindowPoint:
    """A point as 0..1 of a window."""

    x: float
    y: float

    def on(self, window: Rect) -> Point:
        """The physical pixel of this point on a window."""
        return Point(
            window.left + min(window.width - 1, int(self.x * window.width)),
            window.top + min(window.height - 1, int(self.y * window.height)),
        )
