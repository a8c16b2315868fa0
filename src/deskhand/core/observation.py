"""What was seen: one window's picture and controls, of one moment."""

from dataclasses import dataclass

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """Raw pixels: `rgb` is row-major, three bytes a pixel; `rect` is where it was taken, in physical screen pixels."""

    rgb: bytes
    rect: Rect

    def __repr__(self) -> str:
        return f"Picture({self.rect.width}x{self.rect.height})"


@dataclass(frozen=True, slots=True)
class Truncation:
    """Why an observation is not whole, and how many nodes are known to be missing (None: unknown)."""

    reason: str
    omitted: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """One window at one moment (SPEC 3.2).

    `controls` stand in reading order, parents before children, without the window itself. `picture` is None only
    where none was asked for. `provisional`: the application may still refresh the states of its controls (enabled,
    checked) without a further cause; what there is, and where, is final. `unsettled`: what was still going on when it
    was taken, where it was waited for in vain. `at_s` is one reading of the session's clock. `timing_s` says where the
    time went. Password texts and pixels are already gone.
    """

    window: TargetInfo
    controls: tuple[TargetInfo, ...]
    picture: Picture | None
    at_s: float
    truncated: Truncation | None = None
    provisional: bool = False
    unsettled: str = ""
    timing_s: tuple[tuple[str, float], ...] = ()

    def find(self, handle: str) -> TargetInfo | None:
        return next((control for control in self.controls if control.handle == handle), None)
