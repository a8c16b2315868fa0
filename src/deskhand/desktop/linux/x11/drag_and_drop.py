"""Noticing that a drag and drop began (XDND): its source then takes the selection XdndSelection."""

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xfixes
from Xlib.protocol import rq


class DragAndDrop:
    """Of one display, over a connection on which nobody else waits for events; its calls block."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._listens = False
        self._began = False

    def listen(self) -> None:
        """From now on one that begins is noticed: a source may still have the selection from an earlier one."""
        if not self._listens:
            selection, mask = self._display.intern_atom("XdndSelection"), xfixes.XFixesSetSelectionOwnerNotifyMask
            xfixes.query_version(self._display)
            xfixes.select_selection_input(self._display, self._display.screen().root, selection, mask)
            self._listens = True
        self._display.sync()
        self._news()
        self._began = False

    def began(self) -> bool:
        """True if a drag and drop began since `listen`."""
        self._display.sync()
        self._began |= self._news()
        return self._began

    def _news(self) -> bool:
        """Consume the pending events; True if one of them reports that the selection was taken."""
        took = False
        for _ in range(self._display.pending_events()):
            took |= _has_owner(self._display.next_event())
        return took


def _has_owner(event: rq.Event) -> bool:
    """Other events have none."""
    owner = getattr(event, "owner", X.NONE)
    return bool(getattr(owner, "id", owner))
