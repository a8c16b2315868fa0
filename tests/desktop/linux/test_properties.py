"""Properties of windows that other programs change while they are read."""

from collections.abc import Awaitable, Callable, Generator
from typing import Final

import pytest
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol.request import GetProperty
from Xlib.xobject.drawable import Window

from deskhand.desktop.linux.x11.connection import close_display, open_display
from deskhand.desktop.linux.x11.input_lock import holder_of
from deskhand.desktop.linux.x11.ping import Pinger
from deskhand.desktop.linux.x11.stacking import XStack
from deskhand.desktop.linux.x11.windows import XWindows
from deskhand.desktop.processes import Holder
from desktop.linux.servers import server

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.conformance")]

MANY: Final = 20
"""More than python-xlib reads in its first step."""


@pytest.fixture
def other() -> Generator[Display]:
    """The connection of another program, with a window that says much in each of its properties."""
    with server("Xvfb", "-screen", "0", "320x240x24") as name:
        display = open_display(name)
        root, atom = display.screen().root, display.intern_atom
        window = root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
        window.map()
        for listing in ("_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW"):
            root.change_property(atom(listing), Xatom.WINDOW, 32, [window.id])
        root.change_property(atom("RESOURCE_MANAGER"), Xatom.STRING, 8, b"x.y: z\n" * MANY + b"Xft.dpi: 192\n")
        window.change_property(atom("WM_CLASS"), Xatom.STRING, 8, b"long" * MANY + b"\0Long\0")
        window.change_property(atom("WM_PROTOCOLS"), Xatom.ATOM, 32, [Xatom.STRING] * MANY + [atom("_NET_WM_PING")])
        holder = Holder(pid=1, what="what" * MANY)
        window.change_property(atom("_DESKHAND_HOLDER"), Xatom.STRING, 8, holder.model_dump_json().encode())
        window.set_selection_owner(atom("_DESKHAND_HANDS"), X.CurrentTime)
        display.sync()
        yield display
        close_display(display)


async def scale(name: str) -> object:
    display = open_display(name)
    screens = XStack(display, XWindows(display)).screens()
    close_display(display)
    return [screen.scale for screen in screens]


async def application(name: str) -> object:
    display = open_display(name)
    windows = XWindows(display).list()
    close_display(display)
    return [window.application for window in windows]


async def answers(name: str) -> object:
    pinger = Pinger(name)
    answered = pinger.ask(0.0)
    pinger.close()
    return answered


READ: Final[dict[str, tuple[Callable[[str], Awaitable[object]], object]]] = {
    "RESOURCE_MANAGER": (scale, [2.0]),
    "WM_CLASS": (application, ["long"]),
    "_DESKHAND_HOLDER": (holder_of, Holder(pid=1, what="what" * MANY)),
    "WM_PROTOCOLS": (answers, False),
}


@pytest.mark.parametrize("what", READ)
async def test_a_property_that_is_deleted_while_it_is_read_is_read(
    other: Display, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, atom = Window.get_property, other.intern_atom(what)

    def deleting(window: Window, asked: int, kind: int, offset: int, length: int) -> GetProperty | None:
        found = whole(window, asked, kind, offset, length)
        if asked == atom:
            other.create_resource_object("window", window.id).delete_property(atom)
            other.sync()
        return found

    read, told = READ[what]
    monkeypatch.setattr(Window, "get_property", deleting)
    assert await read(other.get_display_name()) == told


async def test_a_list_without_an_active_window_says_that_there_is_none(other: Display) -> None:
    other.screen().root.change_property(other.intern_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW, 32, [])
    other.sync()
    assert await answers(other.get_display_name()) is None
