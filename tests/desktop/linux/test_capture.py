"""What two pictures of one screen have in common."""

import pytest

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.pixels import Shot

SCREEN = Rect(10, 20, 30, 40)


def shot(*painted: tuple[int, int]) -> Shot:
    """A black screen with white pixels at these places."""
    pixels = bytearray(SCREEN.area * 4)
    for x, y in painted:
        at = ((y - SCREEN.top) * SCREEN.width + x - SCREEN.left) * 4
        pixels[at : at + 4] = b"\xff" * 4
    return Shot(pixels, SCREEN)


@pytest.mark.requires("desktop.kept-cells")
@pytest.mark.parametrize(
    ("part", "same"),
    [
        (SCREEN, False),
        (Rect(10, 20, 20, 30), True),
        (Rect(10, 20, 21, 30), True),
        (Rect(10, 20, 21, 31), False),
        (Rect(20, 30, 21, 31), False),
        (Rect(0, 20, 20, 30), False),
        (Rect(12, 22, 12, 30), False),
    ],
)
def test_a_part_is_the_same_where_all_of_it_is_in_both_and_every_pixel_is(part: Rect, same: bool) -> None:
    assert shot((20, 30)).shows_same_in(shot(), part) is same


@pytest.mark.requires("desktop.kept-cells")
def test_what_changed_is_told_by_each_run_of_rows_as_wide_as_its_changes() -> None:
    one, other = shot(), shot((12, 22), (14, 23), (25, 30), (29, 39))
    assert one.changed_parts(other) == (Rect(12, 22, 15, 24), Rect(25, 30, 26, 31), Rect(29, 39, 30, 40))
    assert one.changed_parts(shot()) == ()
    assert one.changed_parts(Shot(bytearray(4), Rect(0, 0, 1, 1))) is None
