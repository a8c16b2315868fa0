"""Rectangles and points behave like the half-open sets they stand for."""

from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Point, Rect, WindowPoint

numbers = st.integers(-5000, 5000)
rects = st.builds(Rect, numbers, numbers, numbers, numbers)
solid = st.builds(Rect.from_extents, numbers, numbers, st.integers(1, 4000), st.integers(1, 4000))
points = st.builds(Point, numbers, numbers)


@given(rects, rects, points)
def test_an_intersection_holds_exactly_the_common_points(a: Rect, b: Rect, point: Point) -> None:
    assert a.intersection(b).contains(point) == (a.contains(point) and b.contains(point))


@given(rects, rects)
def test_intersection_does_not_depend_on_the_order(a: Rect, b: Rect) -> None:
    assert a.intersection(b) == b.intersection(a)
    assert a.intersection(b).area >= 0


@given(rects, rects)
def test_overlap_is_symmetric_and_between_nothing_and_all(a: Rect, b: Rect) -> None:
    assert 0.0 <= a.iou(b) <= 1.0
    assert a.iou(b) == b.iou(a)


@given(solid)
def test_a_rectangle_overlaps_itself_wholly_and_holds_its_centre(rect: Rect) -> None:
    assert rect.iou(rect) == 1.0
    assert rect.contains(rect.center)
    assert not rect.empty


@given(rects)
def test_what_is_empty_has_no_area_and_holds_nothing(rect: Rect) -> None:
    assert rect.empty == (rect.area == 0)
    assert not (rect.empty and rect.contains(rect.center))


@given(solid, numbers, numbers)
def test_moving_there_and_back_changes_nothing(rect: Rect, dx: int, dy: int) -> None:
    moved = rect.moved(dx, dy)
    assert moved.moved(-dx, -dy) == rect
    assert (moved.width, moved.height) == (rect.width, rect.height)


@given(solid, st.floats(0, 1), st.floats(0, 1))
def test_a_window_point_lies_on_its_window(window: Rect, x: float, y: float) -> None:
    assert window.contains(WindowPoint(x, y).on(window))


@given(solid)
def test_the_corners_of_a_window_are_its_first_and_last_pixels(window: Rect) -> None:
    assert WindowPoint(0, 0).on(window) == Point(window.left, window.top)
    assert WindowPoint(1, 1).on(window) == Point(window.right - 1, window.bottom - 1)
