"""The lines on the input, and its end, which also ends a request."""

import queue
import sys
import threading
from collections.abc import Iterator

_ENDED = threading.Event()


class InputEnded(Exception):
    """Nobody waits for the request any more."""


class Lines:
    """Lines as they come."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read(self) -> None:
        """Read until the input ends."""
        for line in sys.stdin:
            self._queue.put(line)
        _ENDED.set()
        self._queue.put(None)

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get()) is not None:
            yield line


def require_input() -> None:
    """Between the parts of a change. Raises: InputEnded."""
    if _ENDED.is_set():
        raise InputEnded
