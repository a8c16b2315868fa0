"""Notification of waits about changes of the user interface."""

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, TypeVar

import anyio

from deskhand.core.errors import DeskhandError

T = TypeVar("T")

_RECHECK_S: Final = 0.05
"""Interval of rechecks: some changes are silent (scrolling, texts of labels), so that no event wakes a wait."""


class Pulse:
    """Wakes waits for a change. `count` only grows, so that no change between two evaluations is missed."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = anyio.Event()

    def beat(self) -> None:
        self.count += 1
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def after(self, count: int, timeout_s: float) -> bool:
        """Returns as soon as there was a beat after the one counted `count`; False when there was none in time."""
        with anyio.move_on_after(timeout_s):
            while self.count == count:
                await self._changed.wait()
        return self.count != count

    async def until(self, condition: Callable[[], Awaitable[T | None]], deadline_s: float) -> T | None:
        """The first value of `condition` but None and False, evaluated now and after every beat; at the deadline None.

        The last evaluation is not cut short: it ends by its own deadlines. Errors that are recoverable mean "not yet".
        """
        end = monotonic() + deadline_s
        while True:
            count = self.count
            try:
                value = await condition()
            except DeskhandError as error:
                if not error.recoverable:
                    raise
                value = None
            if value is not None and value is not False:
                return value
            left = end - monotonic()
            if left <= 0:
                return None
            await self.after(count, min(left, _RECHECK_S))
