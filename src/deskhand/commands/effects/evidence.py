"""Evidence of an effect: signs in a window, and the findings made of them."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from deskhand.core.command import Effect
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

Aspect: TypeAlias = tuple[str, str]
"""Something that may change: a handle, and `TEXT`, `STATES` or `PLACE` of it, or a role among its children."""
TEXT: Final = "its text"
STATES: Final = "its states"
PLACE: Final = "its place"


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that an action had an effect.

    `places`: on the screen, one of which must have been repainted; none: no repaint is required. `certain`: reported by
    the window system itself, so it neither reverts nor hides. `mere`: it is not the expected effect. `passing`: only
    that the target got disabled or enabled, as a button does while it works.
    """

    message: str
    places: tuple[Rect, ...] = ()
    certain: bool = False
    mere: bool = False
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """`effect` None: no effect was found, and the tool decides on the verdict."""

    effect: Effect | None
    message: str
    retry_safe: bool | None = None


def places_of(*reports: TargetInfo) -> tuple[Rect, ...]:
    """Places where a change of a control is painted.

    Those of a tab are grown: GTK 4.8 reports its place without the padding, in which it marks the selected tab, and GTK
    3 that of its label, below which it draws a line.
    """
    shown = [report for report in reports if not report.rect.empty]
    tabs = [report.rect.grown(report.rect.height // 2) for report in shown if report.type is Role.TAB]
    return tuple(dict.fromkeys([*(report.rect for report in shown), *tabs]))
