"""What was seen: one window's picture and controls, of one moment."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.target import MINIMIZED, TargetInfo


class PixelOrder(StrEnum):
    """The bytes of a pixel, in order; X is one that means nothing."""

    RGB = "RGB"
    BGRX = "BGRX"


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """Raw pixels: row-major, as many bytes a pixel as `order` says; `rect` is where it was taken, in screen pixels.

    Screens give BGRX, and turning a large one around costs more time than taking it. `unchecked` names the windows in
    it that could not be asked for passwords; those seen there before are hidden all the same.
    """

    pixels: bytes | memoryview
    rect: Rect
    order: PixelOrder = PixelOrder.RGB
    unchecked: tuple[str, ...] = ()

    @property
    def rgb(self) -> bytes:
        """Three bytes a pixel, whatever they are kept as."""
        if self.order is PixelOrder.RGB:
            return bytes(self.pixels)
        turned = bytearray(len(self.pixels) // 4 * 3)
        for colour in range(3):
            turned[colour::3] = bytes(self.pixels[2 - colour :: 4])
        return bytes(turned)

    @property
    def reservations(self) -> tuple[str, ...]:
        """What whoever passes it on has to know."""
        return tuple(f'passwords of "{title}" could not be asked for and may show' for title in self.unchecked)

    def __repr__(self) -> str:
        return f"Picture({self.rect.width}x{self.rect.height})"


NOT_WHOLE: Final = "not everything could be read"


@dataclass(frozen=True, slots=True)
class Truncation:
    """Why an observation is not whole, and how many nodes are known to be missing (None: unknown)."""

    reason: str
    omitted: int | None = None

    @property
    def message(self) -> str:
        return f"{NOT_WHOLE}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Observation:
    """One window at one moment (SPEC 3.2).

    `controls` stand in reading order, parents before children, without the window itself. `picture` is None only
    where none was asked for. `provisional`: the application may still refresh the states of its controls (enabled,
    checked) without a further cause; what there is, and where, is final. `unsettled`: what was still going on when it
    was taken, where it was waited for in vain. `untold`: what its application does not tell of what it shows.
    `at_s` is one reading of the session's clock. `timing_s` says where the time went. Password texts and
    pixels are already gone.
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

    @property
    def reservations(self) -> tuple[str, ...]:
        """What whoever decides by it must know: that it is not whole, not on the screen, not at rest, not final."""
        told = [self.truncated.message] if self.truncated else []
        told += ["the window is minimized: nothing of it is on the screen"] if MINIMIZED in self.window.states else []
        told += [self.untold] if self.untold else []
        told += [self.unsettled] if self.unsettled else []
        told += ["what is enabled or checked may still change by itself"] if self.provisional else []
        return tuple(told)

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
