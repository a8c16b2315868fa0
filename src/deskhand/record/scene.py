"""Windows of a desktop with their controls at one moment, and the control that a press at a point means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, Trait, comparable_name

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
_WITH_PARTS: Final = frozenset({Role.COMBOBOX, Role.SPINBUTTON})
"""Roles of fields that have buttons of their own."""
MENU_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_DROPPED: Final = frozenset({Role.COMBOBOX, Role.MENU})
LISTED: Final = MENU_ITEMS | {Role.CELL, Role.LISTITEM, Role.TREEITEM}
_KEYBOARD: Final = frozenset({"active", "focused"})
_SLACK: Final = 4
"""Pixels by which a control may reach out of its popup."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`windows`: front first; `seen`: their observations by handle, as far as they were read; `popups`: the places of
    menus, lists and the like in front of them; `began_s`: the monotonic time at which their observation began;
    `stale`: handles of windows that could not be observed again, whose observation is an earlier one.
    """

    windows: tuple[TargetInfo, ...] = ()
    seen: Mapping[str, Observation] = field(default_factory=dict[str, Observation])
    popups: tuple[Rect, ...] = ()
    began_s: float = 0.0
    stale: frozenset[str] = frozenset()

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

    def differs(self, other: "Scene") -> bool:
        """True if a window or a control has changed, apart from where the keyboard is."""
        return self.shown != other.shown

    @property
    def shown(self) -> tuple[object, ...]:
        """All that is shown, for a comparison."""
        windows = sorted(each.handle for each in self.windows)
        return windows, self.popups, [[_shown(each) for each in self.controls(window)] for window in windows]

    def pressed(self, point: Point) -> tuple[TargetInfo, TargetInfo | None] | None:
        """The window that a press at a point is for, and the control there; popups are in front."""
        popup = next((each for each in self.popups if each.contains(point)), None)
        shown = [each for each in self.windows if MINIMIZED not in each.states]
        for window in shown if popup is not None else ():
            inside = [each for each in self.controls(window.handle) if _is_inside(each.rect, popup)]
            items = [each for each in inside if each.type in LISTED and each.rect.contains(point)]
            inside = items or inside  # controls below the popup are listed too
            if (found := control_at(point, tuple(inside))) is not None:
                return window, found
        window = next((each for each in shown if each.rect.contains(point)), None)
        return None if window is None else (window, control_at(point, self.controls(window.handle)))

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
    items = [each for each in pressed if _is_in_front(each, by_handle)]
    return items[-1] if items else min(reversed(pressed), key=lambda each: each.rect.area)


def _shown(control: TargetInfo) -> tuple[object, ...]:
    return control.handle, control.type, control.name, control.value, control.rect, control.states - _KEYBOARD


def _taking(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> TargetInfo:
    """The control itself, or the one around it that takes its presses; of a button of a field, the field."""
    around = [each for each in _outward(control, by_handle) if each.type in _TAKES_PRESS]
    if around and around[0].type is Role.BUTTON:
        around = [each for each in around[1:] if each.type in _WITH_PARTS] or around
    return next(iter(around), control)


def _is_in_front(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> bool:
    """True for an item of an open menu or list, which is in front of all else."""
    if control.type in MENU_ITEMS or Trait.IN_POPUP_LIST in control.traits:
        return True
    around = list(_outward(control, by_handle))[1:]
    return control.type is Role.LISTITEM and any(each.type in _DROPPED for each in around)


def _is_inside(rect: Rect, popup: Rect | None) -> bool:
    """True if a control is in a popup, which may have a shadow around it or be cut off a little."""
    return popup is not None and popup.contains(rect.center) and rect.width <= popup.width + _SLACK


def _outward(control: TargetInfo, by_handle: Mapping[str, TargetInfo]) -> Iterator[TargetInfo]:
    each: TargetInfo | None = control
    while each is not None:
        yield each
        each = by_handle.get(each.parent)


def _is_alike(one: TargetInfo, other: TargetInfo) -> bool:
    return one.type == other.type and comparable_name(one.name) == comparable_name(other.name) and bool(one.name)
