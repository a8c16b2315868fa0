"""Observation of one window at one moment: its picture and controls."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.target import MINIMIZED, TargetInfo


class PixelOrder(StrEnum):
    """Order of the bytes of a pixel; X is unused."""

    RGB = "RGB"
    BGRX = "BGRX"


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """Raw pixels: row-major, with the bytes per pixel of `order`; `rect` is its place in screen pixels.

    Screens return BGRX, and converting a large picture takes more time than grabbing it. `unchecked` names its windows
    that did not report their password fields; fields found there before are redacted all the same. `over`: the windows
    in front of the pictured one, of which a part is in the picture.
    """

    pixels: bytes | memoryview
    rect: Rect
    order: PixelOrder = PixelOrder.RGB
    unchecked: tuple[str, ...] = ()
    over: tuple[TargetInfo, ...] = ()

    @property
    def rgb(self) -> bytes:
        """Three bytes a pixel in any case."""
        if self.order is PixelOrder.RGB:
            return bytes(self.pixels)
        turned = bytearray(len(self.pixels) // 4 * 3)
        for colour in range(3):
            turned[colour::3] = bytes(self.pixels[2 - colour :: 4])
        return bytes(turned)

    @property
    def reservations(self) -> tuple[str, ...]:
        """Reservations that must accompany the picture."""
        return tuple(f'"{title}" did not report its password fields; they may be visible' for title in self.unchecked)

    def __repr__(self) -> str:
        return f"Picture({self.rect.width}x{self.rect.height})"


_PROVISIONAL: Final = "states, values in toolbars and the status bar may still change by themselves"
NOT_WHOLE: Final = "not everything could be read"


@dataclass(frozen=True, slots=True)
class Truncation:
    """Reason why an observation is incomplete, and the number of missing nodes (None: unknown)."""

    reason: str
    omitted: int | None = None

    @property
    def message(self) -> str:
        return f"{NOT_WHOLE}: {self.reason}"


@dataclass(frozen=True, slots=True, repr=False)
class Observation:
    """One window at one moment.

    `controls` are in reading order, parents before children, without the window itself. `picture` is None only if none
    was requested. `provisional`: the application may still refresh by itself the states of its controls (enabled,
    checked), values in toolbars, and its status bar; places are final. `unsettled`: activity that still went on when it
    was taken, after the timeout. `untold`: content that the application does not expose. `at_s` is one reading of the
    session's clock. `timing_s` are the durations of its parts. Password texts and pixels are already redacted.
    `from_picture`: what the application does not expose was read from the picture, as far as it is text.
    """

    window: TargetInfo
    controls: tuple[TargetInfo, ...]
    picture: Picture | None
    at_s: float
    truncated: Truncation | None = None
    provisional: bool = False
    unsettled: str = ""
    untold: str = ""
    timing_s: tuple[tuple[str, float], ...] = ()
    from_picture: bool = False

    @property
    def reservations(self) -> tuple[str, ...]:
        """Reservations that matter to a decision: incomplete, not on the screen, not idle, not final."""
        reservations = [self.truncated.message] if self.truncated else []
        reservations += (
            ["the window is minimized: no part of it is on the screen"] if MINIMIZED in self.window.states else []
        )
        over = ", ".join(window.describe for window in self.picture.over) if self.picture else ""
        reservations += [f"in front of it, and in the picture: {over}"] if over else []
        reservations += [self.untold] if self.untold else []
        reservations += [self.unsettled] if self.unsettled else []
        reservations += [_PROVISIONAL] if self.provisional else []
        return tuple(reservations)

    def __repr__(self) -> str:
        return f"Observation({self.window.name!r}, {len(self.controls)} controls, {self.picture})"

    def find(self, handle: str) -> TargetInfo | None:
        return next((control for control in self.controls if control.handle == handle), None)

    def inside_of(self, container: TargetInfo) -> list[TargetInfo]:
        """All controls below a container, in their order."""
        above, below = {container.handle}, list[TargetInfo]()
        for control in self.controls:
            if control.parent in above:
                above.add(control.handle)
                below.append(control)
        return below
