"""What two pictures of one screen have in common, and what a look is told of it."""

from collections.abc import Sequence

import pytest

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.observe.picture_redaction import NOTHING, Hidden, Still, photograph
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.x11.capture import XCamera

SCREEN = Rect(10, 20, 30, 40)


def shot(*painted: tuple[int, int]) -> Shot:
    """A black screen with white pixels at these places."""
    pixels = bytearray(SCREEN.area * 4)
    for x, y in painted:
        at = ((y - SCREEN.top) * SCREEN.width + x - SCREEN.left) * 4
        pixels[at : at + 4] = b"\xff" * 4
    return Shot(pixels, SCREEN)


class Film(XCamera):
    """Shows one shot after the other."""

    def __init__(self, shots: Sequence[Shot]) -> None:
        self._left = iter(shots)

    async def grab(self, region: Rect | None = None) -> Shot:
        return next(self._left)


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
async def test_each_look_is_told_what_stayed_as_it_was_since_before_the_last_one() -> None:
    corner, middle = Rect(10, 20, 15, 25), Rect(18, 28, 22, 32)
    one = [(x, y) for x in range(12, 28) for y in range(28, 34)]
    two = [(x, y) for x in range(10, 20) for y in range(20, 26)]
    told: list[tuple[bool, bool]] = []

    async def look(still: Still) -> tuple[None, Hidden]:
        told.append((still(corner), still(middle)))
        return None, NOTHING

    await photograph(Film([shot(), shot(*one), shot(*one, *two), shot()]), None, look)
    assert told == [(False, False), (True, False), (False, True)]
