"""Top-level X windows of the desktop: when one comes or goes, and which process it belongs to."""

import asyncio
from collections.abc import Callable
from typing import Final

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError

_PID: Final = "_NET_WM_PID"


class XWindows:
    """Calls `on_change` in the event loop whenever a window comes, goes, is shown or hidden."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """The display is that of the environment. Raises: Xlib.error.DisplayError."""
        self._display = Display()
        self._on_change = on_change
        self._pid = self._display.intern_atom(_PID)
        root = self._display.screen().root
        root.change_attributes(event_mask=X.SubstructureNotifyMask)
        self._display.flush()
        asyncio.get_running_loop().add_reader(self._display.fileno(), self._hear)

    def process_of(self, xid: int) -> int:
        """Return the process that a window reports; 0 if there is none, or no such window."""
        window = self._display.create_resource_object("window", xid)
        try:
            found = window.get_full_property(self._pid, Xatom.CARDINAL)
        except XError:
            return 0
        finally:
            self._hear()  # events that came with the answer
        return int(found.value[0]) if found is not None and len(found.value) else 0

    def _hear(self) -> None:
        changed = False
        while self._display.pending_events():
            changed |= self._display.next_event().type != X.ConfigureNotify
        if changed:
            self._on_change()
