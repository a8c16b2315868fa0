"""Places of passwords that UI Automation exposed, which are painted over in pictures."""

from collections.abc import Collection, Sequence

from deskhand.core.geometry import Rect
from deskhand.desktop.windows.win32.nodes import NOWHERE, Node


class PasswordPlaces:
    """Places by the handles of windows, as they were when each was last read, moved with their windows."""

    def __init__(self) -> None:
        self._windows: dict[int, tuple[Rect, tuple[Rect, ...]]] = {}

    def note(self, handle: int, window: Rect, nodes: Sequence[Node]) -> None:
        """Take the places of a window that was read."""
        places = (Rect(*node.rect) for node in nodes if node.role == "password text" and node.rect != NOWHERE)
        self._windows[handle] = (window, tuple(places))

    def keep(self, handles: Collection[int]) -> None:
        """Drop those of other windows."""
        self._windows = {handle: places for handle, places in self._windows.items() if handle in handles}

    def now(self, handle: int, window: Rect) -> tuple[Rect, ...]:
        """Return the places in a window that is at `window` now."""
        before, places = self._windows.get(handle, (window, ()))
        return tuple(place.moved(window.left - before.left, window.top - before.top) for place in places)
