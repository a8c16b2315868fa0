"""Places of passwords, which are hidden in pictures.

Only the application knows them. It is asked before a picture is taken; where the screen changed meanwhile, it is asked
again, and all places of both answers are hidden: a field shown or moved at that moment is in one of them. Of a screen
that came to rest, occluded fields are not hidden: they are not in the picture.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Final, TypeVar

from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.linux.display_server import Camera

T = TypeVar("T")

_LOOKS: Final = 3
"""Number of times an application is asked while its screen does not come to rest."""

_CHANGING: Final = "parts that changed while they were checked"
_PAINTED_S: Final = 1.0
"""Seconds for which removed content may still be on the screen: it is reported first and painted later, on an
overloaded machine by more than 0.25 s.
"""

_MOST: Final = 0.9
"""The part of a window that a dialog fills which is all of it."""

_EDGE: Final = 1
"""Pixels around a field that are hidden too: scaled places are rounded."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Regions of a picture to hide, and the titles of windows that could not be checked.

    `showing`: those parts of the places that are under no other window, where the screen did not change meanwhile.
    """

    places: tuple[Rect, ...] = ()
    unchecked: tuple[str, ...] = ()
    showing: tuple[Rect, ...] = ()

    def __add__(self, other: "Hidden") -> "Hidden":
        return Hidden(
            tuple(dict.fromkeys(self.places + other.places)),
            tuple(dict.fromkeys(self.unchecked + other.unchecked)),
            tuple(dict.fromkeys(self.showing + other.showing)),
        )


NOTHING = Hidden()


@dataclass(frozen=True, slots=True)
class _Field:
    """A password field by its handle: its place, its window's place then, and when a read first missed it there."""

    handle: str
    place: Rect
    window: Rect
    missed_at_s: float = inf

    def now(self, window: Rect) -> Rect:
        """Return its place if it moved along with its window."""
        return self.place.moved(window.left - self.window.left, window.top - self.window.top)


class Secrets:
    """The passwords last seen, by window."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._seen: dict[str, tuple[TargetInfo, tuple[_Field, ...]]] = {}
        self._clock = clock

    def note(self, window: TargetInfo, controls: Sequence[TargetInfo], *, whole: bool) -> Hidden:
        """Record the fields of a read, and return them with earlier ones that may still be painted.

        A field that a read which was not `whole` did not reach counts too, at its last place, however long ago; so do
        fields that a dialog in the window hides from accessibility. One without a place makes the read not whole.
        """
        now, told = self._clock(), [control for control in controls if control.type is Role.PASSWORD]
        fields = [field for field in told if not field.rect.empty]
        whole = whole and len(fields) == len(told) and _tells_all(window, controls)
        seen = tuple(_Field(field.handle, field.rect.grown(_EDGE), window.rect) for field in fields)
        painted = tuple(self._still_painted(window, seen, now, whole=whole))
        if seen or painted:
            self._seen[window.handle] = (window, seen + painted)
        else:
            self._seen.pop(window.handle, None)
        places = self._places(window)
        return Hidden(places, () if whole else (window.name,), places)

    def _still_painted(
        self, window: TargetInfo, seen: Sequence[_Field], now: float, *, whole: bool
    ) -> Iterator[_Field]:
        """Yield the earlier fields of a window that are at no place of `seen` and may still be on the screen."""
        places, handles = {field.place for field in seen}, {field.handle for field in seen if field.handle}
        for old in self._fields(window):
            if old.now(window.rect) in places:
                continue
            missed_at_s = min(old.missed_at_s, now) if whole or old.handle in handles else old.missed_at_s
            if now - missed_at_s < _PAINTED_S:
                yield replace(old, missed_at_s=missed_at_s)

    def of(self, window: TargetInfo) -> Hidden:
        """Return the regions for a window that could not be read."""
        places = self._places(window)
        return Hidden(places, (window.name,), places)

    def _places(self, window: TargetInfo) -> tuple[Rect, ...]:
        return tuple(dict.fromkeys(field.now(window.rect) for field in self._fields(window)))

    def _fields(self, window: TargetInfo) -> tuple[_Field, ...]:
        """None of another window that had the same handle."""
        seen_in, fields = self._seen.get(window.handle, (window, ()))
        return fields if same_window(seen_in, window) else ()


def _tells_all(window: TargetInfo, controls: Sequence[TargetInfo]) -> bool:
    """True if a window exposes everything that it shows.

    While an element of a page is modal, Chromium exposes nothing else in that page; while the page asks something in a
    dialog of the browser, that dialog alone, unless the rest was found. Both are still visible behind it.
    """
    dialogs = [control for control in controls if control.type is Role.DIALOG]
    if any("modal" in dialog.states for dialog in dialogs):
        return False
    alone = bool(dialogs) and all(control.type is Role.DIALOG for control in controls if not control.parent)
    most = _MOST * window.rect.width * window.rect.height
    return not alone or any(dialog.rect.width * dialog.rect.height >= most for dialog in dialogs)


async def photograph(
    camera: Camera, region: Rect | None, look: Callable[[], Awaitable[tuple[T, Hidden]]]
) -> tuple[Picture, T]:
    """Return a picture, and the result of `look` at that moment. Raises: CaptureFailed, and the errors of `look`."""
    before = await camera.grab(region)
    seen, hidden = await look()
    shot = before
    for _ in range(_LOOKS - 1):
        before, shot = shot, await camera.grab(region)
        if shot.shows_same(before):
            return shot.picture(hidden.showing, hidden.unchecked), seen
        try:
            seen, again = await look()
        except ApplicationUnresponsive:  # it answered a moment ago; no time is left
            return shot.picture(hidden.places, (*hidden.unchecked, _CHANGING)), seen
        hidden += again
    return shot.picture(hidden.places, hidden.unchecked), seen
