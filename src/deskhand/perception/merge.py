"""Controls from the accessibility tree and boxes from visual grounding, merged to one list."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo

_BUCKET: Final = 64
_WIDE: Final = 64  # buckets: what covers more is looked at for every box

Box: TypeAlias = tuple[int, int, int, int, int]
"""Left, top, right, bottom, area: a Rect takes ten times as long, and many pairs are compared."""


def merge_target_info_list(
    primary: Sequence[TargetInfo], grounding: Sequence[TargetInfo], iou_overlap_threshold: float
) -> tuple[TargetInfo, ...]:
    """The primary targets unchanged, then the grounding boxes that overlap none of them above the threshold.

    Overlap is intersection over union, 0..1. The remaining boxes get ids after the highest number among the primaries'
    ids; if the primaries are not labelled yet, neither are they.
    """
    near = _Nearby([_box(target.rect) for target in primary if not target.rect.empty])
    kept = [box for box in grounding if not near.overlaps(_box(box.rect), iou_overlap_threshold)]
    if any(target.id for target in primary) or not primary:
        last = max((int(target.id) for target in primary if target.id.isdecimal()), default=0)
        kept = [replace(box, id=str(last + number)) for number, box in enumerate(kept, start=1)]
    return (*primary, *kept)


class _Nearby:
    """Boxes by the squares they lie in, the widest ones separate."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._wide: list[Box] = []
        self._squares: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            across, down = _squares(box)
            if len(across) * len(down) > _WIDE:
                self._wide.append(box)
                continue
            for column in across:
                for row in down:
                    self._squares.setdefault((column, row), []).append(box)

    def overlaps(self, box: Box, threshold: float) -> bool:
        """True if one of them overlaps the box above the threshold."""
        left, top, right, bottom, area = box
        least, most = area * threshold, area / threshold if threshold else float("inf")
        for other in self._candidates(box):
            if least < other[4] <= most or not threshold:
                width = min(right, other[2]) - max(left, other[0])
                height = min(bottom, other[3]) - max(top, other[1])
                if width > 0 and height > 0:
                    shared = width * height
                    if shared / (area + other[4] - shared) > threshold:
                        return True
        return False

    def _candidates(self, box: Box) -> Iterator[Box]:
        across, down = _squares(box)
        yield from self._wide
        for column in across:
            for row in down:
                yield from self._squares.get((column, row), ())


def _box(rect: Rect) -> Box:
    return rect.left, rect.top, rect.right, rect.bottom, rect.area


def _squares(box: Box) -> tuple[range, range]:
    left, top, right, bottom, area = box
    if not area:
        return range(0), range(0)
    return range(left // _BUCKET, (right - 1) // _BUCKET + 1), range(top // _BUCKET, (bottom - 1) // _BUCKET + 1)
