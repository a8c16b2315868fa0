"""Waits for what a program has been asked for: one that does not answer gets more time."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from deskhand.core.errors import UNREADABLE, ApplicationUnresponsive
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

T = TypeVar("T")

BUSY_S: Final = 20.0
"""Additional time for a program that does not answer, as LibreOffice while it loads or stores much."""
_LAST_S: Final = 0.3


async def wait_for_program(
    desktop: Desktop,
    window: TargetInfo,
    condition: Callable[[], Awaitable[T | None]],
    *,
    deadline_s: float,
) -> T | None:
    """As `Desktop.wait_until`, but None means "not so" only where the program of `window` answers at the deadline.

    Else the wait goes on, for about `BUSY_S` more at most.
    Raises: ApplicationUnresponsive where the program does not answer even then.
    """
    end = anyio.current_time() + deadline_s + BUSY_S
    while True:
        left_s = max(0.0, end - anyio.current_time())
        found = await desktop.wait_until(condition, deadline_s=min(deadline_s, left_s))
        if found is not None:
            return found
        silent = await _silence(desktop, window)
        if silent is None:  # what it was asked for before, it has received
            return await desktop.wait_until(condition, deadline_s=min(deadline_s, _LAST_S))
        if anyio.current_time() >= end:
            raise silent


async def _silence(desktop: Desktop, window: TargetInfo) -> ApplicationUnresponsive | None:
    """The error where the program does not answer; None where it does, or its window cannot be read at all."""
    try:
        await desktop.observe(window, picture=False, texts=False)
    except ApplicationUnresponsive as error:
        return error
    except UNREADABLE:
        return None
    return None
