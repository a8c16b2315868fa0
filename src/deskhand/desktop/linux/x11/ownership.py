"""Hearing of a new owner of the clipboard."""

import select
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic

from anyio import to_thread
from Xlib import X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.ext import xfixes
from Xlib.protocol import rq

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.x11.connection import close_display, open_display


async def clipboard_taken(name: str, act: Callable[[], Awaitable[None]], deadline_s: float) -> bool:
    """Does `act`, and returns whether an application took the clipboard over after it began, at the latest in time.

    Applications copy some time after they said that they did. Raises: DesktopGone, and what `act` raises.
    """
    end = monotonic() + deadline_s
    display = await to_thread.run_sync(_subscribe, name)
    try:
        await act()
        return await to_thread.run_sync(partial(_wait_for_owner, display, end), abandon_on_cancel=True)
    except (ConnectionClosedError, OSError) as error:
        raise DesktopGone(f"The X server of display {name} is gone.", fix="Start the desktop again.") from error
    finally:
        close_display(display)


def _subscribe(name: str) -> Display:
    display = open_display(name)
    xfixes.query_version(display)
    clipboard = display.intern_atom("CLIPBOARD")
    xfixes.select_selection_input(display, display.screen().root, clipboard, xfixes.XFixesSetSelectionOwnerNotifyMask)
    display.sync()
    return display


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
