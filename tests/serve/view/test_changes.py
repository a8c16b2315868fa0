"""The changed parts of a screen, before they are sent."""

from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.serve.view.changes import Changes

SCREEN = Rect(0, 0, 100, 80)
SIZES = st.integers(0, 60)
RECTS = st.lists(st.builds(Rect.from_extents, st.integers(-20, 110), st.integers(-20, 90), SIZES, SIZES), max_size=30)


def taken(changes: Changes) -> list[Rect]:
    return [changes.take() for _ in range(len(changes))]


def test_changes_far_from_each_other_are_sent_apart_and_near_ones_together() -> None:
    changes = Changes()
    changes.add([Rect(0, 0, 10, 10), Rect(90, 70, 100, 80), Rect(10, 0, 20, 10)], SCREEN)
    assert taken(changes) == [Rect(90, 70, 100, 80), Rect(0, 0, 20, 10)]


@given(RECTS)
def test_every_changed_pixel_of_the_screen_is_sent_and_few_parts_wait(rects: list[Rect]) -> None:
    changes = Changes()
    changes.add(rects, SCREEN)
    parts = taken(changes)
    assert len(parts) <= 8
    assert all(part.is_inside(SCREEN) and not part.empty for part in parts)
    seen = [rect.intersection(SCREEN) for rect in rects]
    assert all(any(rect.is_inside(part) for part in parts) for rect in seen if not rect.empty)
