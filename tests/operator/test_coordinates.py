"""Points of models and points of the screen."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import Point, Rect
from deskhand.operator.actions import ScrollUnit, Size, Space, Spot
from deskhand.operator.coordinates import ShownScreen

pytestmark = pytest.mark.requires("operator.formats")
SIDES = st.integers(1, 8000)
PLACES = st.builds(Rect.from_extents, st.integers(-3000, 3000), st.integers(-3000, 3000), SIDES, SIDES)
SCREENS = st.builds(ShownScreen, PLACES, st.builds(Size, SIDES, SIDES))


@given(SCREENS, st.sampled_from(Space), st.data())
def test_every_spot_inside_is_a_pixel_of_the_screen_within_one_step_of_the_meant_one(
    shown: ShownScreen, space: Space, data: st.DataObject
) -> None:
    shown = ShownScreen(shown.rect, shown.size, space)
    most = shown.limits
    spot = Spot(data.draw(st.integers(0, most.width - 1)), data.draw(st.integers(0, most.height - 1)))
    point = shown.point(spot)
    assert shown.rect.contains(point)
    assert abs((point.x - shown.rect.left) - spot.x * shown.rect.width / most.width) <= max(
        1, shown.rect.width / most.width
    )
    assert abs((point.y - shown.rect.top) - spot.y * shown.rect.height / most.height) <= max(
        1, shown.rect.height / most.height
    )


@given(SCREENS, st.data())
def test_a_spot_of_a_smaller_picture_comes_back_as_itself(shown: ShownScreen, data: st.DataObject) -> None:
    assume(shown.size.width <= shown.rect.width and shown.size.height <= shown.rect.height)
    spot = Spot(data.draw(st.integers(0, shown.size.width - 1)), data.draw(st.integers(0, shown.size.height - 1)))
    assert shown.spot(shown.point(spot)) == spot


@given(SCREENS, st.integers(-9000, 9000), st.integers(-9000, 9000))
def test_a_spot_outside_is_refused(shown: ShownScreen, x: int, y: int) -> None:
    assume(not (0 <= x < shown.size.width and 0 <= y < shown.size.height))
    with pytest.raises(ReplyDefect, match="outside of the screen"):
        shown.point(Spot(x, y))


@given(SCREENS, st.data())
def test_a_region_is_the_same_whichever_corners_are_given(shown: ShownScreen, data: st.DataObject) -> None:
    across = st.integers(0, shown.size.width)
    down = st.integers(0, shown.size.height)
    one, other = (Spot(data.draw(across), data.draw(down)) for _ in range(2))
    try:
        place = shown.place(one, other)
    except ReplyDefect:
        return
    assert place == shown.place(Spot(other.x, one.y), Spot(one.x, other.y))
    assert shown.rect.intersection(place) == place


def test_a_region_outside_is_refused() -> None:
    shown = ShownScreen(Rect(0, 0, 100, 100), Size(100, 100))
    with pytest.raises(ReplyDefect, match="outside of the screen"):
        shown.place(Spot(0, 0), Spot(101, 50))


def test_scrolled_amounts_are_notches_of_the_wheel() -> None:
    shown = ShownScreen(Rect(0, 0, 2000, 1000), Size(1000, 500))
    assert shown.notches(3, ScrollUnit.NOTCHES, sideways=False) == 3
    assert shown.notches(-150, ScrollUnit.PIXELS, sideways=False) == -3, "the screen is twice as large as its picture"
    assert shown.notches(1, ScrollUnit.PIXELS, sideways=True) == 1, "a small amount is no nothing"
    assert shown.notches(300, ScrollUnit.THOUSANDTHS, sideways=False) == 3
    assert shown.notches(0, ScrollUnit.PIXELS, sideways=False) == 0


def test_the_pointer_beyond_the_screen_counts_as_at_its_edge() -> None:
    shown = ShownScreen(Rect(0, 0, 100, 100), Size(50, 50))
    assert shown.spot(Point(-5, 300)) == Spot(0, 49)
