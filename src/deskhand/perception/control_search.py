"""Search for controls by role, name, text and region."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.geometry import Rect
from deskhand.core.patterns import compile_pattern, found_in, is_pattern, matches_name, require_role
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

Region = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Sought:
    """Search criteria; empty ones are ignored.

    `role` and `name` are compared as names are, `text` is contained in name or value, each may be a regular expression
    `/…/`. `region` is left, top, right, bottom as 0..1 of the window and must contain the control's centre.
    Raises: ValueError (an unknown role, an invalid regular expression or region) in the constructor.
    """

    role: str = ""
    name: str = ""
    text: str = ""
    region: Region | None = None

    def __post_init__(self) -> None:
        for pattern in (self.name, self.text):
            if is_pattern(pattern):
                compile_pattern(pattern)
        require_role(self.role)
        if self.region is not None:
            left, top, right, bottom = self.region
            if not (0 <= left <= right <= 1 and 0 <= top <= bottom <= 1):
                raise ValueError(f"{[*self.region]} is no region: left, top, right, bottom from 0 to 1 of the window")

    @property
    def means_tables(self) -> bool:
        """True if tables match, which are then searched on all pages of a document."""
        return bool(self.role) and matches_name(self.role, Role.TABLE)

    def finds(self, control: TargetInfo, window: Rect) -> bool:
        return (
            (not self.role or matches_name(self.role, control.type))
            and (not self.name or matches_name(self.name, control.name))
            and (not self.text or any(_holds(self.text, part) for part in (control.name, control.value)))
            and (self.region is None or _is_in(control.rect, window, self.region))
        )


def find_controls(sought: Sought, controls: Sequence[TargetInfo], window: TargetInfo) -> tuple[TargetInfo, ...]:
    """The matching controls, in their order."""
    return tuple(control for control in controls if sought.finds(control, window.rect))


def _holds(wanted: str, text: str) -> bool:
    return found_in(wanted, text) if is_pattern(wanted) else wanted in text


def _is_in(rect: Rect, window: Rect, region: Region) -> bool:
    if rect.empty:
        return False
    left, top, right, bottom = region
    x = (rect.center.x - window.left) / max(1, window.width)
    y = (rect.center.y - window.top) / max(1, window.height)
    return left <= x <= right and top <= y <= bottom
