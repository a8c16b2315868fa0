"""What is said of a place that cannot be pointed at."""

import pytest

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.x11.stacking import out_of_sight

WINDOW = Rect(0, 100, 1000, 900)


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("place", "told", "fix"),
    [
        (Rect(57, -1366, 234, -1344), "above what the window shows", "Scroll up to it"),
        (Rect(57, 900, 234, 922), "below what the window shows", "Scroll down to it"),
        (Rect(1200, 300, 1300, 320), "off the screen or outside its window", "Scroll to it, move the window"),
    ],
)
def test_what_is_scrolled_away_is_refused_by_its_name_with_the_way_to_it(place: Rect, told: str, fix: str) -> None:
    refusal = out_of_sight('button "Far away" of "B"', place, WINDOW)
    assert refusal.message.startswith('button "Far away" of "B" is not in sight')
    assert told in refusal.message
    assert refusal.fix.startswith(fix)
