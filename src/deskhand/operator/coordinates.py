"""Points of a vendor and points of the screen: the same screen in three measures."""

from dataclasses import dataclass
from typing import Final

from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import TargetInfo
from deskhand.operator.actions import ScrollUnit, Size, Space, Spot

_THOUSAND: Final = 1000
_NOTCH_PIXELS: Final = 100
"""Pixels that vendors count as one notch of the wheel."""


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """The screen as it is shown to a model: its place in physical pixels, and the size of its pictures.

    `windows`: those in its last picture before a turn, front first; empty where they are not known.
    """

    rect: Rect
    size: Size
    space: Space = Space.PIXELS
    windows: tuple[TargetInfo, ...] = ()

    @property
    def limits(self) -> Size:
        """The first coordinates outside."""
        return self.size if self.space is Space.PIXELS else Size(_THOUSAND, _THOUSAND)

    def point(self, spot: Spot) -> Point:
        """The physical pixel in the middle of a spot. Raises: ReplyDefect outside of the screen."""
        most = self.limits
        if not (0 <= spot.x < most.width and 0 <= spot.y < most.height):
            raise ReplyDefect(
                f"({spot.x}, {spot.y}) lies outside of the screen, which is from (0, 0) to "
                f"({most.width - 1}, {most.height - 1})"
            )
        return Point(
            self.rect.left + _scaled(spot.x, most.width, self.rect.width),
            self.rect.top + _scaled(spot.y, most.height, self.rect.height),
        )

    def spot(self, point: Point) -> Spot:
        """The spot that a physical pixel lies in; one outside of the screen counts as at its edge."""
        most = self.limits
        x = _scaled(point.x - self.rect.left, max(1, self.rect.width), most.width)
        y = _scaled(point.y - self.rect.top, max(1, self.rect.height), most.height)
        return Spot(min(max(0, x), most.width - 1), min(max(0, y), most.height - 1))

    def place(self, corner: Spot, opposite: Spot) -> Rect:
        """The part of the screen between two corners, in either order; they may be its outer edges.

        Raises: ReplyDefect outside of the screen, and for an empty part.
        """
        most = self.limits
        lefts, tops = sorted((corner.x, opposite.x)), sorted((corner.y, opposite.y))
        if lefts[0] < 0 or tops[0] < 0 or lefts[1] > most.width or tops[1] > most.height:
            raise ReplyDefect(
                f"the region from ({lefts[0]}, {tops[0]}) to ({lefts[1]}, {tops[1]}) lies outside of the screen, which "
                f"is from (0, 0) to ({most.width}, {most.height})"
            )
        across = [self.rect.left + each * self.rect.width // most.width for each in lefts]
        down = [self.rect.top + each * self.rect.height // most.height for each in tops]
        found = Rect(across[0], down[0], across[1], down[1])
        if found.empty:
            raise ReplyDefect("the region is empty")
        return found

    def notches(self, amount: float, unit: ScrollUnit, *, sideways: bool) -> int:
        """Notches of the wheel for an amount, away from zero: a small amount turns by one."""
        if unit is ScrollUnit.THOUSANDTHS:
            amount *= (self.rect.width if sideways else self.rect.height) / _THOUSAND
        if unit is ScrollUnit.PIXELS:
            amount *= self.rect.width / max(1, self.size.width)
        turned = amount if unit is ScrollUnit.NOTCHES else amount / _NOTCH_PIXELS
        return round(turned) or (0 if not turned else 1 if turned > 0 else -1)


def _scaled(value: int, of: int, length: int) -> int:
    """The middle of a unit of one length, in units of another."""
    return (2 * value + 1) * length // (2 * of)
