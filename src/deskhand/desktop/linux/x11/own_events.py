"""Events that this process sent to a display, so that those of others can be distinguished."""

from collections import deque
from dataclasses import dataclass
from threading import Condition
from typing import Final

from Xlib import X

_AHEAD: Final = 16
"""Events that may be sent before the watch has read them: the user is detected no later than that."""
_KEEP_UP_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Sending:
    """One event: the core protocol's number of its kind, its key or button, or where the pointer goes."""

    kind: int
    detail: int = 0
    x: int = 0
    y: int = 0


class Sent:
    """Events that were sent and not observed yet, oldest first. One thread sends, another one watches.

    The server passes on every event that it is sent, repeated presses included, in order: an event that is not the next
    one was sent by another. One that got lost with its connection is passed over when a later one comes.
    """

    def __init__(self) -> None:
        self.watched = False
        self._unseen: deque[Sending] = deque()
        self._seen = Condition()

    def note(self, kind: int, detail: int = 0, x: int = 0, y: int = 0) -> None:
        """Before it is sent."""
        if self.watched:
            with self._seen:
                self._unseen.append(Sending(kind, detail if kind != X.MotionNotify else 0, x, y))

    def takes(self, seen: Sending) -> bool:
        """True if this process sent the event; each sending counts for one event."""
        with self._seen:
            if seen not in self._unseen:
                return False
            while self._unseen.popleft() != seen:
                pass
            self._seen.notify()
        return True

    def keep_up(self) -> None:
        """Blocks the sender for a moment where the watch is too far behind."""
        if self.watched:
            with self._seen:
                self._seen.wait_for(lambda: len(self._unseen) <= _AHEAD, _KEEP_UP_S)
