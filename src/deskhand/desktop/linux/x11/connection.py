"""Connections to the X server, and the objects that make their blocking calls."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Self, TypeVar

from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.display_server import CALL_DEADLINE_S
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.drag_and_drop import DragAndDrop
from deskhand.desktop.linux.x11.input import XInput
from deskhand.desktop.linux.x11.live_pointer import XLivePointer
from deskhand.desktop.linux.x11.own_events import Sent
from deskhand.desktop.linux.x11.server_connection import connect
from deskhand.desktop.linux.x11.stacking import XStack
from deskhand.desktop.linux.x11.windows import XWindows

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class XScreen:
    """Implements `display_server.Screen`: the blocking calls of one connection."""

    display: Display
    windows: XWindows
    input: XInput
    live: XLivePointer
    stack: XStack
    dnd: DragAndDrop


class XConnection:
    """A display connection. Its calls run one after the other, in a thread, never in the event loop.

    `sent`: record of its synthetic events. `may_send`: see `XInput`.
    """

    def __init__(self, name: str, may_send: Callable[[tuple[str, ...]], None] = lambda _: None) -> None:
        self.name = name
        self.sent = Sent()
        self._device = Device(partial(_open, name, self.sent, may_send), _close, _cut, _hurry, _idle)
        self._broken = False

    @classmethod
    async def open(cls, name: str, may_send: Callable[[tuple[str, ...]], None] = lambda _: None) -> Self:
        """Raises: DesktopGone."""
        connection = cls(name, may_send)
        await connection.run(lambda _: None)
        return connection

    async def run(self, work: Callable[[XScreen], T], *, deadline_s: float = CALL_DEADLINE_S) -> T:
        """Return the result of `work`, run in the thread. Cancelled, it lets a call that is under way end first.

        A call that hangs is given up; the next call has a fresh connection, and releases what the other left pressed.
        Raises: DesktopGone where the server is gone or does not answer, and the errors of `work`.
        """
        if self._broken:
            raise x_server_gone(self.name)
        try:
            return await self._device.run(work, deadline_s=deadline_s)
        except TimeoutError as error:
            raise x_server_gone(self.name) from error
        except (ConnectionClosedError, OSError) as error:
            self._broken = True
            raise x_server_gone(self.name) from error

    async def close(self) -> None:
        """Closes the connection; nothing happens where it is gone already."""
        self._broken = True
        await self._device.close()


def display_device(name: str) -> Device[Display]:
    """A connection for one purpose; its opening raises DesktopGone."""

    def open_it(given_up: Display | None) -> Display:  # noqa: ARG001 - nothing of it is left behind
        return open_display(name)

    return Device(open_it, close_display, cut_display, grace_s=0.0)


def open_display(name: str) -> Display:
    """Raises: DesktopGone."""
    try:
        return connect(name)
    except (DisplayError, OSError) as error:
        raise DesktopGone(f"The display {name} cannot be opened: {error}", fix="Start the desktop again.") from error


def close_display(display: Display) -> None:
    """Closes a connection, also one that broke before."""
    try:
        display.close()
    except (ConnectionClosedError, OSError):
        return


def cut_display(display: Display) -> None:
    """End a connection from another thread: a pending wait for an answer fails."""
    with suppress(OSError):
        display.display.socket.shutdown(socket.SHUT_RDWR)


def _open(name: str, sent: Sent, may_send: Callable[[tuple[str, ...]], None], given_up: XScreen | None) -> XScreen:
    display = open_display(name)
    try:
        hands = XInput(display, given_up.input if given_up else None, sent, may_send)
        live = XLivePointer(display, hands.keymap, given_up.live if given_up else None)
        windows = XWindows(display)
        return XScreen(display, windows, hands, live, XStack(display, windows), DragAndDrop(display))
    except BaseException:
        close_display(display)
        raise


def _close(screen: XScreen) -> None:
    close_display(screen.display)


def _hurry(screen: XScreen, hurried: bool) -> None:
    screen.input.hurried = hurried


def _idle(screen: XScreen) -> float | None:
    try:
        return screen.input.release_in_time()
    except (ConnectionClosedError, OSError):  # the next call reports it
        return None


def _cut(screen: XScreen) -> None:
    cut_display(screen.display)


def x_server_gone(name: str) -> DesktopGone:
    """Return the error for a server that hung up or does not answer."""
    return DesktopGone(f"The X server of display {name} is gone or does not answer.", fix="Start the desktop again.")
