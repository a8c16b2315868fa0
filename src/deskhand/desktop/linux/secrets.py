"""Where passwords stand, so that no picture shows one.

Only the application knows. It is asked before a picture is taken; where the screen changed while it was asked, it is
asked again, and what either answer names is hidden: a field shown or moved at that moment is in one of them.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.x11.capture import Camera

T = TypeVar("T")

_CHANGING = "what changed while it was looked at"
_EDGE = 1
"""Pixels around a field that are hidden too: scaled places are rounded."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What of a picture is to be hidden, and the titles of the windows that could not be asked."""

    places: tuple[Rect, ...] = ()
    unchecked: tuple[str, ...] = ()

    def __add__(self, other: "Hidden") -> "Hidden":
        return Hidden(
            tuple(dict.fromkeys(self.places + other.places)), tuple(dict.fromkeys(self.unchecked + other.unchecked))
        )


NOTHING = Hidden()


class Secrets:
    """The passwords last seen, by window; where it stood then is kept too, since windows move."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Rect, tuple[Rect, ...]]] = {}

    def note(self, window: TargetInfo, controls: Sequence[TargetInfo], *, whole: bool) -> Hidden:
        """What was just seen. What a look that was not `whole` did not reach was there a moment ago and counts too."""
        places = tuple(_around(control.rect) for control in controls if control.type is Role.PASSWORD)
        if not whole:
            places = tuple(dict.fromkeys(places + self._remembered(window)))
        self._seen[window.handle] = (window.rect, places)
        return Hidden(places, () if whole else (window.name,))

    def of(self, window: TargetInfo) -> Hidden:
        """For a window that could not be looked at."""
        return Hidden(self._remembered(window), (window.name,))

    def _remembered(self, window: TargetInfo) -> tuple[Rect, ...]:
        then, places = self._seen.get(window.handle, (window.rect, ()))
        dx, dy = window.rect.left - then.left, window.rect.top - then.top
        return tuple(place.moved(dx, dy) for place in places)


async def photograph(
    camera: Camera, region: Rect | None, look: Callable[[], Awaitable[tuple[T, Hidden]]]
) -> tuple[Picture, T]:
    """A picture and what a look at the same moment gave. Raises: CaptureFailed, and what `look` raises."""
    before = await camera.grab(region)
    seen, hidden = await look()
    shot = await camera.grab(region)
    if not shot.shows_same(before):
        try:
            seen, again = await look()
        except ApplicationUnresponsive:  # it answered a moment ago; no time is left
            again = Hidden(unchecked=(_CHANGING,))
        hidden += again
    return shot.picture(hidden.places, hidden.unchecked), seen


def _around(rect: Rect) -> Rect:
    return Rect(rect.left - _EDGE, rect.top - _EDGE, rect.right + _EDGE, rect.bottom + _EDGE)
