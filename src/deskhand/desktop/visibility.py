"""Which part of a place can be seen, and pointed at."""

from collections.abc import Iterable, Sequence

from deskhand.core.geometry import Point, Rect

_SLIVER = 3
"""Pixels below which a part counts as covered: only an edge is drawn there at best."""

_EDGE = 0.3
"""Share of the lesser side of a place that is its edge, on each side: of a line of text the space above and below it,
and the same beside it; so it grows with the drawing.
"""

_WIDEST_EDGE = 20


def visible_parts(place: Rect, screens: Iterable[Rect], covers: Iterable[Rect]) -> tuple[Rect, ...]:
    """Return the parts of a place that are on a screen and under no cover, as rectangles that do not overlap."""
    left, seen = [place], list[Rect]()
    for screen in screens:  # two may show the same
        seen += [part for whole in left if not (part := whole.intersection(screen)).empty]
        left = [rest for whole in left for rest in whole.minus(screen)]
    for cover in covers:
        seen = [rest for part in seen for rest in part.minus(cover)]
    return tuple(seen)


def inside(place: Rect) -> Rect:
    """A place without its edge, which need not react: a text box's border and margin take no clicks in GTK 3."""
    edge = min(_WIDEST_EDGE, int(min(place.width, place.height) * _EDGE))
    return Rect(place.left + edge, place.top + edge, place.right - edge, place.bottom - edge)


def point_in(place: Rect, parts: Sequence[Rect]) -> Point | None:
    """The middle of a place where it is in one of its visible parts, else that of the roomiest part inside its edge;
    None where there is none."""
    if any(part.contains(place.center) for part in parts):
        return place.center
    core = inside(place)
    least = min(_SLIVER, core.width, core.height)
    within = [part.intersection(core) for part in parts]
    roomy = [part for part in within if not part.empty and min(part.width, part.height) >= least]
    best = max(roomy, key=lambda part: (min(part.width, part.height), part.area), default=None)
    return best.center if best else None
