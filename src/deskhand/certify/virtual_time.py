"""An event loop whose time is not the world's: where nothing is left to do, it goes on with the next timeout at once.

So a run on a simulation takes no longer than its work, and no timeout strikes because a machine is slow.
"""

import asyncio
import selectors
from typing import Final

_ITERATION_S: Final = 1e-6
"""Time of one turn of the loop, so that a loop that only reads the time ends."""


class _Selector(selectors.DefaultSelector):
    """Returns events that are there, and otherwise lets the time pass instead of waiting."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.passed_s += _ITERATION_S
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(0)
        if not ready:
            self.passed_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """For `anyio.run(…, backend_options={"loop_factory": VirtualTimeLoop})`. Work on threads is not waited for."""

    def __init__(self) -> None:
        self._passing = _Selector()
        super().__init__(self._passing)

    def time(self) -> float:
        return self._passing.passed_s
