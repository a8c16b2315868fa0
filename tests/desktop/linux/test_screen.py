"""When windows are managed, as a new X server tells it."""

import os
from collections.abc import Iterator
from typing import cast

import anyio
import pytest
from Xlib.display import Display

from deskhand.desktop.linux.screen import is_managed


class Server:
    """Tells of the change together with the answer that it is not there yet; nothing comes after that."""

    def __init__(self, silent: int) -> None:
        self._silent = silent
        self._queued = 0
        self._asked = 0

    def screen(self) -> "Server":
        return self

    @property
    def root(self) -> "Server":
        return self

    def intern_atom(self, name: str) -> int:
        return len(name)

    def get_full_property(self, _atom: int, _kind: int) -> object:
        self._asked += 1
        self._queued += self._asked == 1
        return None if self._asked == 1 else object()

    def pending_events(self) -> int:
        return self._queued

    def next_event(self) -> None:
        self._queued -= 1

    def fileno(self) -> int:
        return self._silent


@pytest.fixture
def silent() -> Iterator[int]:
    """A socket, so to say, on which nothing comes."""
    reads, writes = os.pipe()
    yield reads
    os.close(reads)
    os.close(writes)


@pytest.mark.requires("desktop.private")
async def test_a_change_that_came_with_an_answer_is_not_waited_for(silent: int) -> None:
    with anyio.fail_after(10):
        assert await is_managed(cast("Display", Server(silent)))
