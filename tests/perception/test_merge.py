"""Accessibility controls and grounding boxes become one list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.merge import merge_target_info_list

sizes = st.integers(0, 40) | st.integers(0, 900)
rects = st.builds(Rect.from_extents, *[st.integers(-50, 60) | st.integers(-50, 700)] * 2, sizes, sizes)


def target(rect: Rect, label: str = "", handle: str = "") -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, "", Role.BUTTON, rect, id=label, handle=handle)


def row(count: int, top: int) -> list[Rect]:
    return [Rect(number * 20, top, number * 20 + 18, top + 18) for number in range(count)]


@pytest.mark.requires("observe.merge")
def test_45_controls_and_12_boxes_with_3_overlaps_make_54() -> None:
    primary = [target(rect, str(number), f"h{number}") for number, rect in enumerate(row(45, 0), start=1)]
    grounding = [target(rect.moved(1, 1)) for rect in row(3, 0)] + [target(rect) for rect in row(9, 100)]

    merged = merge_target_info_list(primary, grounding, 0.1)

    assert len(merged) == 54
    assert list(merged[:45]) == primary
    assert [t.id for t in merged[45:]] == [str(number) for number in range(46, 55)]


def test_the_threshold_itself_is_no_overlap() -> None:
    primary, box = target(Rect(0, 0, 10, 10), "1"), target(Rect(0, 0, 10, 5))
    assert len(merge_target_info_list([primary], [box], 0.5)) == 2
    assert len(merge_target_info_list([primary], [box], 0.49)) == 1


def test_ids_continue_after_the_highest_number_not_after_the_count() -> None:
    merged = merge_target_info_list([target(Rect(0, 0, 5, 5), "17")], [target(Rect(50, 50, 60, 60))], 0.1)
    assert merged[1].id == "18"


def test_unlabelled_controls_leave_the_boxes_unlabelled() -> None:
    merged = merge_target_info_list([target(Rect(0, 0, 5, 5))], [target(Rect(50, 50, 60, 60))], 0.1)
    assert [t.id for t in merged] == ["", ""]


@given(st.lists(rects), st.lists(rects), st.floats(0, 1))
def test_primaries_stay_and_no_box_above_the_threshold_does(
    controls: list[Rect], boxes: list[Rect], threshold: float
) -> None:
    primary = [target(rect, str(number)) for number, rect in enumerate(controls, start=1)]
    merged = merge_target_info_list(primary, [target(box) for box in boxes], threshold)
    added = merged[len(primary) :]
    assert list(merged[: len(primary)]) == primary
    assert len({t.id for t in merged}) == len(merged)
    assert all(a.rect.iou(p.rect) <= threshold for a in added for p in primary)
    dropped = len(boxes) - len(added)
    assert dropped == sum(any(box.iou(rect) > threshold for rect in controls) for box in boxes)
