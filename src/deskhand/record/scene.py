"""Windows of a desktop with their controls at one moment, and the control that a press at a point means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.geometry import Point
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, comparable_name

_TAKES_PRESS: Final = frozenset(
    {
        Role.BUTTON,
        Role.CELL,
        Role.CHECKBOX,
        Role.COLUMNHEADER,
        Role.COMBOBOX,
        Role.LINK,
        Role.LISTITEM,
        Role.MENU,
        Role.MENUITEM,
        Role.MENUITEMCHECKBOX,
        Role.MENUITEMRADIO,
        Role.PASSWORD,
        Role.RADIO,
        Role.SLIDER,
        Role.SPINBUTTON,
        Role.SWITCH,
        Role.TAB,
        Role.TEXTBOX,
        Role.TREEITEM,
    }
)
"""Roles that take a press for the texts and pictures inside them."""
MENU_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_IN_FRONT: Final = MENU_ITEMS | {Role.LISTITEM}


@dataclass(frozen=True, slots=True)
class Scene:
    """`windows`: front first; `seen`: their observations by handle, as far as they were read."""

    windows: tuple[TargetInfo, ...] = ()
    seen: Mapping[str, Observation] = field(default_factory=dict[str, Observation])

    def window(self, handle: str) -> TargetInfo | None:
        return next((each for each in self.windows if each.handle == handle), None)

    @property
    def active(self) -> TargetInfo | None:
        """The window with the keyboard, else the front one."""
        active = next((each for each in self.windows if "active" in each.states), None)
        return active or next(iter(self.windows), None)

    def controls(self, window: str) -> tuple[TargetInfo, ...]:
        """The observed controls of a window, by its handle."""
        return self.seen[window].controls if window in self.seen else ()

    def focused(self) -> tuple[TargetInfo, TargetInfo] | None:
        """The active window, and the control in it that has the keyboard."""
        window = self.active
        if window is None:
            return None
        found = [each for each in self.controls(window.handle) if "focused" in each.states]
        return (window, found[-1]) if found else None

    def pressed(self, point: Point) -> tuple[TargetInfo, TargetInfo | None] | None:
        """The window that a press at a point is for, and the control there; items of open lists are in front."""
        around = [each for each in self.windows if MINIMIZED not in each.states]
        for window in around:
            found = control_at(point, self.controls(window.handle))
            if found is not None and found.type in _IN_FRONT and not window.rect.contains(point):
                return window, found
        for window in around:
            if window.rect.contains(point):
                return window, control_at(point, self.controls(window.handle))
        return None

    def around(self, window: str, control: TargetInfo) -> tuple[TargetInfo, ...]:
        """The controls around one, from the inside out."""
        by_handle = {each.handle: each for each in self.controls(window)}
        return tuple(_outward(control, by_handle))[1:]

    def now(self, window: str, control: TargetInfo) -> TargetInfo | None:
        """A control of an earlier scene as it is in this one, by its handle, else by role and name."""
        controls = self.controls(window)
        same = [each for each in controls if each.handle == control.handle and each.type == control.type]
        alike = [each for each in controls if _is_alike(each, control)]
        return same[0] if same else alike[0] if len(alike) == 1 else None


def control_at(point: Point, controls: tuple[TargetInfo, ...]) -> TargetInfo | None:
    """The control that a press at a point means: the innermost one, or the button or the like around it."""
    here = [each for each in controls if each.states & {"showing", "visible"} and each.rect.contains(point)]
    containers = {each.parent for each in here}
    inner = [each for each in here if each.handle not in containers]
    if not inner:
        return None
    by_handle = {each.handle: each for each in here}
    pressed = [_taking(each, by_handle) for each in inner]
    items = [each for each in pressed if each.type in MENU_ITEMS]
    return items[-1] if items else min(reversed(pressed), key=lambda each: each.rect.area)


def _taking(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> TargetInfo:
    """The control itself, or the one around it that takes its presses."""
    return next((each for each in _outward(control, by_handle) if each.type in _TAKES_PRESS), control)


def _outward(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> Iterator[TargetInfo]:
    each: TargetInfo | None = control
    while each is not None:
        yield each
        each = by_handle.get(each.parent)


def _is_alike(one: TargetInfo, other: TargetInfo) -> bool:
    return one.type == other.type and comparable_name(one.name) == comparable_name(other.name) and bool(one.name)
