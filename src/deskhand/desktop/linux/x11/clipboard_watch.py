"""Hearing of a new owner of the clipboard."""

import select
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.ext import xfixes
from Xlib.protocol import rq

from deskhand.desktop.linux.x11.connection import display_device, x_server_gone

_OPEN_S: Final = 5.0


async def clipboard_taken(name: str, act: Callable[[], Awaitable[None]], deadline_s: float) -> bool:
    """Run `act`; True if an application took the clipboard over after it began, before the deadline.

    Applications copy some time after they report that they did. Raises: DesktopGone, and the errors of `act`.
    """
    end = monotonic() + deadline_s
    device = display_device(name)
    try:
        await device.run(_subscribe, deadline_s=_OPEN_S)
        await act()
        return await device.run(lambda display: _wait_for_owner(display, end), deadline_s=deadline_s + _OPEN_S)
    except (ConnectionClosedError, OSError) as error:  # TimeoutError is an OSError
        raise x_server_gone(name) from error
    finally:
        await device.close()


def _subscribe(display: Display) -> None:
    xfixes.query_version(display)
    clipboard = display.intern_atom("CLIPBOARD")
    xfixes.select_selection_input(display, display.screen().root, clipboard, xfixes.XFixesSetSelectionOwnerNotifyMask)
    display.sync()


def _wait_for_owner(display: Display, end: float) -> bool:
    while True:
        while display.pending_events():
            if _is_new_owner(display.next_event()):
                return True
        left = end - monotonic()
        if left <= 0 or not select.select([display.fileno()], [], [], left)[0]:
            return False


def _is_new_owner(event: rq.Event) -> bool:
    """LibreOffice lets go of the clipboard first, and takes it then. Other events have no owner."""
    owner = getattr(event, "owner", X.NONE)
    return bool(getattr(owner, "id", owner))
