"""Changes of the picture of a window, or of a part of it, and the wait for one."""

from itertools import islice
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.desktop.protocols.desktop import Desktop

QUIET_S: Final = 0.5
"""A picture that is the same for so long is quiet."""
_CARET: Final = 64
"""Pixels. A caret that blinks changes fewer of them."""


def differs(one: Picture, other: Picture) -> bool:
    """True if more pixels differ than a caret has, or the places do."""
    if one.rect != other.rect or one.order is not other.order:
        return True
    if one.pixels == other.pixels:
        return False
    width = 3 if one.order is PixelOrder.RGB else 4
    stride = one.rect.width * width
    before, after = memoryview(one.pixels), memoryview(other.pixels)
    changed = (
        at
        for row in range(0, len(before), stride)
        if before[row : row + stride] != after[row : row + stride]
        for at in range(row, row + stride, width)
        if before[at : at + 3] != after[at : at + 3]
    )
    return sum(1 for _ in islice(changed, _CARET + 1)) > _CARET


async def wait_for_change(desktop: Desktop, place: Rect, deadline_s: float, before: Picture | None = None) -> bool:
    """Wait until a place on the screen looks otherwise; than `before`, else than now. Raises: as `screenshot`."""
    then = before if before is not None and before.rect == place else await desktop.screenshot(place)

    async def changed() -> bool | None:
        return True if differs(then, await desktop.screenshot(place)) else None

    return bool(await desktop.wait_until(changed, deadline_s=deadline_s))
