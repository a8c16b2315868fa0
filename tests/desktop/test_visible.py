"""Which part of a place can be seen, held against looking at every pixel."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Point, Rect
from deskhand.desktop.visibility import inside, point_in, visible_parts

_SIDE = st.integers(-4, 14)
rects = st.builds(Rect.from_extents, _SIDE, _SIDE, st.integers(0, 12), st.integers(0, 12))


def _pixels(rect: Rect) -> set[Point]:
    return {Point(x, y) for x in range(rect.left, rect.right) for y in range(rect.top, rect.bottom)}


@pytest.mark.requires("desktop.geometry")
@given(rects, rects)
def test_what_a_rectangle_leaves_of_another_is_every_pixel_outside_it_once(one: Rect, other: Rect) -> None:
    parts = one.minus(other)
    assert sum(part.area for part in parts) == len(_pixels(one) - _pixels(other))
    assert {point for part in parts for point in _pixels(part)} == _pixels(one) - _pixels(other)


@pytest.mark.requires("desktop.geometry")
@given(rects, st.lists(rects, max_size=3), st.lists(rects, max_size=4))
def test_visible_is_what_is_on_a_screen_and_under_no_cover(
    place: Rect, screens: list[Rect], covers: list[Rect]
) -> None:
    shown = {point for screen in screens for point in _pixels(screen)}
    hidden = {point for cover in covers for point in _pixels(cover)}
    parts = visible_parts(place, screens, covers)
    seen = (_pixels(place) & shown) - hidden
    assert {point for part in parts for point in _pixels(part)} == seen
    point = point_in(place, parts)
    assert point is None or point in seen
    if not place.empty and place.center in seen:
        assert point == place.center
    assert point is None or inside(place).contains(point)


@pytest.mark.requires("desktop.geometry")
@pytest.mark.parametrize(
    ("place", "cover", "point"),
    [
        (Rect(8, 334, 213, 368), Rect(19, 278, 267, 522), None),  # 11 pixels of a text box's left end
        (Rect(8, 334, 213, 368), Rect(29, 278, 267, 522), Point(23, 351)),
        (Rect(16, 668, 426, 736), Rect(38, 556, 534, 1044), None),  # the same, drawn twice as large
        (Rect(0, 0, 1000, 800), Rect(30, 0, 1000, 800), Point(25, 400)),
        (Rect(0, 0, 20, 20), Rect(0, 0, 20, 12), None),
        (Rect(0, 0, 20, 20), Rect(0, 0, 20, 11), Point(10, 12)),
    ],
)
def test_the_edge_of_a_place_alone_is_not_pointed_at(place: Rect, cover: Rect, point: Point | None) -> None:
    assert point_in(place, visible_parts(place, (Rect(0, 0, 2000, 2000),), (cover,))) == point
