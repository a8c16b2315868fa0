"""Search for controls by role, name, text and region."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.patterns import compile_pattern, is_pattern, matches_name, place_of, require_role
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import CUT

OUT_OF_VIEW: Final = ", out of view"
"""End of the place of a hit that has no control now."""

UNSEARCHED: Final = "other pages were not searched"

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

    @property
    def means_text(self) -> bool:
        """True if texts match, which are then searched on all pages of a document."""
        is_text = not self.role or any(matches_name(self.role, role) for role in (Role.PARAGRAPH, Role.HEADING))
        return bool(self.text) and is_text and not self.name and self.region is None

    def is_in(self, text: str) -> bool:
        """True if the sought text is part of a text."""
        return place_of(self.text, text) >= 0

    def around(self, text: str, most: int) -> str:
        """The part of a long text around the sought one."""
        place = place_of(self.text, text)
        if len(text) <= most or place < 0:
            return text
        begin = max(0, min(place - most // 3, len(text) - most))
        end = begin + most
        return f"{CUT if begin else ''}{text[begin:end]}{CUT if end < len(text) else ''}"

    def finds(self, control: TargetInfo, window: Rect) -> bool:
        return (
            (not self.role or matches_name(self.role, control.type))
            and (not self.name or matches_name(self.name, control.name))
            and (not self.text or self.is_in(control.name) or self.is_in(control.value))
            and (self.region is None or _is_in(control.rect, window, self.region))
        )


def find_controls(sought: Sought, controls: Sequence[TargetInfo], window: TargetInfo) -> tuple[TargetInfo, ...]:
    """The matching controls, in their order."""
    return tuple(control for control in controls if sought.finds(control, window.rect))


def _is_in(rect: Rect, window: Rect, region: Region) -> bool:
    if rect.empty:
        return False
    left, top, right, bottom = region
    x = (rect.center.x - window.left) / max(1, window.width)
    y = (rect.center.y - window.top) / max(1, window.height)
    return left <= x <= right and top <= y <= bottom
