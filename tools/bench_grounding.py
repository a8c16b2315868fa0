"""What merging controls with what a vision server sees costs: `bench_grounding.py [REPEATS]` prints medians in ms.

`pair by pair` is the plain way: each box with each control. Looks are what a control that is only seen is known by.
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.grounding import SeenBox, targets_of
from deskhand.perception.merge import merge_target_info_list
from tools.bench_prompt import screen

THRESHOLD = 0.1
WINDOW = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, Rect(0, 0, 1920, 1080), handle="w")


def window(count: int, random: Random, *, containers: int = 20) -> list[TargetInfo]:
    """Controls as a window has them: some large ones, many small ones."""
    rects = [Rect(n, n * 10, 1920 - n, 1080 - n * 5) for n in range(containers)]
    for _ in range(count - containers):
        width, height = random.randint(10, 200), random.randint(10, 40)
        rects.append(Rect.from_extents(random.randint(0, 1720), random.randint(0, 1040), width, height))
    return [TargetInfo(TargetKind.CONTROL, "", Role.BUTTON, rect, handle=str(n)) for n, rect in enumerate(rects)]


def pair_by_pair(primary: list[TargetInfo], boxes: list[TargetInfo]) -> list[TargetInfo]:
    return [box for box in boxes if all(box.rect.iou(control.rect) <= THRESHOLD for control in primary)]


def median_ms(work: Callable[[], object], repeats: int) -> float:
    spent: list[float] = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        spent.append((time.thread_time() - start) * 1000)
    return statistics.median(spent)


def main(repeats: int) -> None:
    random = Random(7)
    for count in (50, 300, 1000):
        primary, boxes = window(count, random), window(count, random, containers=0)
        merged = median_ms(partial(merge_target_info_list, primary, boxes, THRESHOLD), repeats)
        plain = median_ms(partial(pair_by_pair, primary, boxes), 1)
        print(f"merge {count:4} x {count:4}   {merged:7.2f} ms   pair by pair {plain:8.1f} ms")
    picture = screen()
    seen = [SeenBox((n / 200, n / 200, n / 200 + 0.05, n / 200 + 0.03)) for n in range(100)]
    looked = median_ms(partial(targets_of, seen, picture, WINDOW), repeats)
    print(f"100 boxes to targets, with their looks {looked:7.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
