"""Ping of an application, answered once it has handled everything sent to it before: it queues behind that.

`_NET_WM_PING` (EWMH) is made for hung windows. A toolkit answers when it reaches the ping in its queue of events; it
has then looked up every key before it, and handled every change of the keyboard map.
"""

import select
from time import monotonic

from Xlib import X
from Xlib.error import BadWindow, XError
from Xlib.protocol.event import ClientMessage
from Xlib.xobject.drawable import Window

from deskhand.desktop.linux.x11.connection import close_display, cut_display, open_display
from deskhand.desktop.linux.x11.properties import read_numbers


class Pinger:
    """Asks the active window. Its calls block: it has a connection of its own."""

    def __init__(self, name: str) -> None:
        """Raises: DesktopGone."""
        self._display = open_display(name)
        self._root: Window = self._display.screen().root
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)
        self._number = 0

    def close(self) -> None:
        close_display(self._display)

    def cut(self) -> None:
        """Ends the connection at once; who waits for an answer learns that there is none."""
        cut_display(self._display)

    def ask(self, deadline_s: float) -> bool | None:
        """True if the active window answered in time; None where there is none, or it does not support pings."""
        window = self._active()
        if window is None or not self._answers(window):
            return None
        atom = self._display.intern_atom
        self._number += 1
        self._forget_old()
        data = (32, [atom("_NET_WM_PING"), self._number, window.id, 0, 0])
        window.send_event(ClientMessage(window=window, client_type=atom("WM_PROTOCOLS"), data=data), onerror=_ignore)
        self._display.flush()
        return self._answered(window.id, monotonic() + deadline_s)

    def _active(self) -> Window | None:
        active = next(iter(read_numbers(self._root, self._display.intern_atom("_NET_ACTIVE_WINDOW"))), X.NONE)
        return self._display.create_resource_object("window", active) if active else None

    def _answers(self, window: Window) -> bool:
        try:
            protocols = read_numbers(window, self._display.intern_atom("WM_PROTOCOLS"))
        except BadWindow:
            return False
        return self._display.intern_atom("_NET_WM_PING") in protocols

    def _forget_old(self) -> None:
        while self._display.pending_events():
            self._display.next_event()

    def _answered(self, window: int, end: float) -> bool:
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.ClientMessage and list(event.data[1][1:3]) == [self._number, window]:
                    return True
            left = end - monotonic()
            if left <= 0 or not select.select([self._display.fileno()], [], [], left)[0]:
                return False


def _ignore(error: XError, request: object) -> None:
    """A window that is gone in the meantime answers nothing."""
