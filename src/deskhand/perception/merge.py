"""Controls from the accessibility tree and boxes from visual grounding, as one list (SPEC 3.2)."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.target import TargetInfo


def merge_target_info_list(
    primary: Sequence[TargetInfo], grounding: Sequence[TargetInfo], iou_overlap_threshold: float
) -> tuple[TargetInfo, ...]:
    """The primary targets as they are, then the grounding boxes that overlap none of them above the threshold.

    Overlap is intersection over union, 0..1. The boxes that stay get ids after the highest number among the
    primaries' ids; where the primaries are not labelled yet, neither are they.
    """
    kept = [box for box in grounding if all(box.rect.iou(p.rect) <= iou_overlap_threshold for p in primary)]
    if any(target.id for target in primary) or not primary:
        last = max((int(target.id) for target in primary if target.id.isdecimal()), default=0)
        kept = [replace(box, id=str(last + number)) for number, box in enumerate(kept, start=1)]
    return (*primary, *kept)
