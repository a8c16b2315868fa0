"""Waits for what a program has been asked for: one that is busy gets more time."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Quiet

T = TypeVar("T")

BUSY_S: Final = 20.0
"""Additional time for a busy program. LibreOffice answers nothing for that long while it loads or stores much."""
_RESTS_S: Final = 2.0


async def wait_for_program(
    desktop: Desktop,
    window: TargetInfo | None,
    condition: Callable[[], Awaitable[T | None]],
    *,
    deadline_s: float,
) -> T | None:
    """As `Desktop.wait_until`, but None means "not so" only once the program of `window` has handled all its input.

    `window` None: all programs. While it is busy the wait goes on, for `BUSY_S` more at most.
    Raises: ApplicationUnresponsive where it does not answer even then.
    """
    end = anyio.current_time() + deadline_s + BUSY_S
    while (found := await desktop.wait_until(condition, deadline_s=deadline_s)) is None:
        settled = await desktop.settle(window, deadline_s=_RESTS_S)
        if settled.is_quiet or settled.reason is Quiet.GONE:
            return await desktop.wait_until(condition, deadline_s=0.0)
        if anyio.current_time() >= end:
            if window is not None:
                await desktop.observe(window, picture=False)  # raises where it does not answer
            return None
    return found
