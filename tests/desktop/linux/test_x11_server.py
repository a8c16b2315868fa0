"""What an X server refuses, as it is told; the fixture is a window of the test's own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.error import BadValue
from Xlib.xobject.drawable import Window

from deskhand.desktop.linux.x11.server_connection import connect
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

LONG: Final = b"long" * 5000
"""Far more than python-xlib reads in one step by itself."""

LOOKS: Final = 100


def _rename(display: Display, window: Window, title: bytes) -> None:
    window.change_property(display.intern_atom("_NET_WM_NAME"), display.intern_atom("UTF8_STRING"), 8, title)
    display.flush()


@contextmanager
def renamed_all_the_time(display: Display, window: Window) -> Generator[None]:
    """The title is long and short in turns."""
    over = threading.Event()

    def rename() -> None:
        while not over.is_set():
            for title in (LONG, b"short"):
                _rename(display, window, title)
            display.sync()

    renaming = threading.Thread(target=rename)
    renaming.start()
    try:
        yield
    finally:
        over.set()
        renaming.join()


@pytest.mark.requires("desktop.conformance")
async def test_a_value_that_the_server_refuses_is_told_as_that(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        display = connect(desktop.environment["DISPLAY"])
        root = display.screen().root
        short = display.intern_atom("SHORT")
        root.change_property(short, display.intern_atom("UTF8_STRING"), 8, b"short")
        with pytest.raises(BadValue):
            root.get_property(short, X.AnyPropertyType, 100, 10)
        display.close()


@pytest.mark.requires("desktop.conformance")
async def test_a_window_is_listed_whose_title_gets_shorter_while_it_is_read(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        display = connect(desktop.environment["DISPLAY"])
        window = display.screen().root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
        _rename(display, window, b"short")
        window.map()
        display.sync()

        async def listed() -> bool:
            return bool(await desktop.windows())

        assert await desktop.wait_until(listed, deadline_s=20)
        with renamed_all_the_time(display, window):
            titles = [window.name.encode() for _ in range(LOOKS) for window in await desktop.windows()]
        display.close()
    assert len(titles) == LOOKS
    assert all(title in {b"short", LONG} for title in titles)
