"""The control at a point of a window, and controls in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.core.text import quoted
from deskhand.operator.coordinates import ShownScreen

_PRESSED: Final = frozenset(
    {
        Role.BUTTON,
        Role.CHECKBOX,
        Role.COMBOBOX,
        Role.LINK,
        Role.MENU,
        Role.MENUITEM,
        Role.MENUITEMCHECKBOX,
        Role.MENUITEMRADIO,
        Role.RADIO,
        Role.SPINBUTTON,
        Role.SWITCH,
        Role.TAB,
        Role.TEXTBOX,
    }
)
"""Roles that take a click for the texts and pictures inside them."""
_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_BOXES: Final = frozenset({Role.GENERIC, Role.GROUP})
_MOST: Final = 60
_LONGEST: Final = 60


def window_at(point: Point, windows: Iterable[TargetInfo]) -> TargetInfo | None:
    """The window in front at a point. `windows`: front first."""
    return next((each for each in windows if MINIMIZED not in each.states and each.rect.contains(point)), None)


def control_at(point: Point, seen: Observation) -> TargetInfo | None:
    """The control that a click at a point means: the innermost one, or the button or the like around it.

    Of several that are not inside one another an item of an open menu counts, which is in front of all, the last one
    of several; else the smallest, a later one first.
    """
    here = [each for each in seen.controls if _is_shown(each) and each.rect.contains(point)]
    around = {each.parent for each in here}
    inner = [each for each in here if each.handle not in around]
    if not inner:
        return None
    known = {each.handle: each for each in here}
    items = [found for each in inner if (found := _pressed(each, known)).type in _ITEMS]
    if items:
        return items[-1]
    return _pressed(min(reversed(inner), key=lambda each: each.rect.area), known)


def _pressed(control: TargetInfo, known: Mapping[str, TargetInfo]) -> TargetInfo:
    """The button or the like around a control, which takes its clicks; the control itself without one."""
    outer: TargetInfo | None = control
    while outer is not None and outer.type not in _PRESSED:
        outer = known.get(outer.parent)
    return outer or control


def _is_shown(control: TargetInfo) -> bool:
    return bool(control.states & {"showing", "visible"}) and not control.rect.empty


def controls_in(place: Rect, seen: Observation) -> list[TargetInfo]:
    """The controls in a part of the screen that have a name or a value, without mere containers."""
    here = (each for each in seen.controls if _is_shown(each) and place.contains(each.rect.center))
    return [each for each in here if (each.name and each.type not in _BOXES) or each.value]


def described(controls: Sequence[TargetInfo], shown: ShownScreen) -> list[str]:
    """Controls, one a line: `button "Save" at (120, 40)`, in the model's coordinates. Of many, those to press."""
    by_use = sorted(range(len(controls)), key=lambda place: controls[place].type not in _PRESSED)
    lines = [_line(controls[place], shown) for place in sorted(by_use[:_MOST])]
    return [*lines, f"… {len(controls) - _MOST} more: zoom into a part"] if len(controls) > _MOST else lines


def _line(control: TargetInfo, shown: ShownScreen) -> str:
    spot = shown.spot(control.rect.center)
    name = f" {quoted(control.name, _LONGEST)}" if control.name else ""
    value = f" = {quoted(control.value, _LONGEST)}" if control.value and control.value != control.name else ""
    states = sorted(control.states & {"checked", "selected", "focused", "expanded", "pressed"})
    state = f" ({', '.join(states)})" if states else ""
    return f"{control.type}{name}{value}{state} at ({spot.x}, {spot.y})"
