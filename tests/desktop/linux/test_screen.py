"""When windows are managed, as a new X server tells it."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import anyio
import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.linux.runtime.x_server import is_managed
from deskhand.desktop.linux.x11.server_connection import connect


class Shown:
    """A window that is shown as soon as it asks for that."""

    id = 1
    map_state = X.IsViewable

    def change_property(self, *_: object) -> None:
        pass

    def get_attributes(self) -> "Shown":
        return self

    def destroy(self) -> None:
        pass


class Server:
    """Tells of the change together with the answer that it is not there yet; nothing comes after that."""

    another_window = 2

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

    def get_property(self, *_: int) -> object:
        self._asked += 1
        self._queued += self._asked == 1
        return None if self._asked == 1 else SimpleNamespace(value=[self.another_window])

    def create_window(self, *_: object) -> "Shown":
        return Shown()

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


@pytest.mark.desktop
@pytest.mark.requires("desktop.private")
async def test_a_window_that_comes_as_soon_as_a_desktop_is_there_is_shown(tmp_path: Path) -> None:
    """Openbox forgets those that ask for that before it is ready, some 20 ms after it announced itself."""
    for number in range(5):
        desktop = await start_virtual(f"early{number}", root=tmp_path, size=(320, 240))
        display = connect(desktop.display)
        try:
            window = display.screen().root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
            window.map()
            display.sync()
            with anyio.fail_after(10):
                while window.get_attributes().map_state != X.IsViewable:
                    await anyio.lowlevel.checkpoint()
        finally:
            display.close()
            await desktop.close()
