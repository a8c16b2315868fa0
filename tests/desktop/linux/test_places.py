"""From what applications say of places to pixels of the screen."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.coordinates import AS_TOLD, Outline, places_of
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3
from deskhand.desktop.linux.toolkits.gtk4.hooks import Gtk4
from deskhand.desktop.linux.toolkits.qt.hooks import Qt

pytestmark = pytest.mark.requires("desktop.geometry")

QT, GTK3, GTK4 = Qt("Qt", "6.8.3"), Gtk3("gtk", "3.24.38"), Gtk4("GTK", "4.8.3")
_SPOT = st.integers(-2000, 4000)
_LONG = st.integers(120, 2500)


def _outline(rect: Rect) -> Outline:
    return Outline(rect, rect)


@given(_SPOT, _SPOT, _LONG, _LONG, st.sampled_from((1.25, 1.5, 1.75, 2.0, 3.0, 4 / 3)), st.integers(0, 100))
def test_a_scaled_window_of_qt_is_found_to_the_pixel_or_two(
    x: int, y: int, width: int, height: int, scale: float, at: int
) -> None:
    window = Rect.from_extents(x, y, round(width * scale), round(height * scale))
    frame = Rect.from_extents(round(x / scale), round(y / scale), width, height)
    places = places_of(QT, _outline(window), frame)
    assert places.scale == pytest.approx(scale, rel=0.01)
    told = Rect.from_extents(frame.left + at, frame.top + at, 10, 10)
    seen = places.on_screen(told)
    assert abs(seen.left - (x + at * scale)) <= 2
    assert abs(seen.top - (y + at * scale)) <= 2


@given(_SPOT, _SPOT, _LONG, _LONG, st.sampled_from((QT, GTK3)))
def test_an_unscaled_window_is_where_it_is_told(x: int, y: int, width: int, height: int, toolkit: Toolkit) -> None:
    rect = Rect.from_extents(x, y, width, height)
    border = Rect(x - 1, y - 20, x + width + 1, y + height + 1)
    frame = border if toolkit is GTK3 else rect
    assert places_of(toolkit, _outline(rect), frame) == AS_TOLD


@given(_SPOT, _SPOT, _LONG, _LONG, st.integers(2, 4))
def test_the_borders_that_gtk_3_counts_in_do_not_hide_its_scale(
    x: int, y: int, width: int, height: int, scale: int
) -> None:
    window = Rect.from_extents(x, y, width * scale, height * scale)
    told = Rect.from_extents(int(x / scale) + 30, int(y / scale) + 40, 50, 20)
    frame = Rect.from_extents(int(x / scale) - 1, int(y / scale) - 10, width + 1, height + 11)
    seen = places_of(GTK3, _outline(window), frame).on_screen(told)
    assert seen == Rect.from_extents(x + 30 * scale, y + 40 * scale, 50 * scale, 20 * scale)


@given(_SPOT, _SPOT, _LONG, _LONG, st.integers(1, 3), st.integers(0, 8))
def test_gtk_4_counts_from_the_window_within_its_margin(
    x: int, y: int, width: int, height: int, scale: int, margin: int
) -> None:
    assume(width > 20 * margin and height > 20 * margin)
    window = Rect.from_extents(x, y, (width + 2 * margin) * scale, (height + 2 * margin) * scale)
    frame = Rect.from_extents(0, 0, width, height)
    seen = places_of(GTK4, _outline(window), frame).on_screen(Rect.from_extents(7, 9, 30, 20))
    corner = x + (7 + margin) * scale, y + (9 + margin) * scale
    assert seen == Rect.from_extents(*corner, 30 * scale, 20 * scale)


@given(_LONG, _LONG)
def test_nothing_is_concluded_from_a_window_that_says_nothing_or_nonsense_of_itself(width: int, height: int) -> None:
    window = _outline(Rect.from_extents(10, 10, 800, 600))
    assert places_of(QT, window, Rect.from_extents(0, 0, 0, 0)) == AS_TOLD
    assume(abs(width / 800 - height / 600) > 0.1)
    assert places_of(QT, window, Rect.from_extents(0, 0, width, height)).scale == 1


@pytest.mark.parametrize("told", [2, 3, 4])
def test_of_a_window_of_one_pixel_that_is_told_larger_places_can_be_told_all_the_same(told: int) -> None:
    places = places_of(QT, _outline(Rect.from_extents(10, 10, 1, 1)), Rect.from_extents(0, 0, told, told))
    assert places.as_told(places.on_screen(Rect.from_extents(0, 0, 8, 8)).center).x in {3, 4, 5}


def test_pixels_of_qt_count_from_the_corner_of_each_screen() -> None:
    screens = (Rect(0, 0, 1280, 800), Rect(1280, 100, 2304, 868))
    window = Outline(Rect(1220, 710, 1637, 1351), Rect(1220, 710, 1637, 1351), screens)
    places = places_of(QT, window, Rect.from_extents(813, 473, 278, 427))
    assert places.on_screen(Rect.from_extents(820, 480, 10, 10)) == Rect.from_extents(1230, 720, 15, 15)
    assert places.on_screen(Rect.from_extents(1302, 572, 205, 21)).left == 1313
