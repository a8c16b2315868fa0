"""Which part of a place can be seen, and pointed at."""

from collections.abc import Iterable, Sequence

from deskhand.core.geometry import Point, Rect

_SLIVER = 3
"""Pixels below which a part counts as covered: what is drawn there is an edge at best."""


def visible_parts(place: Rect, screens: Iterable[Rect], covers: Iterable[Rect]) -> tuple[Rect, ...]:
    """What of a place is on a screen and under no cover, as rectangles that do not overlap."""
    left, seen = [place], list[Rect]()
    for screen in screens:  # two may show the same
        seen += [part for whole in left if not (part := whole.intersection(screen)).empty]
        left = [rest for whole in left for rest in whole.minus(screen)]
    for cover in covers:
        seen = [rest for part in seen for rest in part.minus(cover)]
    return tuple(seen)


def point_in(place: Rect, parts: Sequence[Rect]) -> Point | None:
    """The middle of a place where it is in one of its visible parts, else that of the roomiest part; None for none."""
    if any(part.contains(place.center) for part in parts):
        return place.center
    least = min(_SLIVER, place.width, place.height)
    roomy = [part for part in parts if min(part.width, part.height) >= least]
    best = max(roomy, key=lambda part: (min(part.width, part.height), part.area), default=None)
    return best.center if best else None
