"""An event loop whose time jumps to the next deadline as soon as everybody waits, so that patience costs nothing."""

import asyncio
import selectors
from collections.abc import Mapping

import pytest


class _JumpingSelector(selectors.DefaultSelector):
    """Where a real one would sleep until a timer, this one moves the time."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead_s = 0.0

    def select(self, timeout: float | None = None) -> "list[tuple[selectors.SelectorKey, int]]":
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is None:
            return super().select(None)
        self.ahead_s += timeout
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """For tests that use neither threads nor processes: those need time that passes.

    Nothing but waiting takes time here, so that a busy machine changes nothing.
    """

    def __init__(self) -> None:
        self._jumps = _JumpingSelector()
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.ahead_s


@pytest.fixture(scope="session", name="anyio_backend")
def jumping_backend() -> tuple[str, Mapping[str, object]]:
    """Takes the place of `anyio_backend` in the folders whose conftest imports it."""
    return "asyncio", {"loop_factory": JumpingLoop}
